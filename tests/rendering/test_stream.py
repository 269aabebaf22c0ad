"""A growing text ends in the same blocks, however it was cut into chunks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from app.rendering.blocks import Code, Paragraph, Table, block_text
from app.rendering.reader import Reader
from app.rendering.stream import BlockStream
from tests.rendering.test_reader import M9

READER = Reader()

# pieces that begin, continue, interrupt and end every kind of block
FRAGMENTS = [
    "# H\n",
    "para one\n",
    "\n",
    "- a\n",
    "- b\n\n",
    "  - nested\n",
    "1. x\n",
    "2. y\n",
    "10) ten\n",
    "> quote\n",
    "> - in\n",
    "```py\ncode\n```\n",
    "```\nraw\n",
    "```\n",
    "````md\n",
    M9,
    "| a | b |\n",
    "|---|--:|\n",
    "| 1 | 2 |\n",
    "a | b\n",
    "| h | i |\n|---|---|\n" + "| x | **y** |\n" * 11,
    "| only one cell\n",
    "-|-\n",
    "---\n",
    "===\n",
    "$$\nx\n$$\n",
    "$$\ny\n- z\n",
    "\\begin{align}\nx\n\\end{align}\n",
    "\\begin{align}\n- z\n",
    "\\[\na\n\\]\n",
    "[a]: https://x.y\n",
    "[b]:\n",
    "noted[^1]\n",
    "[^1]: a note\n",
    "[^2]: another\n\n    with more\n",
    "'title'\n",
    "see [t][a] and ![i][a]\n",
    "    indented\n",
    "\tcode\n",
    "* * *\n",
    "#tag\n",
    "#\n",
    "~~~\nt\n~~~\n",
    "text \r\nwith both\r",
    "**b** `c`",
    "-\n",
    "- - x\n",
    "- [ ] t\n",
    "1.\n",
]
# words, and what may turn them into something else
WORDS = [
    "Plain words, and more of them.",
    " That go on: (so) ",
    "1. ",
    "**",
    "芽越嫩，水越凉。",
    "\n\n",
]
WORDS += [
    "\n",
    "> ",
    "- item\n",
    "`",
    "_",
    "http://",
    "a.b",
    "[a]",
    "# ",
    "==",
    "  ",
    "[a]: /b\n",
    "<br>",
]


@st.composite
def chunked(draw: st.DrawFn, fragments: Sequence[str] = FRAGMENTS) -> list[str]:
    text = "".join(draw(st.lists(st.sampled_from(fragments), min_size=1, max_size=12)))
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=30)))
    edges = [0, *cuts, len(text)]
    return [text[a:b] for a, b in pairwise(edges)]


@settings(max_examples=200, deadline=None)
@given(chunked(WORDS))
def test_what_is_shown_while_it_grows_does_not_depend_on_how_it_came(chunks: list[str]) -> None:
    piecemeal = BlockStream(READER)
    for end, chunk in enumerate(chunks, 1):
        piecemeal.push(chunk)
        piecemeal.update()
        at_once = BlockStream(READER)
        at_once.push("".join(chunks[:end]))
        at_once.update()
        assert piecemeal.blocks == at_once.blocks


@settings(max_examples=200, deadline=None)
@given(chunked())
def test_any_chunking_ends_in_what_a_full_reading_gives(chunks: list[str]) -> None:
    stream = BlockStream(READER)
    for chunk in chunks:
        stream.push(chunk)
        stream.update()
    frozen = stream.blocks[: stream.closed]
    text = "".join(chunks)
    stream.finish()
    assert stream.blocks == READER.read(text)
    if "]:" not in text and "```markdown" not in text and "````md" not in text:
        assert stream.blocks[: len(frozen)] == frozen, "a frozen block changed"


def streamed(text: str, size: int = 1) -> BlockStream:
    stream = BlockStream(READER)
    for start in range(0, len(text), size):
        stream.push(text[start : start + size])
        stream.update()
    return stream


def test_M9_nested_fences_are_one_block_on_the_way_too() -> None:
    assert [type(b) for b in streamed(M9).blocks] == [Code]


def test_the_beginning_of_a_closing_fence_is_not_shown() -> None:
    stream = streamed("```py\nx = 1\n``")
    assert block_text(stream.blocks[-1]) == "x = 1"


def test_M13_an_unclosed_fence_keeps_all_its_text() -> None:
    stream = streamed("words\n\n```py\nx = 1\n``")
    stream.finish()
    assert stream.blocks[-1] == Code("x = 1\n``", "py", closed=False, lines=(2, 5))


def test_long_lists_freeze_item_by_item() -> None:
    stream = streamed("".join(f"{i}. item\n" for i in range(1, 101)), size=7)
    assert stream.closed >= 97
    assert len(stream.blocks) == 100


def test_paragraphs_freeze_when_the_next_is_certain() -> None:
    stream = streamed("one\n\ntwo\n\nthree")
    assert stream.closed == 1
    assert all(isinstance(b, Paragraph) for b in stream.blocks)


def test_of_a_long_table_only_new_rows_are_read() -> None:
    sizes: list[int] = []

    class Measuring(Reader):
        def read_from(self, text: str, *args: object, **kwargs: object) -> object:  # type: ignore[override]
            sizes.append(len(text))
            return super().read_from(text, *args, **kwargs)  # type: ignore[arg-type]

    stream = BlockStream(Measuring())
    stream.push("| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 12)
    stream.update()
    sizes.clear()
    for _ in range(50):
        stream.push("| 3 | 4 |\n| 5")
        stream.update()
        stream.push(" | 6 |\n")
        stream.update()
    assert max(sizes) < 60
    (table,) = stream.blocks
    assert isinstance(table, Table)
    assert len(table.rows) == 112
    stream.push("\nwords\n\nmore\n")
    stream.update()
    assert [type(b) for b in stream.blocks] == [Table, Paragraph, Paragraph]


def test_an_open_fence_is_not_parsed_again() -> None:
    calls = 0

    class Counting(Reader):
        def read_from(self, *args: object, **kwargs: object) -> object:  # type: ignore[override]
            nonlocal calls
            calls += 1
            return super().read_from(*args, **kwargs)  # type: ignore[arg-type]

    stream = BlockStream(Counting())
    stream.push("```py\n")
    stream.update()
    before = calls
    for _ in range(100):
        stream.push("x = 1\n")
        stream.update()
    assert calls == before
    assert block_text(stream.blocks[0]).count("\n") == 99
