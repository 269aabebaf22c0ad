"""A reply that grows: followed at the end, left alone elsewhere, exact when it is over."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QTextCursor, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat.activity import Activity
from app.chat.turn import TurnState
from app.rendering.reader import Reader
from app.ui.transcript import Transcript
from app.ui.transcript.code import CodeFrame
from app.ui.transcript.endings import Ending
from app.ui.transcript.prose import Prose
from app.ui.transcript.reply import ReplyTurn
from engine.contract import Channel
from tests.ui.transcript.conftest import FIGURES, Open, growing, question, reply

LONG = "\n\n".join(f"Paragraph {k} with some **words** and `code`." for k in range(60))


def push(transcript: Transcript, text: str, channel: Channel = Channel.ANSWER) -> None:
    transcript.push_text(2, channel, text)
    transcript.flush()


def the_reply(transcript: Transcript) -> ReplyTurn:
    widget = transcript.turn_widget(2)
    assert isinstance(widget, ReplyTurn)
    return widget


def wheel(transcript: Transcript, notches: int) -> None:
    delta = QPoint(0, 120 * notches)
    event = QWheelEvent(
        QPointF(300, 300),
        QPointF(300, 300),
        QPoint(),
        delta,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(transcript.viewport(), event)


def test_the_end_is_followed_while_the_reader_is_there(opened: Open) -> None:
    transcript = opened(question(1, "x"), growing(2))
    for piece in LONG.split("\n\n"):
        push(transcript, piece + "\n\n")
        bar = transcript.verticalScrollBar()
        assert bar.value() == bar.maximum()
    assert transcript.verticalScrollBar().maximum() > 500


def test_M36_one_notch_up_and_the_view_holds(opened: Open) -> None:
    transcript = opened(question(1, "x"), growing(2))
    push(transcript, LONG)
    wheel(transcript, 1)
    assert not transcript.is_at_end()
    widget = the_reply(transcript)
    top = widget.mapTo(transcript, QPoint(0, 0)).y()
    for k in range(20):
        push(transcript, f"\n\nMore {k}")
    assert widget.mapTo(transcript, QPoint(0, 0)).y() == top
    assert transcript._new_text.isVisible()
    transcript._new_text.click()
    assert transcript.is_at_end()
    assert not transcript._new_text.isVisible()


def test_M36_a_selection_holds_while_text_is_added(opened: Open) -> None:
    transcript = opened(question(1, "x"), growing(2))
    push(transcript, "First paragraph.\n\nThe second **grows**")
    first, second = the_reply(transcript).findChildren(Prose)
    for prose, (start, end) in ((first, (0, 5)), (second, (4, 16))):
        cursor = prose.textCursor()
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        prose.setTextCursor(cursor)
    push(transcript, " and grows, with `code` in it")
    assert first.textCursor().selectedText() == "First"
    assert second.textCursor().selectedText() == "second grows"


def test_closed_blocks_keep_their_widgets(opened: Open) -> None:
    transcript = opened(question(1, "x"), growing(2))
    push(transcript, "One.\n\nTwo.\n\n```py\nx = 1\n```\n\nFour.\n\n")
    column = the_reply(transcript).column
    before = [column.row(k) for k in range(3)]
    push(transcript, "Five.\n\n- six\n- seven\n\n| a |\n|---|\n| 1 |\n")
    transcript.change_turn(reply(2, "One.\n\nTwo.\n\n```py\nx = 1\n```\n\nFour.\n\nFive.\n\n- six"))
    assert [the_reply(transcript).column.row(k) for k in range(3)] == before


@pytest.mark.parametrize("size", [1, 7, 50])
def test_the_end_is_what_a_full_reading_gives(opened: Open, size: int) -> None:
    text = "# T\n\nSee [a].\n\n- x\n- y\n\n```py\nz\n```\n\n[a]: https://example.com\n"
    transcript = opened(question(1, "x"), growing(2))
    for start in range(0, len(text), size):
        push(transcript, text[start : start + size])
    transcript.change_turn(reply(2, text, figures=FIGURES))
    assert the_reply(transcript).column.blocks == Reader().read(text)


def test_M13_an_unclosed_fence_is_code_and_the_next_turn_is_not(opened: Open) -> None:
    cut = reply(2, "```python\nprint(1)", state=TurnState.STOPPED)
    transcript = opened(question(1, "x"), cut, question(3, "so"), reply(4, "Words"))
    assert len(the_reply(transcript).findChildren(CodeFrame)) == 1
    last = transcript.turn_widget(4)
    assert last is not None
    assert [p.toPlainText() for p in last.findChildren(Prose)] == ["Words"]


def test_the_thought_is_counted_and_stays_closed(opened: Open, language: object) -> None:
    transcript = opened(question(1, "x"), growing(2))
    push(transcript, "Let me see.", Channel.REASONING)
    widget = the_reply(transcript)
    assert widget._thought is not None
    assert widget._thought._line.accessibleName() == "Thinking for 1 s"
    push(transcript, "Yes.")
    assert widget._thought._line.accessibleName() == "Thought for 1 s"
    assert not widget._thought.is_open


def test_reading_the_question_shows_how_far_it_is(opened: Open) -> None:
    transcript = opened(question(1, "x"), growing(2))
    widget = the_reply(transcript)
    assert widget._waiting.widget is not None
    assert widget._waiting.widget.accessibleName() == "Reading the question…"
    transcript.show_prefill(2, 1436, 2708, 1204)
    assert "1,204 reused · 1,436 of 2,708 read" in widget._waiting.widget.accessibleName()
    push(transcript, "Yes")
    assert widget._waiting.widget is None


def test_a_reply_that_goes_on_says_that_it_reads_below_its_words(opened: Open) -> None:
    """Its ending, with the button that was pressed, is gone at once."""
    transcript = opened(question(1, "x"), reply(2, "Half a", state=TurnState.INTERRUPTED))
    widget = the_reply(transcript)
    assert len(widget.findChildren(Ending)) == 1
    transcript.show_activity(2, Activity.READING)
    assert widget._waiting.widget is None
    transcript.change_turn(growing(2, "Half a"))
    assert [each for each in widget.findChildren(Ending) if each.isVisible()] == []
    bar = widget._waiting.widget
    assert bar is not None
    assert bar.y() >= widget.column.y() + widget.column.full_height()
    transcript.show_prefill(2, 512, 6925, 0)
    assert "512 of 6,925 read" in bar.accessibleName()
    push(transcript, " word")
    assert widget._waiting.widget is None
    transcript.show_activity(2, Activity.WRITING)
    transcript.change_turn(reply(2, "Half a word", figures=FIGURES))
    assert widget._waiting.widget is None


def test_a_chat_that_is_opened_while_it_writes_says_nothing_of_reading(opened: Open) -> None:
    widget = the_reply(opened(question(1, "x"), growing(2, "Words so far")))
    assert widget._waiting.widget is None


def test_the_caret_stands_behind_the_last_glyph(opened: Open) -> None:
    transcript = opened(question(1, "x"), growing(2))
    push(transcript, "Some words")
    column = the_reply(transcript).column
    bar = column._caret_bar
    assert bar.isVisible()
    assert 60 < bar.x() < 120
    transcript.change_turn(reply(2, "Some words"))
    assert not bar.isVisible()


def test_text_is_laid_out_thirty_times_a_second_at_most(
    opened: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript = opened(question(1, "x"), growing(2))
    laid_out: list[float] = []
    monkeypatch.setattr(ReplyTurn, "follow", lambda self: laid_out.append(time.perf_counter()))
    start = time.perf_counter()
    while time.perf_counter() - start < 0.5:
        transcript.push_text(2, Channel.ANSWER, "word ")
        qtbot.wait(1)
    elapsed = time.perf_counter() - start
    assert 1 <= len(laid_out) <= elapsed / 0.033 + 1


def test_code_that_grows_keeps_its_colours_and_its_selection(opened: Open) -> None:
    transcript = opened(question(1, "x"), growing(2))
    push(transcript, "```python\nimport os\n")
    (frame,) = the_reply(transcript).findChildren(CodeFrame)
    cursor = frame.text.textCursor()
    cursor.setPosition(0)
    cursor.setPosition(6, QTextCursor.MoveMode.KeepAnchor)
    frame.text.setTextCursor(cursor)
    push(transcript, "def f():\n    return 1\n")
    assert frame.text.textCursor().selectedText() == "import"
    spans = frame.text.document().firstBlock().layout().formats()
    assert spans[0].length == 6
    assert frame.text.text == "import os\ndef f():\n    return 1"


def test_a_stream_out_of_view_costs_no_widgets(opened: Open) -> None:
    turns = [question(1, "x"), growing(2)]
    transcript = opened(*turns)
    push(transcript, LONG)
    transcript.verticalScrollBar().setValue(0)
    before = len(the_reply(transcript).findChildren(Prose))
    push(transcript, "\n\n" + LONG)
    assert len(the_reply(transcript).findChildren(Prose)) == before


def rounds(count: int) -> str:
    """Return rounds of forty lines of code and a wide table."""
    table = "| " + " | ".join(f"column {k}" for k in range(12)) + " |\n" + "|---" * 12 + "|\n"
    table += "".join(f"| {' | '.join(f'cell {r} {k}' for k in range(12))} |\n" for r in range(6))
    code = "".join(f"    value_{k} = compute({k})\n" for k in range(40))
    return "".join(f"Round {n}\n\n```python\n{code}```\n\n{table}\n" for n in range(count))


def count_sets(transcript: Transcript, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the blocks that each frame of the reply sets: the work that a frame does."""
    column, counted = the_reply(transcript).column, list[int]()
    set_blocks = column.set_blocks

    def counting(blocks: list[object], first: int = 0) -> None:
        counted.append(len(blocks) - first)
        set_blocks(blocks, first)  # type: ignore[arg-type]

    monkeypatch.setattr(column, "set_blocks", counting)
    return counted


def test_M32_code_and_wide_tables_in_small_chunks_touch_the_tail_alone(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript, text = opened(question(1, "x"), growing(2)), rounds(8)
    counted = count_sets(transcript, monkeypatch)
    for at in range(0, len(text), 50):
        push(transcript, text[at : at + 50])
    assert max(counted) <= 3, "a frame sets the tail, not what was closed"
    assert the_reply(transcript).column.blocks == Reader().read(text)


def test_M33_a_reply_of_thousands_of_lines_keeps_few_widgets_and_touches_its_tail(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The figures of frames and memory are tests/bench/transcript_streaming.py's."""
    transcript = opened(question(1, "x"), growing(2))
    lines = [f"Line {n} of a long reply." for n in range(2500)]
    counted = count_sets(transcript, monkeypatch)
    living = []
    for at in range(0, len(lines), 25):
        push(transcript, "\n\n".join(lines[at : at + 25]) + "\n\n")
        living.append(sum(1 for _ in the_reply(transcript).column.living()))
    assert max(counted) <= 27
    assert max(living) < 400, "what is far above the view is let go"
    assert max(living[50:]) <= max(living[10:50]) + 5, "no more of them in the second half"
    assert len(the_reply(transcript).column.blocks) == 2500


def test_M33_a_chat_of_fifty_turns_with_code_keeps_few_widgets(opened: Open) -> None:
    turns = [question(n, f"Q {n}") if n % 2 else reply(n, rounds(1)) for n in range(1, 51)]
    transcript = opened(*turns)
    bar, most = transcript.verticalScrollBar(), 0
    for step in range(12):
        bar.setValue(bar.maximum() * step // 11)
        most = max(most, sum(transcript.turn_widget(n) is not None for n in range(1, 51)))
    assert 2 <= most <= 25
