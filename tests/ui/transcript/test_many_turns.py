"""Long chats: only what is near the view is alive, and what is read stays where it is."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.rendering.reader import Reader
from app.ui.transcript import Transcript
from app.ui.transcript.column import Column, Place
from app.ui.transcript.turn_widget import TurnWidget
from tests.ui.transcript.conftest import Open, question, reply

TEXT = (
    "Words of a reply, long enough for two lines at this width of the reading column.\n\n- a\n- b"
)


def many(count: int) -> list[object]:
    return [
        question(k, f"Question {k}") if k % 2 else reply(k, f"Reply {k}. {TEXT}")
        for k in range(1, count + 1)
    ]


def alive(transcript: Transcript) -> int:
    return sum(1 for w in transcript.findChildren(TurnWidget) if not w.isHidden())


def test_only_near_turns_are_alive(opened: Open) -> None:
    transcript = opened(*many(2000))
    assert alive(transcript) < 30
    bar = transcript.verticalScrollBar()
    assert bar.value() == bar.maximum()
    for value in range(bar.maximum(), 0, -bar.maximum() // 40):
        bar.setValue(value)
        QApplication.sendPostedEvents(None, 52)  # deferred deletions
    assert alive(transcript) < 80


def test_what_is_read_does_not_jump_when_heights_become_known(opened: Open) -> None:
    transcript = opened(*many(400))
    bar = transcript.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    for _ in range(30):
        anchor = transcript.anchor()
        assert anchor is not None
        widget = transcript.turn_widget(anchor.turn)
        assert widget is not None
        row = widget.column.row(anchor.block)
        assert row is not None
        before = row.mapTo(transcript, QPoint(0, 0)).y()
        bar.setValue(bar.value() - 60)
        assert row.mapTo(transcript, QPoint(0, 0)).y() == before + 60


def test_a_long_block_that_comes_at_the_end_is_made_once(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Place] = []
    make = Column._make

    def counted(column: Column, place: Place) -> None:
        made.append(place)
        make(column, place)

    monkeypatch.setattr(Column, "_make", counted)
    transcript = opened(*many(2))
    made.clear()
    lines = "\n".join(f"x = f({number})" for number in range(400))
    transcript.add_turn(reply(3, f"```python\n{lines}\n```"))
    assert len(made) == 1


def test_a_resize_keeps_the_place(opened: Open) -> None:
    transcript = opened(*many(200))
    transcript.verticalScrollBar().setValue(5000)
    before = transcript.anchor()
    transcript.resize(600, 500)
    after = transcript.anchor()
    assert before is not None
    assert after is not None
    assert (before.turn, before.block) == (after.turn, after.block)


def test_a_turn_can_be_brought_up_from_anywhere(opened: Open) -> None:
    transcript = opened(*many(2000))
    transcript.bring_up(777)
    anchor = transcript.anchor()
    assert anchor is not None
    assert anchor.turn in {776, 777}
    widget = transcript.turn_widget(777)
    assert widget is not None
    assert 0 <= widget.mapTo(transcript, QPoint(0, 0)).y() < 40


def test_showing_a_version_keeps_the_turns_before_it(opened: Open) -> None:
    turns = many(10)
    transcript = opened(*turns)
    kept = [transcript.turn_widget(k) for k in range(5, 9)]
    transcript.show_path([*turns[:8], question(20, "Another"), reply(21, "Else")])
    assert [transcript.turn_widget(k) for k in range(5, 9)] == kept
    assert transcript.turn_widget(9) is None


def test_another_chat_opens_at_its_end(opened: Open) -> None:
    transcript = opened(*many(100))
    transcript.verticalScrollBar().setValue(0)
    transcript.show_path([question(k, f"Other {k}") for k in range(1000, 1100)])
    assert transcript.is_at_end()
    assert transcript.turn_widget(1099) is not None


def test_a_long_reply_is_read_off_the_window_s_thread_in_a_place_that_is_kept(
    opened: Open, qtbot: QtBot
) -> None:
    long = "\n\n".join(f"Paragraph {k} of a long reply, with **bold** words." for k in range(800))
    transcript = opened(question(1, "Hi"), reply(2, long))
    widget = transcript.turn_widget(2)
    assert widget is not None
    assert widget.column.blocks == []
    kept = widget.height()
    qtbot.waitUntil(lambda: len(widget.column.blocks) == 800)
    assert 0.5 < widget.height() / kept < 2
    bar = transcript.verticalScrollBar()
    assert bar.value() == bar.maximum()
    assert widget.column.blocks == Reader().read(long)


def test_a_place_in_a_long_reply_is_found_and_shown(opened: Open, qtbot: QtBot) -> None:
    words = [f"Paragraph {k} of a long reply." for k in range(1000)]
    words[700] = "Here stands the needle."
    transcript = opened(question(1, "Hi"), reply(2, "\n\n".join(words)))
    transcript.show_words(2, "needle")
    widget = transcript.turn_widget(2)
    assert widget is not None
    qtbot.waitUntil(lambda: len(widget.column.blocks) == 1000)
    qtbot.waitUntil(lambda: widget.column.row(700) is not None)
    row = widget.column.row(700)
    assert row is not None
    place = row.mapTo(transcript, QPoint(0, 0)).y()
    assert 0 < place < transcript.height()


def test_a_long_reply_is_copied_whole_before_it_was_read(opened: Open) -> None:
    long = "\n\n".join(f"Paragraph {k} of a *long* reply." for k in range(800))
    transcript = opened(question(1, "Hi"), reply(2, long))
    widget = transcript.turn_widget(2)
    assert widget is not None
    assert widget.plain_text() == long.replace("*", "")
