"""Tables and tool calls as text for other programs."""

from __future__ import annotations

from app.rendering.blocks import Code, Table
from app.rendering.reader import Reader
from app.rendering.table_text import csv_text, markdown_text, tsv_text
from app.rendering.tool_calls import call_blocks

SOURCE = '| a, b | **n** |\n| :-- | --: |\n| x<br>y | "1" |\n| p \\| q | 2 |\n'


def the_table(text: str) -> Table:
    (table,) = Reader().read(text)
    assert isinstance(table, Table)
    return table


def test_csv_quotes_what_needs_it() -> None:
    assert csv_text(the_table(SOURCE)) == '"a, b",n\n"x\ny","""1"""\np | q,2\n'


def test_tsv_keeps_a_row_on_its_line() -> None:
    assert tsv_text(the_table(SOURCE)) == 'a, b\tn\nx y\t"1"\np | q\t2\n'


def test_markdown_reads_back_as_the_same_cells() -> None:
    table = the_table(SOURCE)
    again = the_table(markdown_text(table))
    assert tsv_text(again) == tsv_text(table)
    assert again.align == table.align


def test_a_tool_call_is_a_card_and_anything_else_is_shown_as_it_is() -> None:
    calls = '{"name": "weather", "arguments": {"city": "北京"}}\n{"name": "we'
    card, rest = call_blocks(calls)
    assert card == Code('{\n  "city": "北京"\n}', "json", calls="weather")
    assert rest == Code('{"name": "we', "json")
    said = call_blocks('{"name": "say", "arguments": {"text": "a\u2028b"}}')
    assert said == [Code('{\n  "text": "a\u2028b"\n}', "json", calls="say")]
    assert call_blocks('[1]\n{"name": 3}\n\n') == [Code("[1]", "json"), Code('{"name": 3}', "json")]
