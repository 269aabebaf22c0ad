"""A quick question: asked over other windows, gone with Escape, or opened as a chat."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.application import Application
from app.start.request import StartRequest, read_arguments, read_line
from app.ui.quick.window import QuickWindow
from tests.app.conftest import Program
from tests.app.test_application import contents
from tests.doubles.engines import Reply, ScriptedRunner

ASKED = StartRequest(quick=True)


def opened(running: Application) -> QuickWindow:
    running.settings.change(quick_ask=True)
    running.surroundings.start.on_asked(ASKED)
    quick = running.surroundings.quick.quick
    assert quick is not None
    assert quick.isVisible()
    return quick


def ask(program: Program, quick: QuickWindow, question: str) -> None:
    quick.field.setPlainText(question)
    QTest.keyClick(quick.field, Qt.Key.Key_Return)
    program.qtbot.waitUntil(quick.open_as_chat.isEnabled)


def test_a_later_start_hands_the_wish_over() -> None:
    assert read_arguments(["--quick"]).quick
    assert read_line(read_arguments(["--quick"]).line()) == ASKED
    assert read_line(StartRequest().line()) == StartRequest()


def test_it_is_off_until_it_is_wanted_and_says_where(program: Program) -> None:
    running = program.start_ready()
    running.surroundings.start.on_asked(ASKED)
    assert running.surroundings.quick.quick is None
    said = running.window.notices._bars["quick_ask"].accessibleName()
    assert said.startswith("Quick questions are off.")


def test_it_is_answered_above_other_windows_and_escape_leaves_nothing(program: Program) -> None:
    running = program.start_ready(ScriptedRunner([Reply("It is **light**."), Reply("Yes.")]))
    quick = opened(running)
    assert quick.windowFlags() & Qt.WindowType.WindowStaysOnTopHint
    ask(program, quick, "Why does ice float?")
    program.qtbot.waitUntil(lambda: quick.answer.toPlainText() == "It is light.")
    ask(program, quick, "Really?")
    program.qtbot.waitUntil(lambda: quick.answer.toPlainText() == "Yes.")
    QTest.keyClick(quick.field, Qt.Key.Key_Escape)
    assert not quick.isVisible()
    assert running.window.isVisible()
    assert running.chats.chats() == running.chats.temporary() == []
    assert opened(running).answer.text == ""


def test_it_is_opened_as_a_chat_with_all_that_was_said(program: Program) -> None:
    running = program.start_ready(ScriptedRunner([Reply("Light.")]))
    quick = opened(running)
    ask(program, quick, "Why does ice float?")
    quick.open_as_chat.click()
    assert not quick.isVisible()
    assert contents(running) == ["Why does ice float?", "Light."]
    assert len(running.chats.chats()) == 1


def test_escape_ends_an_answer_that_is_coming(program: Program) -> None:
    running = program.start_ready(ScriptedRunner([Reply("Well,", endless=True)]))
    quick = opened(running)
    quick.field.setPlainText("Tell me")
    QTest.keyClick(quick.field, Qt.Key.Key_Return)
    program.qtbot.waitUntil(lambda: bool(quick.answer.text))
    quick.close()
    assert not quick.isVisible()
    assert not running.chats.is_any_answering()
    QTest.qWait(100)
    assert quick.answer.text == ""


def test_without_a_model_it_says_so_and_keeps_the_question(program: Program) -> None:
    running = program.start()
    quick = opened(running)
    quick.field.setPlainText("Hello?")
    QTest.keyClick(quick.field, Qt.Key.Key_Return)
    assert quick.said.text() == "No model is loaded. Open Inkstone and choose one."
    assert quick.field.toPlainText() == "Hello?"


def test_a_picture_in_an_answer_is_not_loaded(program: Program) -> None:
    quick = opened(program.start_ready(ScriptedRunner([Reply("![a](file:///etc/hostname)")])))
    ask(program, quick, "Hello?")
    assert quick.answer.loadResource(2, "file:///etc/hostname") is None
