"""Plain text as blocks: what a person typed is shown as it was typed, never read as Markdown."""

from __future__ import annotations

from app.rendering.blocks import Block, Paragraph, Text
from app.rendering.pieces import cut

_LINES, _CHARACTERS = 40, 4_000  # of a block: small enough to be set at once


def plain_blocks(text: str) -> list[Block]:
    """Return text as it was typed, line by line, in pieces that are quick to set."""
    blocks: list[Block] = []
    lines: list[str] = []
    size, joined = 0, False
    for number, line in enumerate(text.split("\n")):
        if lines and (len(lines) >= _LINES or size + len(line) > _CHARACTERS):
            blocks.append(_block(lines, number, joined=joined))
            lines, size, joined = [], 0, False
        start = 0
        while len(line) - start > _CHARACTERS:
            end = cut(line, _CHARACTERS, start)
            blocks.append(_block([line[start:end]], number + 1, joined=joined))
            start, joined = end, True
        lines.append(line[start:])
        size += len(line) - start
    blocks.append(_block(lines, text.count("\n") + 1, joined=joined))
    return blocks


def _block(lines: list[str], end: int, *, joined: bool) -> Paragraph:
    return Paragraph((Text("\n".join(lines)),), lines=(end - len(lines), end), joined=joined)
