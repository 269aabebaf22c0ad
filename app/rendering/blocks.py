"""What a Markdown text is made of: a flat list of blocks, each with its place among containers.

Lists and quotes are not blocks that hold blocks: every paragraph, table or code block stands alone
and names the quotes and list items around it. So a reply of any length is a plain sequence, of
which a stream freezes the front and a view keeps alive what is near. All values are frozen and
compare by content: equal blocks look equal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntFlag, StrEnum


class Style(IntFlag):
    """How a piece of text is set; styles combine."""

    PLAIN = 0
    BOLD = 1
    ITALIC = 2
    STRIKE = 4
    CODE = 8
    RAISED = 16  # a footnote's number


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text in one style; a line feed in it breaks the line, ``link`` is safe to open."""

    text: str
    style: Style = Style.PLAIN
    link: str = ""


@dataclass(frozen=True, slots=True)
class Formula:
    """LaTeX inside a line, without its dollar signs; ``marks`` are those it was written with."""

    source: str
    marks: tuple[str, str] = ("$", "$")
    style: Style = Style.PLAIN


@dataclass(frozen=True, slots=True)
class Picture:
    """An image that the text points at. Nothing is fetched: the view shows the address."""

    alt: str
    address: str


Inline = Text | Formula | Picture


@dataclass(frozen=True, slots=True)
class Quote:
    """A block quote around a block."""


@dataclass(frozen=True, slots=True)
class Item:
    """A list item around a block; the first block of the item carries its marker.

    ``task`` is the state of a check box, None where there is none. ``loose`` says that a blank
    line stands before the item: the air that the writer left is shown, item by item. ``under`` is
    the number that a later block of the item stands under, as far to the right as the first.
    """

    marker: str = ""
    task: bool | None = None
    loose: bool = False
    under: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """The footnote around a block; its first block carries the label."""

    label: str = ""


Container = Quote | Item | Note
Place = tuple[Container, ...]


class Align(StrEnum):
    """How a table's column is set."""

    NONE = ""
    LEFT = "left"
    CENTER = "center"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text; ``joined`` to the paragraph before, where it is a further piece of that."""

    inlines: tuple[Inline, ...]
    place: Place = ()
    lines: tuple[int, int] = (0, 0)  # of the source: first, and one past the last
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6."""

    level: int
    inlines: tuple[Inline, ...]
    place: Place = ()
    lines: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Code:
    """A fenced or indented block of code, its text without the last line's end.

    ``closed`` is False while the closing fence is still to come; ``calls`` names the tool whose
    arguments these are.
    """

    text: str
    language: str = ""
    closed: bool = True
    place: Place = ()
    lines: tuple[int, int] = (0, 0)
    calls: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table; every row has as many cells as the head."""

    align: tuple[Align, ...]
    head: tuple[tuple[Inline, ...], ...]
    rows: tuple[tuple[tuple[Inline, ...], ...], ...]
    place: Place = ()
    lines: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class DisplayFormula:
    """LaTeX on lines of its own."""

    source: str
    marks: tuple[str, str] = ("$$", "$$")
    place: Place = ()
    lines: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Rule:
    """A thematic break."""

    place: Place = ()
    lines: tuple[int, int] = (0, 0)


Block = Paragraph | Heading | Code | Table | DisplayFormula | Rule


def plain_text(inlines: tuple[Inline, ...]) -> str:
    """Return what a reader reads, for copying as plain text and for screen readers."""
    return "".join(_plain(inline) for inline in inlines)


def _plain(inline: Inline) -> str:
    match inline:
        case Text():
            return inline.text
        case Formula():
            return inline.marks[0] + inline.source + inline.marks[1]
        case Picture():
            return f"{inline.alt} ({inline.address})".strip()


def block_text(block: Block) -> str:
    """Return a block as plain text; a table's cells are separated by tabs."""
    match block:
        case Paragraph() | Heading():
            return plain_text(block.inlines)
        case Code():
            return block.text
        case Table():
            rows = (block.head, *block.rows)
            return "\n".join("\t".join(plain_text(cell) for cell in row) for row in rows)
        case DisplayFormula():
            return block.marks[0] + block.source + block.marks[1]
        case Rule():
            return "———"


def joined_texts(blocks: Iterable[Block]) -> str:
    """Return blocks as plain text, a blank line between them, pieces of one paragraph as one."""
    parts: list[str] = []
    for block in blocks:
        if parts and not (isinstance(block, Paragraph) and block.joined):
            parts.append("\n\n")
        parts.append(block_text(block))
    return "".join(parts)
