"""The text shown equals the text stored, whatever its characters: Qt counts UTF-16, Python not."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QTextEdit
from pytestqt.qtbot import QtBot

from app.rendering.blocks import Inline, Style, Text
from app.ui.transcript.code_text import CodeText
from app.ui.transcript.paper import READING, Paper
from app.ui.transcript.prose import Prose
from app.ui.transcript.selected_text import selected_text
from app.ui.transcript.still_text import StillText
from app.ui.transcript.utf16 import settable, utf16_length, utf16_slice
from tests.ui.transcript.conftest import Open, question, reply

OBJECT, PAD = "\ufffc", "\u00a0"

# one unit, two units, several code points to a glyph, and what a document takes for itself
CHARACTERS = "ab é漢\n😸𝒳👩‍👧🇳🇴e\u0301\u200f\u2028\u2029\ufeff\ufffe\ufdd0"
WORDS = st.text(st.sampled_from(CHARACTERS), max_size=6)


@st.composite
def paragraphs(draw: st.DrawFn) -> tuple[Inline, ...]:
    styles = st.sampled_from([Style.PLAIN, Style.BOLD, Style.CODE])
    links = st.sampled_from(["", "https://x.y"])
    return tuple(
        Text(*draw(st.tuples(WORDS, styles, links))) for _ in range(draw(st.integers(0, 4)))
    )


@pytest.fixture
def paper(opened: Open) -> Paper:
    return opened(question(1, "x"))._paper


def shown(text: QTextEdit) -> str:
    """The characters as the document holds them; ``toPlainText`` makes spaces of paddings."""
    return text.document().toRawText().replace("\u2029", "\n")


def as_read(inlines: tuple[Inline, ...]) -> str:
    texts = [each for each in inlines if isinstance(each, Text)]
    padded = (PAD + t.text + PAD if t.style & Style.CODE else t.text for t in texts)
    return settable("".join(padded).replace("\n", "\u2028"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(states=st.lists(paragraphs(), min_size=2, max_size=5))
def test_a_paragraph_shows_its_text_through_every_change(
    paper: Paper, qtbot: QtBot, states: list[tuple[Inline, ...]]
) -> None:
    prose = Prose(paper, READING, paper.selection._page.viewport())
    for inlines in states:
        prose.show_inlines(inlines)
        assert shown(prose) == as_read(inlines)
        cursor = prose.textCursor()
        for start, end in prose._links():
            cursor.setPosition(start)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            assert cursor.selectedText() in as_read(inlines)
            assert end == start or cursor.charFormat().isAnchor()
    prose.deleteLater()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(chunks=st.lists(WORDS, min_size=1, max_size=6))
def test_code_shows_its_text_while_it_grows(paper: Paper, chunks: list[str]) -> None:
    code = CodeText(paper, "python", paper.selection._page.viewport())
    for text in itertools.accumulate(chunks):
        code.show_code(text, closed=False)
        assert shown(code) == "\n".join(settable(line) for line in text.split("\n"))
    code.deleteLater()


@given(text=WORDS, start=st.integers(0, 6), more=st.integers(0, 6))
def test_lengths_and_slices_agree_on_whole_characters(text: str, start: int, more: int) -> None:
    before, inside = text[:start], text[start : start + more]
    first = utf16_length(before)
    assert utf16_slice(text, first, first + utf16_length(inside)) == inside


def proses(opened: Open, text: str) -> Iterator[Prose]:
    widget = opened(question(1, "x"), reply(2, text)).turn_widget(2)
    assert widget is not None
    yield from widget.findChildren(Prose)


# ziamath reads its font by a deprecated function when it is imported
@pytest.mark.filterwarnings("ignore:path is deprecated")
@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("😸😸 hello $x^2$ world", f"😸😸 hello {OBJECT} world"),
        ("- 😀😀 item $y$ z", f"😀😀 item {OBJECT} z"),
        ("😀 `c` 𝒳 $y$ **z** $y$ 😀.", f"😀 {PAD}c{PAD} 𝒳 {OBJECT} z {OBJECT} 😀."),
    ],
)
def test_no_word_is_lost_when_a_formula_is_drawn_behind_emoji(
    opened: Open, qtbot: QtBot, text: str, drawn: str
) -> None:
    (prose,) = proses(opened, text)
    qtbot.waitUntil(lambda: OBJECT in prose.toPlainText(), timeout=15_000)
    assert shown(prose) == drawn


def test_tab_selects_a_link_behind_emoji(opened: Open) -> None:
    (prose,) = proses(opened, "😀😀 see [the **𝒳** page](https://x.y) now")
    ends = prose._links()
    cursor = prose.textCursor()
    cursor.setPosition(ends[0][0])
    cursor.setPosition(ends[-1][1], QTextCursor.MoveMode.KeepAnchor)
    assert cursor.selectedText() == "the 𝒳 page"


def copied(text: StillText, words: str) -> str:
    cursor = text.document().find(words)
    assert not cursor.isNull()
    return selected_text(cursor)


def test_what_is_selected_behind_emoji_is_what_is_copied(opened: Open) -> None:
    (prose,) = proses(opened, "😀😀 hello **bold 😀 and** world")
    for words in ("hello", "😀 and", "world", "😀 hello bold"):
        assert copied(prose, words) == words


def test_words_behind_emoji_are_marked_where_they_stand(opened: Open) -> None:
    (prose,) = proses(opened, "😀 deposit 😀😀 Deposit 𝒳")
    assert prose.mark("deposit", 1) == 2
    marked = [mark.cursor.selectedText() for mark in prose.extraSelections()]
    assert marked == ["deposit", "Deposit"]


@pytest.mark.parametrize("closed", [False, True])
def test_colours_behind_emoji_stand_on_their_tokens(paper: Paper, closed: bool) -> None:
    code = CodeText(paper, "python", paper.selection._page.viewport())
    code.show_code('x = "😀😀"; return 1 # 😀 note', closed=closed)
    line = code.document().firstBlock()
    spans = [(each.start, each.start + each.length) for each in line.layout().formats()]
    coloured = [utf16_slice(line.text(), start, end) for start, end in spans]
    assert coloured == ['"😀😀"', "return", "1", "# 😀 note"]
    code.deleteLater()
