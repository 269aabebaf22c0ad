"""Words across the seams of what is set in pieces are found, counted, marked and shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from app.rendering.reader import Reader
from app.ui.transcript.code_rows import CodeRows
from app.ui.transcript.code_text import CodeText
from app.ui.transcript.prose import Prose
from app.ui.transcript.rows import place_in_row
from app.ui.transcript.seams import across
from tests.ui.transcript.conftest import Open, question, reply
from tests.ui.transcript.test_find import look_for


@pytest.mark.parametrize(
    ("before", "after", "words", "parts"),
    [
        ("one sea", "m two", "seam", (3, 1)),
        ("one ", "two", "one two", (4, 3)),
        ("一句很长的", "话", "长的话", (2, 1)),
        ("one", "two", "one", (0, 0)),
        ("one", "two", "two", (0, 0)),
        ("aa", "aa", "aa", (0, 0)),
        ("aaa", "aa", "aa", (1, 1)),
        ("", "x", "x", (0, 0)),
        ("x", "", "xy", (0, 0)),
        ("x", "y", "", (0, 0)),
    ],
)
def test_what_stands_across_a_seam(
    before: str, after: str, words: str, parts: tuple[int, int]
) -> None:
    assert across(before, after, words) == parts


@given(
    st.text("ab", max_size=20), st.text("ab", max_size=20), st.text("ab", min_size=1, max_size=4)
)
def test_across_a_seam_stand_all_of_the_words_or_nothing(a: str, b: str, words: str) -> None:
    tail, head = across(a, b, words)
    if tail:
        assert a[len(a) - tail :] + b[:head] == words
        assert head > 0
    elif words in a + b and words not in a and words not in b:
        pytest.fail("it stands nowhere else")


@pytest.mark.parametrize("letter", ["x", "汉"])
def test_words_across_pieces_of_a_paragraph_are_found(
    opened: Open, qtbot: QtBot, letter: str
) -> None:
    text = letter * 20_000
    pieces = Reader().read(text)
    assert len(pieces) > 2
    first = len(pieces[0].inlines[0].text)  # type: ignore[union-attr]
    marked = text[: first - 2] + "seam" + text[first + 2 :]
    transcript = opened(question(1, "Q"), reply(2, marked))
    (hit,) = look_for(transcript, "SEAM")
    assert (hit.turn, hit.block, hit.nth) == (2, 0, 0)
    widget = transcript.turn_widget(2)
    assert widget is not None
    qtbot.waitUntil(lambda: widget.column.row(1) is not None, timeout=10_000)
    above, below = widget.column.row(0), widget.column.row(1)
    assert isinstance(above, Prose)
    assert isinstance(below, Prose)
    shown = [each.cursor.selectedText() for p in (above, below) for each in p.extraSelections()]
    assert shown == ["se", "am"]
    assert place_in_row(above, "seam", 0).bottom() > above.height() - 40, "on its last line"


def test_words_across_rows_of_a_long_line_of_code_are_found(opened: Open, qtbot: QtBot) -> None:
    line = "x" * 1_998 + "seam" + "x" * 3_000 + "seam"
    transcript = opened(question(1, "Q"), reply(2, f"```\n{line}\n```"))
    hits = look_for(transcript, "seam")
    assert [(hit.block, hit.nth) for hit in hits] == [(0, 0), (0, 1)]
    widget = transcript.turn_widget(2)
    assert widget is not None
    (code,) = widget.findChildren(CodeText)
    qtbot.waitUntil(lambda: len(code.extraSelections()) == 2, timeout=10_000)
    words = [each.cursor.selectedText().replace("\u2029", "") for each in code.extraSelections()]
    assert words == ["seam", "seam"]
    assert code.place_of("seam", 1).top() > code.place_of("seam", 0).top()


def test_rows_count_what_they_show() -> None:
    rows = CodeRows()
    rows.append("ab" * 1_500 + "\nab")
    assert rows.count("ab") == 1_501
    assert rows.count("ba") == 1_499
    assert rows.count("") == 0
