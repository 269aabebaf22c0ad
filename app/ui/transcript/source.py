"""What is selected on the page, as it was written: the Markdown behind whole blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.rendering.blocks import Block, Item
from app.rendering.reader import normalized
from app.ui.transcript.rows import texts_of
from app.ui.transcript.still_text import StillText, selected_text
from app.ui.transcript.turn_widget import TurnWidget


def selected_plain(texts: Iterable[StillText]) -> str:
    """Return what is selected in some texts as it is read, a blank line between blocks."""
    return "\n\n".join(selected_text(text.textCursor()) for text in texts)


def selected_markdown(turns: Iterable[TurnWidget]) -> str:
    """Return what is selected in some turns as Markdown; parts of blocks are plain text."""
    whole: list[str] = []
    for turn in turns:
        lines = normalized(turn.turn.content).split("\n")
        written = ""
        before: Block | None = None
        for block, text in _selected_blocks(turn, lines):
            tight = before is not None and _in_item(before) and _in_item(block)
            written += ("\n" if tight else "\n\n" if written else "") + text
            before = block
        if written:
            whole.append(written)
    return "\n\n".join(whole)


def _selected_blocks(turn: TurnWidget, lines: list[str]) -> Iterator[tuple[Block, str]]:
    for block, row in turn.column.living():
        texts = [text for text in texts_of(row) if text.has_selection()]
        if not texts:
            continue
        start, end = block.lines
        if end > start and all(text.is_all_selected() for text in texts_of(row)):
            yield block, "\n".join(lines[start:end]).rstrip("\n")
        else:
            yield block, "\n".join(selected_text(text.textCursor()) for text in texts)


def _in_item(block: Block) -> bool:
    return any(isinstance(container, Item) for container in block.place)
