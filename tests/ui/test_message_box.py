"""The message box: what sends, what does not, what is kept, how it grows."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.chat.attachment import Outgoing
from app.ui.look import Look
from app.ui.message_box import MessageBox


@dataclass
class Bench:
    """A box in a window, and what it sent."""

    window: QWidget
    box: MessageBox
    sent: list[str] = field(default_factory=list)


@pytest.fixture
def bench(look: Look, qtbot: QtBot) -> Bench:
    window = QWidget()
    window.resize(760, 800)
    column = QVBoxLayout(window)
    column.addStretch()
    box = MessageBox(look)
    column.addWidget(box)
    box.set_can_send(True)
    bench = Bench(window, box)
    box.sent.connect(bench.sent.append)
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    return bench


def compose(box: MessageBox, preedit: str, commit: str = "") -> None:
    event = QInputMethodEvent(preedit, [])
    if commit:
        event.setCommitString(commit)
    QApplication.sendEvent(box.field, event)


def test_enter_sends_and_empties_the_box(bench: Bench, qtbot: QtBot) -> None:
    box, sent = bench.box, bench.sent
    QTest.keyClicks(box.field, "hello")
    QTest.keyClick(box.field, Qt.Key.Key_Return)
    assert sent == ["hello"]
    assert box.text() == ""


def test_shift_enter_breaks_the_line(bench: Bench, qtbot: QtBot) -> None:
    box, sent = bench.box, bench.sent
    QTest.keyClicks(box.field, "a")
    QTest.keyClick(box.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(box.field, "b")
    assert (sent, box.text()) == ([], "a\nb")


def test_I1_enter_while_composing_commits_and_does_not_send(bench: Bench, qtbot: QtBot) -> None:
    """Some systems hand the input method's Enter to the field before the commit."""
    box, sent = bench.box, bench.sent
    compose(box, "pdf")
    QTest.keyClick(box.field, Qt.Key.Key_Return)
    assert sent == []
    compose(box, "", commit="pdf")
    assert (sent, box.text()) == ([], "pdf")


def test_I1_enter_that_comes_right_after_the_commit_does_not_send(
    bench: Bench, qtbot: QtBot
) -> None:
    """Others commit first, and deliver the same Enter afterwards in the same turn of the loop."""
    box, sent = bench.box, bench.sent
    compose(box, "pdf")
    compose(box, "", commit="pdf")
    QTest.keyClick(box.field, Qt.Key.Key_Return, delay=-1)
    assert (sent, box.text()) == ([], "pdf")
    qtbot.wait(1)
    QTest.keyClick(box.field, Qt.Key.Key_Return)
    assert sent == ["pdf"]


def test_I1_the_hint_makes_way_for_what_is_composed(bench: Bench) -> None:
    """Seen, not asked: Qt drew the letters over the hint."""
    field = bench.box.field
    field.setCursorWidth(0)
    field.setPlaceholderText("Ask anything, or drop a file here")
    hint = field.grab().toImage()
    compose(bench.box, "ni hao")
    composed = field.grab().toImage()
    field.setPlaceholderText("")
    assert composed == field.grab().toImage()
    compose(bench.box, "")
    field.setPlaceholderText("Ask anything, or drop a file here")
    assert field.grab().toImage() == hint


def test_text_committed_without_composing_is_sent_by_the_next_enter(
    bench: Bench, qtbot: QtBot
) -> None:
    box, sent = bench.box, bench.sent
    compose(box, "", commit="你好")
    QTest.keyClick(box.field, Qt.Key.Key_Return, delay=-1)
    assert sent == ["你好"]


def test_blank_text_is_not_sent(bench: Bench, qtbot: QtBot) -> None:
    box, sent = bench.box, bench.sent
    box.say("  \n ")
    QTest.keyClick(box.field, Qt.Key.Key_Return)
    assert sent == []


def test_without_a_model_the_text_stays(bench: Bench, qtbot: QtBot) -> None:
    box, sent = bench.box, bench.sent
    box.set_can_send(False)
    box.say("hello")
    with qtbot.waitSignal(box.refused, timeout=100):
        QTest.keyClick(box.field, Qt.Key.Key_Return)
    assert (sent, box.text()) == ([], "hello")


def test_the_square_stops_and_enter_queues_while_a_reply_runs(bench: Bench, qtbot: QtBot) -> None:
    box, sent = bench.box, bench.sent
    box.set_answering(True)
    box.say("next question")
    with qtbot.waitSignal(box.stop_requested, timeout=100):
        box._button.click()
    QTest.keyClick(box.field, Qt.Key.Key_Return)
    assert sent == ["next question"]
    assert box._button.accessibleName() == "Stop"
    box.set_answering(False)
    assert box._button.accessibleName() == "Send"


def test_waiting_messages_are_shown_and_can_be_taken_back(bench: Bench, qtbot: QtBot) -> None:
    box = bench.box
    box.queue.show_messages((Outgoing("first"), Outgoing("<b>second</b>")))
    assert box.queue.isVisible()
    with qtbot.waitSignal(box.queue.taken_back, timeout=100) as taken:
        back = [b for b in box.queue.findChildren(type(box._button)) if b.isVisible()]
        back[1].click()
    assert taken.args == [1]
    box.queue.show_messages(())
    assert not box.queue.isVisible()


def test_the_box_grows_with_its_text_to_two_fifths_of_the_window(
    bench: Bench, qtbot: QtBot
) -> None:
    box = bench.box
    one = box.field.height()
    box.say("a\nb\nc")
    assert box.field.height() > one
    box.say("line\n" * 200)
    assert box.field.height() <= round(box.window().height() * 0.4)
    box.say("")
    assert box.field.height() == one


def test_a_long_line_that_wraps_makes_the_box_higher(bench: Bench, qtbot: QtBot) -> None:
    box = bench.box
    one = box.field.height()
    box.say("a long line of words " * 20)
    qtbot.waitUntil(lambda: box.field.height() > one)


def test_rich_text_is_pasted_as_plain_text(bench: Bench, qtbot: QtBot) -> None:
    box = bench.box
    mime = QMimeData()
    mime.setHtml("<h1 style='color:red'>Title</h1>")
    mime.setText("Title")
    box.field.insertFromMimeData(mime)
    assert box.text() == "Title"


@pytest.mark.parametrize("lines", [300, 20_000])
def test_M31_a_key_in_pasted_code_changes_its_own_line_alone(bench: Bench, lines: int) -> None:
    """How long a key takes is tests/bench/message_box.py's; this is why it does not depend on it.

    Typed at the end, at the beginning and in between, after moves of the cursor, each key is one
    small change of the document, and what was pasted stays as it was.
    """
    box = bench.box
    pasted = "\n".join(f"    value_{i} = compute({i}, 'text')" for i in range(lines))
    mime = QMimeData()
    mime.setText(pasted)
    box.field.insertFromMimeData(mime)
    assert box.text() == pasted
    changes: list[int] = []
    box.field.document().contentsChange.connect(lambda at, gone, new: changes.append(gone + new))
    control = Qt.KeyboardModifier.ControlModifier
    for move, modifier, moved in (
        (Qt.Key.Key_End, control, "end"),
        (Qt.Key.Key_Home, control, "beginning"),
        (Qt.Key.Key_Down, Qt.KeyboardModifier.NoModifier, "second line"),
        (Qt.Key.Key_PageDown, Qt.KeyboardModifier.NoModifier, "page below"),
    ):
        QTest.keyClick(box.field, move, modifier)
        assert changes == [], f"moving to the {moved} changes nothing"
        QTest.keyClick(box.field, Qt.Key.Key_A)
        QApplication.processEvents()
        assert sum(changes) <= 2, f"a key at the {moved} changes one letter"
        changes.clear()
    assert box.text().replace("a", "") == pasted.replace("a", "")
    assert len(box.text()) == len(pasted) + 4


def test_the_ink_level_and_the_words_say_what_is_left(bench: Bench, qtbot: QtBot) -> None:
    box = bench.box
    assert box._level.accessibleName() == "Context: known once a model is loaded"
    box.show_context(8192)
    box.show_used(1746)
    assert box._left.text() == "6,446 tokens left"
    box.show_draft(1214)
    assert box._left.text() == "Draft 1,214 tokens · 5,232 left"
    assert "1,746 of 8,192" in box._level.accessibleName()
    box.show_used(7500)
    assert box._left.property("kind") == "caption-warning"


def test_the_border_shows_the_focus(bench: Bench, qtbot: QtBot) -> None:
    box = bench.box
    box.field.focus_changed.emit(True)
    assert box.property("active") is True
    box.field.focus_changed.emit(False)
    assert box.property("active") is False


def test_I1_a_composition_that_was_given_up_leaves_enter_free(bench: Bench, qtbot: QtBot) -> None:
    box, sent = bench.box, bench.sent
    QTest.keyClicks(box.field, "a")
    compose(box, "pdf")
    compose(box, "")
    QTest.keyClick(box.field, Qt.Key.Key_Return, delay=-1)
    assert sent == ["a"]


def test_I1_the_candidates_are_shown_at_the_cursor(bench: Bench, qtbot: QtBot) -> None:
    """The input method asks for the cursor's rectangle; it follows what is typed and composed."""
    field = bench.box.field
    query = Qt.InputMethodQuery.ImCursorRectangle
    places = [field.inputMethodQuery(query).topLeft()]
    QTest.keyClicks(field, "words")
    places.append(field.inputMethodQuery(query).topLeft())
    compose(bench.box, "zhong")
    places.append(field.inputMethodQuery(query).topLeft())
    assert places[0].x() < places[1].x() < places[2].x()
    field.insertPlainText("\nnext")
    assert field.inputMethodQuery(query).topLeft().y() > places[0].y()
    assert field.rect().contains(field.inputMethodQuery(query).toRect())


def test_up_in_an_empty_box_asks_for_the_last_message(bench: Bench, qtbot: QtBot) -> None:
    field = bench.box.field
    with qtbot.waitSignal(field.edit_last_requested, timeout=100):
        QTest.keyClick(field, Qt.Key.Key_Up)
    asked: list[int] = []
    field.edit_last_requested.connect(lambda: asked.append(1))
    QTest.keyClick(field, Qt.Key.Key_Up, Qt.KeyboardModifier.ShiftModifier)
    compose(bench.box, "pdf")
    QTest.keyClick(field, Qt.Key.Key_Up)
    compose(bench.box, "", commit="pdf")
    QTest.keyClick(field, Qt.Key.Key_Up)
    assert asked == []


def test_a_suggestion_can_be_undone(bench: Bench, qtbot: QtBot) -> None:
    box = bench.box
    QTest.keyClicks(box.field, "mine")
    box.propose("a suggestion")
    assert box.text() == "a suggestion"
    box.field.undo()
    assert box.text() == "mine"
    box.field.redo()
    assert box.text() == "a suggestion"
