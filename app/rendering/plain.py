"""Plain text as blocks: what a person typed is shown as it was typed, never read as Markdown."""

from __future__ import annotations

from app.rendering.blocks import Block, Paragraph, Text

_LINES, _CHARACTERS = 40, 4_000  # of a block: small enough to be set at once


def plain_blocks(text: str) -> list[Block]:
    """Return text as it was typed, line by line, in pieces that are quick to set."""
    blocks: list[Block] = []
    lines: list[str] = []
    size = 0
    for number, line in enumerate(text.split("\n")):
        if lines and (len(lines) >= _LINES or size + len(line) > _CHARACTERS):
            blocks.append(Paragraph((Text("\n".join(lines)),), lines=(number - len(lines), number)))
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    end = text.count("\n") + 1
    blocks.append(Paragraph((Text("\n".join(lines)),), lines=(end - len(lines), end)))
    return blocks
