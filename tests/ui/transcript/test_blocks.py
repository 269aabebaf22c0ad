"""What can be done with code, tables and tool calls."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.ui.transcript import Transcript
from app.ui.transcript.code import CodeFrame
from app.ui.transcript.prose import Prose
from app.ui.transcript.reply_height import text_height
from app.ui.transcript.tables import TableView
from engine.contract import Channel
from tests.ui.transcript.conftest import Open, growing, question, reply

LONG = "```python\n" + "".join(f"x{k} = {k}\n" for k in range(200)) + "```\n\nend\n"


def the_frame(transcript: Transcript, turn: int = 2) -> CodeFrame:
    widget = transcript.turn_widget(turn)
    assert widget is not None
    (frame,) = widget.findChildren(CodeFrame)
    return frame


def test_a_long_block_comes_folded_and_what_was_chosen_stays(opened: Open) -> None:
    words = "\n\n".join("words" for _ in range(200))
    transcript = opened(question(1, "x"), reply(2, LONG + words))
    transcript.verticalScrollBar().setValue(0)
    frame, widget = the_frame(transcript), transcript.turn_widget(2)
    assert widget is not None
    folded = frame.height()
    assert frame.state.folded
    assert frame._all.text().strip() == "Show all 200 lines"
    assert frame.text.document().blockCount() < 40, "what is folded is not set"
    frame._all.click()
    assert frame.height() > 5 * folded
    assert frame._all.isHidden()
    transcript.go_to_end()
    assert widget.column.row(0) is None
    transcript.verticalScrollBar().setValue(0)
    again = widget.column.row(0)
    assert isinstance(again, CodeFrame)
    assert not again.state.folded
    again._fold.click()
    assert again.height() == folded


def test_the_place_of_long_code_is_kept_as_it_will_be_folded(opened: Open, qtbot: QtBot) -> None:
    code = "```python\n" + "value = compute(1)\n" * 2_000 + "```"
    text = f"Words before.\n\n{code}\n\nWords after.\n\n{code}"
    transcript = opened(question(1, "x"), reply(2, text))
    widget = transcript.turn_widget(2)
    assert widget is not None
    estimate = text_height(reply(2, text), transcript._turns.measure, 25)
    qtbot.waitUntil(lambda: len(widget.findChildren(CodeFrame)) == 2)
    assert 0.6 < estimate / widget.column.full_height() < 1.7


def test_an_opened_block_stays_open_when_its_turn_was_far_away(opened: Open) -> None:
    turns = [question(k, "x " * 900) for k in range(3, 40)]
    transcript = opened(question(1, "x"), reply(2, LONG), *turns)
    transcript.verticalScrollBar().setValue(0)
    the_frame(transcript)._all.click()
    transcript.go_to_end()
    assert transcript.turn_widget(2) is None
    transcript.verticalScrollBar().setValue(0)
    assert not the_frame(transcript).state.folded


def test_what_was_written_while_one_looked_on_does_not_fold(opened: Open) -> None:
    transcript = opened(question(1, "x"), growing(2))
    transcript.push_text(2, Channel.ANSWER, LONG)
    transcript.flush()
    assert not the_frame(transcript).state.folded
    transcript.change_turn(reply(2, LONG))
    assert not the_frame(transcript).state.folded


def test_long_code_is_set_in_slices_and_whole_at_the_end(opened: Open, qtbot: QtBot) -> None:
    lines = [f"def f_{k}(x): return x + {k}  # part" for k in range(1500)]
    code = "\n".join(lines)
    transcript = opened(question(1, "x"), reply(2, f"```python\n{code}\n```"))
    widget = transcript.turn_widget(2)
    assert widget is not None
    qtbot.waitUntil(lambda: len(widget.findChildren(CodeFrame)) == 1)  # read off the thread
    text = the_frame(transcript).text
    the_frame(transcript).unfold()
    assert text.document().blockCount() < 1500, "not all of it at once"
    tall = text.height()
    qtbot.waitUntil(lambda: text.is_settled, timeout=20_000)
    assert text.toPlainText() == code
    assert text.height() == tall, "its place was kept"
    last = text.document().lastBlock()
    spans = [last.text()[f.start : f.start + f.length] for f in last.layout().formats()]
    assert spans == ["def", "f_1499", "return", "1499", "# part"]


def test_a_selection_of_a_folded_block_is_one_of_all_its_lines(opened: Open) -> None:
    text = the_frame(opened(question(1, "x"), reply(2, LONG))).text
    text.selectAll()
    text.copy()
    assert QGuiApplication.clipboard().text() == "\n".join(f"x{k} = {k}" for k in range(200))


def test_a_place_in_folded_code_is_found_and_shown(opened: Open, qtbot: QtBot) -> None:
    transcript = opened(question(1, "x"), reply(2, LONG))
    transcript.show_words(2, "x190")
    qtbot.waitUntil(lambda: not the_frame(transcript).state.folded)
    marks = the_frame(transcript).text.extraSelections
    qtbot.waitUntil(lambda: [m.cursor.selectedText() for m in marks()] == ["x190"])


@pytest.mark.parametrize("line", ["x = " + "1234567, " * 5_000, "字" * 9_000])
def test_a_very_long_line_is_set_in_rows_and_copied_as_one(
    opened: Open, qtbot: QtBot, line: str
) -> None:
    code = f"before\n{line}\nafter"
    transcript = opened(question(1, "x"), reply(2, f"```python\n{code}\n```"))
    widget = transcript.turn_widget(2)
    assert widget is not None
    qtbot.waitUntil(lambda: len(widget.findChildren(CodeFrame)) == 1)
    text = the_frame(transcript).text
    qtbot.waitUntil(lambda: text.is_settled, timeout=20_000)
    assert max(len(row) for row in text.toPlainText().split("\n")) <= 2_000
    text.selectAll()
    text.copy()
    assert QGuiApplication.clipboard().text() == code


def test_a_very_long_paragraph_is_copied_as_one(opened: Open) -> None:
    words = "many words and more of them " * 500
    for turn in (question(2, words), reply(2, words)):
        widget = opened(question(1, "x"), turn).turn_widget(2)
        assert widget is not None
        texts = widget.findChildren(Prose)
        assert 1 < len(texts) < 10
        assert widget.plain_text().strip() == words.strip()


def test_of_a_long_table_the_parts_near_the_view_are_made(opened: Open, qtbot: QtBot) -> None:
    rows = "".join(f"| {k} | name {k} |\n" for k in range(600))
    transcript = opened(question(1, "x"), reply(2, "| a | b |\n|---|---|\n" + rows))
    widget = transcript.turn_widget(2)
    assert widget is not None
    qtbot.waitUntil(lambda: len(widget.findChildren(TableView)) == 1)
    (view,) = widget.findChildren(TableView)
    assert "name 599" in view.parts[-1].toPlainText()
    assert 1 <= len(view.parts) < 20
    tall = view.height()
    transcript.verticalScrollBar().setValue(0)
    assert "name 0" in view.parts[0].toPlainText()
    assert abs(view.height() - tall) < 40, "the estimate of what is far was close"
    transcript.show_words(2, "name 300")
    marks = lambda: [m.cursor.selectedText() for p in view.parts for m in p.extraSelections()]  # noqa: E731
    qtbot.waitUntil(lambda: marks() == ["name 300"])


def test_short_code_does_not_fold(opened: Open) -> None:
    widget = opened(question(1, "x"), reply(2, "```py\nx\n```")).turn_widget(2)
    assert widget is not None
    (frame,) = widget.findChildren(CodeFrame)
    assert frame._fold.isHidden()


def test_a_table_is_copied_in_three_forms(opened: Open) -> None:
    widget = opened(question(1, "x"), reply(2, "| a | b |\n|---|---|\n| 1 | 2 |\n")).turn_widget(2)
    assert widget is not None
    (view,) = widget.findChildren(TableView)
    copied = []
    for action in view.copy_menu().actions():
        action.trigger()
        copied.append(QGuiApplication.clipboard().text())
    assert copied == ["a\tb\n1\t2\n", "a,b\n1,2\n", "| a | b |\n| --- | --- |\n| 1 | 2 |\n"]


def test_a_tool_call_is_named(opened: Open) -> None:
    call = '{"name": "weather", "arguments": {"city": "Oslo"}}\n'
    widget = opened(question(1, "x"), reply(2, "", tool_calls=call)).turn_widget(2)
    assert widget is not None
    assert "Tool call: weather" in [label.text() for label in widget.findChildren(QLabel)]
