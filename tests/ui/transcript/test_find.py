"""Find in chat: every place that can be read, counted, marked and shown."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.ui.transcript import Transcript
from app.ui.transcript.prose import Prose
from app.ui.transcript.search import Hit
from tests.ui.transcript.conftest import Open, question, reply

TEXT = """The **deposit** is due.

| Deposit | b |
|---|---|
| x | deposit |

```py
deposit = 1
```
"""


def look_for(transcript: Transcript, words: str) -> list[Hit]:
    transcript.open_find()
    transcript._finder.bar.field.setText(words)
    transcript._finder.search.finish()
    return transcript._finder.search.hits


def marks(transcript: Transcript, turn: int) -> int:
    widget = transcript.turn_widget(turn)
    assert widget is not None
    texts = [text for text in widget.findChildren(Prose) if text.isVisible()]
    return sum(len(text.extraSelections()) for text in texts)


def test_hits_are_found_in_every_kind_of_block_whatever_their_case(opened: Open) -> None:
    transcript = opened(question(1, "Which DEPOSIT?"), reply(2, TEXT))
    hits = look_for(transcript, "deposit")
    assert hits == [Hit(1, 0, 0), Hit(2, 0, 0), Hit(2, 1, 0), Hit(2, 1, 1), Hit(2, 2, 0)]
    assert transcript._finder.bar._count.text() == "1 of 5"
    assert marks(transcript, 1) == 1
    assert marks(transcript, 2) == 1


def test_chinese_words_are_found(opened: Open) -> None:
    transcript = opened(question(1, "押金多少？"), reply(2, "**押金**是 800 元。"))
    assert len(look_for(transcript, "押金")) == 2


def test_a_hit_far_away_is_brought_into_view(opened: Open, qtbot: QtBot) -> None:
    turns = [
        question(k, f"Q{k}") if k % 2 else reply(k, f"Words {k}.\n\nMore") for k in range(1, 401)
    ]
    transcript = opened(*turns)
    look_for(transcript, "Words 200.")
    widget = transcript.turn_widget(200)
    assert widget is not None
    assert 0 < widget.mapTo(transcript, QPoint(0, 0)).y() < transcript.height()
    assert not transcript.is_at_end()


def test_steps_go_round_and_escape_closes(opened: Open, qtbot: QtBot) -> None:
    transcript = opened(question(1, "a a"), reply(2, "a"))
    look_for(transcript, "a")
    bar = transcript._finder.bar
    for expected in ("2 of 3", "3 of 3", "1 of 3"):
        qtbot.keyClick(bar.field, Qt.Key.Key_Return)
        assert bar._count.text() == expected
    qtbot.keyClick(bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert bar._count.text() == "3 of 3"
    qtbot.keyClick(bar.field, Qt.Key.Key_Escape)
    assert bar.isHidden()
    assert marks(transcript, 1) == 0


def test_nothing_found_is_said(opened: Open) -> None:
    transcript = opened(question(1, "a"), reply(2, "b"))
    assert look_for(transcript, "zebra") == []
    assert transcript._finder.bar._count.text() == "Not found"
