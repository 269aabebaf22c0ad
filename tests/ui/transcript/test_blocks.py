"""What can be done with code, tables and tool calls."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel

from app.ui.transcript.code import CodeFrame
from app.ui.transcript.tables import TableView
from tests.ui.transcript.conftest import Open, question, reply

LONG = "```python\n" + "".join(f"x{k} = {k}\n" for k in range(200)) + "```\n\nend\n"


def test_a_long_block_folds_and_stays_folded_out_of_view(opened: Open) -> None:
    words = "\n\n".join("words" for _ in range(200))
    transcript = opened(question(1, "x"), reply(2, LONG + words))
    transcript.verticalScrollBar().setValue(0)
    widget = transcript.turn_widget(2)
    assert widget is not None
    (frame,) = widget.findChildren(CodeFrame)
    before = frame.height()
    frame._fold.click()
    assert frame.height() < before / 4
    transcript.go_to_end()
    assert widget.column.row(0) is None
    transcript.verticalScrollBar().setValue(0)
    again = widget.column.row(0)
    assert isinstance(again, CodeFrame)
    assert again.state.folded


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
