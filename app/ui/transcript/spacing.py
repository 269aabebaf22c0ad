"""The air between blocks, what stands left of them, and how tall they will be before being set."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from unicodedata import bidirectional

from app.rendering.blocks import (
    Block,
    Code,
    Container,
    DisplayFormula,
    Heading,
    Item,
    Note,
    Paragraph,
    Place,
    Quote,
    Rule,
    Table,
    Text,
    block_text,
)

QUOTE_INDENT, ITEM_INDENT = 16, 24  # px
_NUMBER_LEFT = 2  # px of air left of a number
NUMBER_RIGHT = 7  # px between a number and its text
_BETWEEN, _HEADING_ABOVE, _HEADING_BELOW, _TIGHT, _LOOSE = 12, 16, 8, 4, 8

_DIGITS = 2  # for which every number gets room

Advance = Callable[[str], float]


def indent_of(container: Container, advance: Advance) -> int:
    """Return how far a container moves its content to the right; long numbers move it further."""
    match container:
        case Quote():
            return QUOTE_INDENT
        case Item(marker=marker, under=under) if (marker or under)[:1].isdigit():
            digits = max(_DIGITS, len(marker or under) - 1)  # so that 9 and 10 stand on one edge
            wide = advance("0" * digits + (marker or under)[-1])
            return max(ITEM_INDENT, ceil(_NUMBER_LEFT + wide + NUMBER_RIGHT))
        case Item() | Note():
            return ITEM_INDENT


def indents(place: Place, advance: Advance) -> list[int]:
    """Return the left edge of what each container holds.

    Args:
        place: the containers around a block, from the outside in.
        advance: measures a list item's number, in pixels.
    """
    edges: list[int] = []
    left = 0
    for container in place:
        left += indent_of(container, advance)
        edges.append(left)
    return edges


def room(block: Block, column: int, prose: int, advance: Advance) -> tuple[int, int]:
    """Return the left edge and the width of a block.

    Args:
        block: what stands there; text that reads to the left ends at the column's right edge.
        column: how wide all is, in pixels.
        prose: how much of it, from the left, the block may use.
        advance: measures a list item's number, in pixels.
    """
    left, width = left_and_width(block, prose, advance)
    return max(left, column - width) if reads_leftward(block) else left, width


def left_and_width(block: Block, prose: int, advance: Advance) -> tuple[int, int]:
    """Return the indent of a block and the width that is left of ``prose``."""
    left = indents(block.place, advance)[-1] if block.place else 0
    return left, max(60, prose - left)


def reads_leftward(block: Block) -> bool:
    """Tell whether running text is Arabic or Hebrew: its first letter decides, as in Qt."""
    if not isinstance(block, Paragraph | Heading):
        return False
    letters = (c for each in block.inlines if isinstance(each, Text) for c in each.text)
    kinds = (bidirectional(letter) for letter in letters)
    return next((kind for kind in kinds if kind in {"L", "R", "AL"}), "L") != "L"


def gap(before: Block | None, block: Block) -> int:
    """Return the space above a block, in pixels at 100 %."""
    if before is None or (isinstance(block, Paragraph) and block.joined):
        return 0
    if isinstance(before, Heading):
        return _BETWEEN if isinstance(block, Table | Code) else _HEADING_BELOW
    if isinstance(block, Heading):
        return _HEADING_ABOVE
    if not _in_item(before) or not _in_item(block):
        return _BETWEEN
    started = [c for c in block.place if isinstance(c, Item) and c.marker]
    if not started:
        return _LOOSE
    return _LOOSE if started[0].loose else _TIGHT


def quotes_shared(before: Block | None, block: Block) -> int:
    """Return how many quotes, from the outside in, a block shares with the one before it."""
    if before is None:
        return 0
    shared = 0
    for old, new in zip(before.place, block.place, strict=False):
        if not (isinstance(old, Quote) and isinstance(new, Quote)):
            break
        shared += 1
    return shared


def _in_item(block: Block) -> bool:
    return any(isinstance(container, Item) for container in block.place)


def estimate(block: Block, width: int, line: int) -> int:
    """Return about how tall a block will be: close enough for a scroll bar.

    Args:
        block: a block that has not been laid out.
        width: of the room for it, in pixels.
        line: the line height of running text.
    """
    match block:
        case Code():
            return 35 + 18 + 20 * (block.text.count("\n") + 1)
        case Table():
            return 31 + 29 * len(block.rows)
        case DisplayFormula():
            return 44
        case Rule():
            return 1
        case Paragraph() | Heading():
            return line * text_lines(block_text(block), width)


def text_lines(text: str, width: int) -> int:
    """Return about how many lines running text takes: a wide letter counts as two."""
    units = len(text) if text.isascii() else (len(text) + len(text.encode())) // 2
    return max(1, ceil(units * 7.3 / max(width, 40)) + text.count("\n"))
