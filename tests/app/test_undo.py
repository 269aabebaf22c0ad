"""Ctrl+Z takes back what was deleted, by key as by button, also when its notice is gone."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.application import Application
from tests.app.conftest import Program
from tests.app.test_application import ask, await_reply, contents


def undo(window: Application) -> None:
    QTest.keyClick(
        window.window.parts.chat.box.field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier
    )


def talk(program: Program, window: Application, text: str) -> int:
    window.chats_on_screen.new()
    ask(window, text)
    await_reply(program, window, 2)
    assert window.deeds.open_chat is not None
    return window.deeds.open_chat


def test_chats_come_back_one_after_the_other_the_last_one_first(program: Program) -> None:
    window = program.start_ready()
    program.qtbot.waitActive(window.window)
    first, second = talk(program, window, "first"), talk(program, window, "second")
    window.chat_deeds.delete([first])
    window.chat_deeds.delete([second])
    window.window.notices.dismiss("chat-deleted")  # as after its time
    undo(window)
    assert [row.id for row in window.chats.chats()] == [second]
    undo(window)
    assert {row.id for row in window.chats.chats()} == {first, second}
    undo(window)
    assert len(window.chats.chats()) == 2


def test_a_turn_comes_back_and_its_notice_goes(program: Program) -> None:
    window = program.start_ready()
    talk(program, window, "a question")
    session = window.window.parts.chat.session
    assert session is not None
    before = contents(window)
    window.window.parts.chat.transcript.delete_requested.emit(session.path()[1].id, False)
    assert contents(window) == before[:1]
    undo(window)
    assert contents(window) == before
    assert "turn-deleted" not in window.window.notices.keys()  # noqa: SIM118


def test_a_turn_of_a_chat_that_was_left_does_not_come_back_unseen(program: Program) -> None:
    window = program.start_ready()
    chat = talk(program, window, "a question")
    session = window.window.parts.chat.session
    assert session is not None
    window.window.parts.chat.transcript.delete_requested.emit(session.path()[1].id, False)
    talk(program, window, "another")
    undo(window)
    window.chats_on_screen.open(chat)
    assert len(contents(window)) == 1


def test_the_button_takes_it_off_the_key(program: Program) -> None:
    window = program.start_ready()
    chat = talk(program, window, "a question")
    window.chat_deeds.delete([chat])
    window.window.notices._bars["chat-deleted"]._button.click()
    assert [row.id for row in window.chats.chats()] == [chat]
    window.chats.delete(chat)
    undo(window)
    assert window.chats.chats() == []
