"""Find in chat: every place that can be read, counted, marked and shown."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.chat.attachment import Attachment
from app.store.turn_text import Where
from app.ui.attachments.preview import PreviewDialog
from app.ui.transcript import Transcript
from app.ui.transcript.prose import Prose
from app.ui.transcript.reply import ReplyTurn
from app.ui.transcript.rows import place_in_row
from app.ui.transcript.search import Hit
from engine.contract import Channel
from tests.ui.transcript.conftest import Open, growing, question, reply

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


THOUGHT = "\n\n".join(
    f"Step {k} of the thought, {'a needle' if k == 70 else 'hay'}." for k in range(90)
)


def test_a_hit_in_a_closed_thought_opens_it_and_its_line_is_in_view(opened: Open) -> None:
    filler = "\n\n".join(f"line {k}" for k in range(60))
    transcript = opened(
        question(1, "Q"), reply(2, filler, reasoning=THOUGHT), question(3, "Q"), reply(4, filler)
    )
    assert look_for(transcript, "needle") == [Hit(2, 70, 0, Where.THOUGHT)]
    widget = transcript.turn_widget(2)
    assert isinstance(widget, ReplyTurn)
    row = widget.open_thought().row(70)
    assert row is not None
    line = row.mapTo(transcript.viewport(), place_in_row(row, "needle", 0).topLeft()).y()
    assert 0 < line < transcript.viewport().height() * 2 // 3
    assert marks(transcript, 2) == 1


def test_a_thought_is_searched_before_the_answer_below_it(opened: Open) -> None:
    transcript = opened(question(1, "Q"), reply(2, "a hit", reasoning="one hit, two hit"))
    assert look_for(transcript, "hit") == [
        Hit(2, 0, 0, Where.THOUGHT),
        Hit(2, 0, 1, Where.THOUGHT),
        Hit(2, 0, 0),
    ]


def previews(transcript: Transcript) -> list[PreviewDialog]:
    return [each for each in transcript.window().findChildren(PreviewDialog) if each.isVisible()]


def test_a_hit_in_a_file_opens_its_preview_at_the_place_when_it_is_stepped_to(
    opened: Open, qtbot: QtBot
) -> None:
    text = "\n".join(f"clause {k}" if k not in (300, 400) else "the NEEDLE" for k in range(500))
    files = (Attachment("a.txt", "text", "hay"), Attachment("b.txt", "text", text))
    transcript = opened(question(1, "Q", attachments=files), reply(2, "no needle here"))
    hits = look_for(transcript, "needle")
    assert hits == [Hit(1, 1, 0, Where.FILE), Hit(2, 0, 0)]
    assert previews(transcript) == []  # typing goes on
    field = transcript._finder.bar.field
    qtbot.keyClick(field, Qt.Key.Key_Return)
    (preview,) = previews(transcript)
    assert transcript._finder.bar._count.text() == "1 of 2"
    assert preview.found.count.text() == "1 of 2"
    assert preview.text.textCursor().blockNumber() == 300
    assert preview.text.firstVisibleBlock().blockNumber() > 250
    assert len(preview.text.extraSelections()) == 2
    preview.found._on_after()
    assert preview.text.textCursor().blockNumber() == 400
    preview.close()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert transcript._finder.bar._count.text() == "2 of 2"


def test_a_hit_in_the_name_of_a_file_alone_is_said_so(opened: Open, qtbot: QtBot) -> None:
    transcript = opened(
        question(1, "Q", attachments=(Attachment("needle.txt", "text", "hay"),)), reply(2, "R")
    )
    look_for(transcript, "needle")
    qtbot.keyClick(transcript._finder.bar.field, Qt.Key.Key_Return)
    (preview,) = previews(transcript)
    assert preview.found.count.text() == "Only in the file’s name"
    preview.close()


def test_what_is_said_later_is_counted_and_the_shown_place_stays(opened: Open) -> None:
    transcript = opened(question(1, "deposit"), reply(2, "The deposit."))
    look_for(transcript, "deposit")
    transcript._finder.step(1)
    assert transcript._finder.bar._count.text() == "2 of 2"
    transcript.add_turn(question(3, "Which deposit?"))
    transcript.add_turn(growing(4))
    transcript.push_text(4, Channel.ANSWER, "A deposit, your deposit.")
    transcript.change_turn(reply(4, "A deposit, your deposit."))
    transcript._finder.search.finish()
    assert transcript._finder.bar._count.text() == "2 of 5"
    transcript.show_path([question(1, "deposit"), reply(5, "Nothing of it.")])
    transcript._finder.search.finish()
    assert transcript._finder.bar._count.text() == "1 of 1"


def test_in_another_chat_nothing_is_looked_for(opened: Open) -> None:
    transcript = opened(question(1, "deposit"), reply(2, "The deposit."))
    look_for(transcript, "deposit")
    transcript.show_path([question(7, "deposit elsewhere"), reply(8, "Words")])
    assert not transcript._finder.is_open
    assert marks(transcript, 7) == 0
    transcript.show_words(7, "deposit")
    transcript._finder.search.finish()
    assert transcript._finder.bar._count.text() == "1 of 1"
