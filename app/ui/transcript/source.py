"""What is selected on the page, as it was written: the Markdown behind whole blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.rendering.blocks import Block, Item, Paragraph
from app.rendering.reader import normalized
from app.ui.transcript.rows import texts_of
from app.ui.transcript.selected_text import selected_text
from app.ui.transcript.selection import Whole
from app.ui.transcript.turn_widget import TurnWidget


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
    all_of = (0, 0)  # the lines of a paragraph that was taken whole
    for block, row in turn.column.living():
        if isinstance(row, Whole) and row.is_taken():
            yield block, row.source()
            continue
        texts = [text for text in texts_of(row) if text.has_selection()]
        for text in texts:
            text.take_all()
        if not texts:
            continue
        start, end = block.lines
        if isinstance(block, Paragraph) and block.joined and all_of == block.lines:
            continue  # the whole paragraph was taken with its first piece
        all_of = (0, 0)
        if end > start and all(text.is_all_selected() for text in texts_of(row)):
            all_of = block.lines
            yield block, "\n".join(lines[start:end]).rstrip("\n")
        else:
            yield block, "\n".join(selected_text(text.textCursor()) for text in texts)


def _in_item(block: Block) -> bool:
    return any(isinstance(container, Item) for container in block.place)
