"""The other ways to send, and what is deleted: from the buttons of the window to the engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest

from app.application import Application
from app.chat.session import ChatSession
from app.chat.turn import Turn, TurnState
from app.ui.message_box import MessageBox
from engine.contract import Generate, Role
from tests.app.conftest import Program
from tests.app.test_application import ask, await_reply
from tests.doubles.engines import Reply, ScriptedRunner

ADD, AS_MODEL, BEGIN = "Add without an answer", "Add as the model’s words", "Begin the answer…"


def box_of(window: Application) -> MessageBox:
    return window.window.parts.chat.box


def session_of(window: Application) -> ChatSession:
    session = window.window.parts.chat.session
    assert session is not None
    return session


def turns(window: Application) -> list[Turn]:
    return list(session_of(window).path())


def asked(program: Program) -> list[Generate]:
    return [each for each in program.runner.commands if isinstance(each, Generate)]


def entry(window: Application, words: str) -> QAction:
    """An entry of the menu as it is now; it lives as long as its menu, the button's child."""
    menu = box_of(window).otherwise.menu_now()
    return next(each for each in menu.actions() if each.text() == words)


def say(window: Application, text: str) -> None:
    box_of(window).field.setPlainText(text)


def test_a_message_is_added_without_an_answer_and_answered_when_one_wants_it(
    program: Program,
) -> None:
    window = program.start_ready(ScriptedRunner([Reply("Now.")]))
    say(window, "For later.")
    entry(window, ADD).trigger()
    assert [(turn.role, turn.content) for turn in turns(window)] == [(Role.USER, "For later.")]
    assert (asked(program), box_of(window).text()) == ([], "")
    QTest.keyClick(window.window, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    await_reply(program, window, 2)
    assert [turn.content for turn in turns(window)] == ["For later.", "Now."]


def test_a_message_is_added_where_there_is_no_model(program: Program) -> None:
    program.shelves.add("Some model")
    window = program.start()
    window.window.show_page("chat")
    say(window, "A note.")
    entry(window, ADD).trigger()
    assert [turn.content for turn in turns(window)] == ["A note."]


def test_words_are_put_into_the_models_mouth_and_it_reads_them(program: Program) -> None:
    window = program.start_ready(ScriptedRunner([Reply("Blue.")]))
    say(window, "Name a colour.")
    entry(window, ADD).trigger()
    say(window, "Red.")
    entry(window, AS_MODEL).trigger()
    ask(window, "Another one?")
    await_reply(program, window, 4)
    (command,) = asked(program)
    assert [(each.role, each.content) for each in command.messages] == [
        (Role.USER, "Name a colour."),
        (Role.ASSISTANT, "Red."),
        (Role.USER, "Another one?"),
    ]
    spoken = turns(window)[1]
    assert (spoken.state, spoken.figures) == (TurnState.COMPLETE, None)


def test_an_answer_begins_as_it_was_told(program: Program) -> None:
    window = program.start_ready(ScriptedRunner([Reply("of course.")]))
    box = box_of(window)
    entry(window, BEGIN).trigger()
    assert box.beginning.field.hasFocus()
    QTest.keyClicks(box.beginning.field, "Short: ")
    say(window, "Really?")
    QTest.keyClick(box.beginning.field, Qt.Key.Key_Return)
    await_reply(program, window, 2)
    (command,) = asked(program)
    assert (command.messages[-1].role, command.messages[-1].content) == (Role.ASSISTANT, "Short:")
    assert turns(window)[1].content.startswith("Short:")
    assert not box.beginning.isVisible(), "it was for one answer"
    ask(window, "And?")
    await_reply(program, window, 4)
    assert asked(program)[1].messages[-1].role is Role.USER


def test_a_beginning_is_given_up_with_escape_and_stops_nothing(program: Program) -> None:
    window = program.start_ready(ScriptedRunner([Reply("Long", lingers=True)]))
    ask(window, "One?")
    program.qtbot.waitUntil(lambda: len(turns(window)) == 2)
    box = box_of(window)
    entry(window, BEGIN).trigger()
    QTest.keyClicks(box.beginning.field, "No")
    QTest.keyClick(box.beginning.field, Qt.Key.Key_Escape)
    assert (box.beginning.isVisible(), box.beginning.text()) == (False, "")
    assert box.field.hasFocus()
    assert session_of(window).state.busy


def test_a_beginning_waits_with_its_message_and_comes_back_with_it(program: Program) -> None:
    runner = ScriptedRunner([Reply("Long", lingers=True), Reply("indeed.")])
    window = program.start_ready(runner)
    ask(window, "One?")
    program.qtbot.waitUntil(lambda: "Long" in turns(window)[-1].content)
    box = box_of(window)
    for _ in range(2):
        box.beginning.say("Yes,")
        ask(window, "Two?")
    assert [each.begins for each in session_of(window).state.queued] == ["Yes,", "Yes,"]
    assert box.beginning.text() == ""
    box.queue.taken_back.emit(1)
    assert (box.text(), box.beginning.text()) == ("Two?", "Yes,")
    window.window.parts.chat.stop()
    await_reply(program, window, 4)
    assert turns(window)[3].content.startswith("Yes,")


def test_a_beginning_belongs_to_its_chat_and_survives_the_end_of_the_program(
    program: Program,
) -> None:
    window = program.start_ready()
    say(window, "Half a")
    box_of(window).beginning.say("Sure")
    chat = session_of(window).row.id
    window.chats_on_screen.new_temporary()
    assert not box_of(window).beginning.isVisible()
    window.chats_on_screen.open(chat)
    assert box_of(window).beginning.text() == "Sure"
    program.end()
    again = program.start()
    assert (box_of(again).text(), box_of(again).beginning.text()) == ("Half a", "Sure")


def test_while_an_answer_is_written_nothing_is_added_behind_its_back(program: Program) -> None:
    window = program.start_ready(ScriptedRunner([Reply("Long", lingers=True)]))
    ask(window, "One?")
    program.qtbot.waitUntil(lambda: len(turns(window)) == 2)
    say(window, "Two")
    assert [entry(window, words).isEnabled() for words in (ADD, AS_MODEL)] == [False, False]
    box_of(window).otherwise.add_wanted.emit(Role.USER)
    assert (len(turns(window)), box_of(window).text()) == (2, "Two")


@pytest.mark.parametrize("wait", [True, False])
def test_files_go_with_an_added_message_and_never_as_the_models(
    program: Program, tmp_path: Path, wait: bool
) -> None:
    window = program.start_ready()
    (tmp_path / "rent.txt").write_text("The rent is 1150.", "utf-8")
    window.files_on_screen.add([tmp_path / "rent.txt"])
    say(window, "Keep this.")
    if wait:
        program.qtbot.waitUntil(lambda: not box_of(window)._is_waiting, timeout=15_000)
    assert not entry(window, AS_MODEL).isEnabled()
    entry(window, ADD).trigger()
    program.qtbot.waitUntil(lambda: len(turns(window)) == 1, timeout=15_000)
    assert [each.name for each in turns(window)[0].attachments] == ["rent.txt"]
    assert asked(program) == []
    assert not box_of(window).files.isVisible()


def test_a_turn_goes_alone_or_with_all_that_follows_and_comes_back(program: Program) -> None:
    window = program.start_ready(ScriptedRunner([Reply("a"), Reply("b")]))
    for text in ("one", "two"):
        ask(window, text)
        await_reply(program, window, 2 if text == "one" else 4)
    transcript = window.window.parts.chat.transcript
    bars = window.window.notices._bars
    for words, left in (
        ("Delete", ["one", "two", "b"]),
        ("Delete with all that follows", ["one"]),
    ):
        widget = transcript.turn_widget(turns(window)[1].id)
        assert widget is not None
        menu = widget.actions_row.more_menu()
        next(each for each in menu.actions() if each.text() == words).trigger()
        assert [turn.content for turn in turns(window)] == left
        bars["turn-deleted"]._button.click()
        assert [turn.content for turn in turns(window)] == ["one", "a", "two", "b"]
