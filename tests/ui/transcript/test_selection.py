"""A selection over blocks and turns, copied in three forms; jumping between questions."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.ui.clipboard import release_clipboard
from app.ui.transcript import Transcript
from app.ui.transcript.display_formula import FormulaView
from app.ui.transcript.still_text import StillText
from tests.ui.transcript.conftest import Open, question, reply

TEXT = "First **bold** words.\n\n- one\n- two\n\nLast words here."


def texts(transcript: Transcript) -> list[StillText]:
    parts = transcript.parts()
    return [text for text in parts if isinstance(text, StillText) and text.isVisible()]


def drag(transcript: Transcript, start: int, end: int) -> None:
    """Drag from the beginning of one text to the end of another."""
    there = texts(transcript)
    transcript._selection.begin(there[start])
    cursor = there[start].textCursor()
    cursor.setPosition(0)
    cursor.movePosition(cursor.MoveOperation.End, cursor.MoveMode.KeepAnchor)
    there[start].setTextCursor(cursor)
    target = there[end]
    transcript._selection.drag(target.mapToGlobal(QPoint(target.width(), target.height() // 2)))
    transcript._selection.end()


def _mouse(view: QWidget, kind: QEvent.Type, at: QPoint, button: Qt.MouseButton) -> None:
    """Send what the mouse does to whatever is there, as Qt does."""
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    target = view.childAt(at) or view
    held = Qt.MouseButton.NoButton if kind is QEvent.Type.MouseButtonRelease else left
    local, place = target.mapFrom(view, at), view.mapToGlobal(at)
    event = QMouseEvent(kind, QPointF(local), QPointF(place), button, held, none)
    QApplication.sendEvent(target, event)


def press(view: QWidget, at: QPoint) -> None:
    _mouse(view, QEvent.Type.MouseButtonPress, at, Qt.MouseButton.LeftButton)


def move(view: QWidget, at: QPoint) -> None:
    _mouse(view, QEvent.Type.MouseMove, at, Qt.MouseButton.NoButton)


def release(view: QWidget, at: QPoint) -> None:
    _mouse(view, QEvent.Type.MouseButtonRelease, at, Qt.MouseButton.LeftButton)


def test_a_drag_selects_everything_between(opened: Open) -> None:
    transcript = opened(question(1, "A question"), reply(2, TEXT))
    drag(transcript, 0, 4)
    assert [t.textCursor().selectedText() for t in texts(transcript)] == [
        "A question",
        "First bold words.",
        "one",
        "two",
        "Last words here.",
    ]
    drag(transcript, 1, 2)
    assert [t.has_selection() for t in texts(transcript)] == [False, True, True, False, False]


def test_a_selection_is_copied_plain_rich_and_as_markdown(opened: Open) -> None:
    transcript = opened(question(1, "A question"), reply(2, TEXT))
    drag(transcript, 1, 4)
    texts(transcript)[1].copy()
    data = QGuiApplication.clipboard().mimeData()
    assert data.text() == "First bold words.\n\none\n\ntwo\n\nLast words here."
    assert "font-weight:700" in data.html()
    transcript.copy_selected_markdown()
    assert QGuiApplication.clipboard().text() == TEXT


# ziamath reads its font by a deprecated function when it is imported
WITH_FORMULAS = pytest.mark.filterwarnings("ignore:path is deprecated")
FORMULAS = "Before\n\n$$x^2$$\n\nbetween\n\n\\[\ny\n\\]"


@WITH_FORMULAS
def test_a_selection_takes_displayed_formulas_as_they_were_written(
    opened: Open, qtbot: QtBot
) -> None:
    transcript = opened(question(1, "A question"), reply(2, FORMULAS))
    qtbot.waitUntil(lambda: transcript._formulas._background is None, timeout=15_000)
    first, second = transcript.viewport().findChildren(FormulaView)
    drag(transcript, 1, 2)
    assert (first.is_taken(), second.is_taken()) == (True, False)
    texts(transcript)[1].copy()
    copied = QGuiApplication.clipboard().mimeData()
    assert copied.text() == "Before\n\n$$\nx^2\n$$\n\nbetween"
    assert "x^2" in copied.html()
    transcript.copy_selected_markdown()
    assert QGuiApplication.clipboard().text() == "Before\n\n$$\nx^2\n$$\n\nbetween"
    transcript._selection.begin(None)
    assert not first.is_taken()


@WITH_FORMULAS
def test_a_selection_begins_and_ends_in_a_formula(opened: Open, qtbot: QtBot) -> None:
    transcript = opened(question(1, "A question"), reply(2, FORMULAS))
    qtbot.waitUntil(lambda: transcript._formulas._background is None, timeout=15_000)
    first, second = transcript.viewport().findChildren(FormulaView)
    QTest.mousePress(second, Qt.MouseButton.LeftButton)
    assert transcript._selection.selected() == []
    up = second.mapFromGlobal(first.mapToGlobal(first.rect().center()))
    QTest.mouseMove(second, up)
    transcript._selection.drag(first.mapToGlobal(first.rect().center()))
    QTest.mouseRelease(second, Qt.MouseButton.LeftButton)
    assert (first.is_taken(), second.is_taken()) == (True, True)
    QTest.keyClick(second, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "$$\nx^2\n$$\n\nbetween\n\n\\[\ny\n\\]"


@pytest.mark.qt_log_ignore("does not support (raise|grabbing)", "not accepted by receiving")
def test_the_right_button_keeps_the_selection_and_its_menu_copies_it(opened: Open) -> None:
    transcript = opened(question(1, "A question"), reply(2, TEXT))
    drag(transcript, 1, 4)
    elsewhere = texts(transcript)[0]
    QTest.mouseClick(elsewhere.viewport(), Qt.MouseButton.RightButton)
    assert len(transcript._selection.selected()) == 4
    here = QPoint(2, 2)
    asked = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, here, elsewhere.mapToGlobal(here))
    QApplication.sendEvent(elsewhere.viewport(), asked)
    (menu,) = elsewhere.findChildren(QMenu)
    copied = []
    for action in menu.actions()[:3]:
        assert action.isEnabled()
        action.trigger()
        data = QGuiApplication.clipboard().mimeData()
        copied.append((data.text(), data.hasHtml()))
    plain = "First bold words.\n\none\n\ntwo\n\nLast words here."
    assert copied == [(plain, True), (plain, False), (TEXT, False)]
    menu.close()


def test_a_press_elsewhere_lets_the_selection_go(opened: Open) -> None:
    transcript = opened(question(1, "A question"), reply(2, TEXT))
    drag(transcript, 0, 4)
    transcript._selection.begin(None)
    assert transcript._selection.selected() == []


@pytest.mark.parametrize("upward", [False, True])
def test_a_drag_that_begins_beside_all_texts_selects_from_the_nearest(
    opened: Open, qtbot: QtBot, upward: bool
) -> None:
    """In the gap below the question, and left of the last words, as a hand does."""
    transcript = opened(question(1, "A question"), reply(2, TEXT))
    there, view = texts(transcript), transcript.viewport()
    top = there[0].mapTo(view, QPoint(0, there[0].height() + 2))
    low = there[4].mapTo(view, QPoint(-30, there[4].height() // 2))
    start, end = (low, top) if upward else (top, low)
    press(view, start)
    move(view, start + QPoint(0, 1))
    assert not [text for text in there if text.has_selection() and text is not there[0]]
    move(view, end)
    release(view, end)
    selected = [text.textCursor().selectedText() for text in texts(transcript)]
    assert selected == ["", "First bold words.", "one", "two", ""]
    focused = transcript.focusWidget()
    assert isinstance(focused, StillText)
    QTest.keyClick(focused, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "First bold words.\n\none\n\ntwo"
    release_clipboard()
    press(view, start)
    assert not any(text.has_selection() for text in texts(transcript))
    release(view, start)


def test_a_selection_survives_being_scrolled_away(opened: Open) -> None:
    turns = [question(k, f"Q{k}") if k % 2 else reply(k, TEXT) for k in range(1, 201)]
    transcript = opened(*turns)
    transcript.verticalScrollBar().setValue(0)
    drag(transcript, 0, 2)
    transcript.go_to_end()
    transcript.verticalScrollBar().setValue(0)
    assert len(transcript._selection.selected()) == 3


@pytest.mark.qt_log_ignore("not support raise", "grabbing the keyboard", extend=True)
def test_questions_are_listed_and_stepped_through(opened: Open) -> None:
    words = "\n\n".join("words" for _ in range(40))
    turns = [question(k, f"Question {k}") if k % 2 else reply(k, words) for k in range(1, 11)]
    transcript = opened(*turns)
    popup = transcript._jump_list.open()
    shown = [popup.questions.index(row).data() for row in range(popup.questions.rowCount())]
    assert shown == [f"Question {k}" for k in (1, 3, 5, 7, 9)]
    popup.list.clicked.emit(popup.questions.index(1))
    for step, turn in ((1, 5), (1, 7), (-1, 5), (-1, 3)):
        transcript.step_question(step)
        widget = transcript.turn_widget(turn)
        assert widget is not None
        assert widget.mapTo(transcript, QPoint(0, 0)).y() == 16


@pytest.mark.qt_log_ignore("not support raise", "grabbing the keyboard", extend=True)
def test_the_list_has_all_questions_of_a_long_chat_and_the_keyboard_reaches_each(
    opened: Open,
) -> None:
    turns = [question(k, f"Question {k}") if k % 2 else reply(k, "words") for k in range(1, 2001)]
    transcript = opened(*turns)
    popup = transcript._jump_list.open()
    assert popup.questions.rowCount() == 1000
    assert popup.list.currentIndex().data() == "Question 1999"
    QTest.keyClick(popup.list, Qt.Key.Key_Home)
    assert popup.list.currentIndex().data() == "Question 1"
    QTest.keyClick(popup.list, Qt.Key.Key_Return)
    assert transcript.turn_widget(1) is not None
    again = transcript._jump_list.open()
    QTest.keyClick(again.list, Qt.Key.Key_Escape)
    assert not again.isVisible()
