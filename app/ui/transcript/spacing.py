"""The air between blocks, what stands left of them, and how tall they will be before being set."""

from __future__ import annotations

from math import ceil

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
    block_text,
)

QUOTE_INDENT, ITEM_INDENT = 16, 24  # px
_BETWEEN, _HEADING_ABOVE, _HEADING_BELOW, _TIGHT, _LOOSE = 12, 16, 8, 4, 8


def indent_of(container: Container) -> int:
    """Return how far a container moves its content to the right; long numbers move it further."""
    match container:
        case Quote():
            return QUOTE_INDENT
        case Item(marker=marker) if len(marker) > 3:
            return ITEM_INDENT + 9 * (len(marker) - 3)
        case Item() | Note():
            return ITEM_INDENT


def indents(place: Place) -> list[int]:
    """Return the left edge of what each container holds."""
    edges: list[int] = []
    left = 0
    for container in place:
        left += indent_of(container)
        edges.append(left)
    return edges


def gap(before: Block | None, block: Block) -> int:
    """Return the space above a block, in pixels at 100 %."""
    if before is None:
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
