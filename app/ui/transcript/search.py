"""Finding words in a chat: every place where they are read, in the order of the page.

Turns whose source does not hold the words are passed over; the others are read as the page reads
them, so that a hit is a place that can be shown. The work is done in slices of a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chat.turn import Turn
from app.rendering.blocks import (
    Block,
    Code,
    Formula,
    Heading,
    Paragraph,
    Table,
    block_text,
    plain_text,
)
from app.rendering.plain import plain_blocks
from app.rendering.reader import Reader
from app.rendering.tool_calls import call_blocks
from app.store.turn_text import Where
from app.ui.transcript.code_rows import CodeRows
from app.ui.transcript.seams import across
from engine.contract import Role

_SLICE_S = 0.006
_MOST = 10_000  # hits; more help nobody


@dataclass(frozen=True, slots=True)
class Hit:
    """A place: the turn, the block in it, and which of the block's hits it is.

    In the thought, ``block`` counts the thought's own blocks. A file is one place, however often
    the words stand in it: there ``block`` counts the turn's files.
    """

    turn: int
    block: int
    nth: int
    where: Where = Where.SAID


@dataclass(frozen=True, slots=True)
class Marking:
    """What is marked on the page: words, and the hit that is shown."""

    words: str = ""
    current: Hit | None = None

    def place(self, turn: int, where: Where) -> tuple[int, int]:
        """Return block and place in it of the hit that is shown there; (-1, -1) where it is not."""
        hit = self.current
        here = hit is not None and (hit.turn, hit.where) == (turn, where)
        return (hit.block, hit.nth) if hit is not None and here else (-1, -1)


class Search(QObject):
    """Looks for words in turns; ``progressed`` after every slice that found something or ended."""

    progressed = Signal()

    def __init__(self, reader: Reader, parent: QObject) -> None:
        super().__init__(parent)
        self.hits: list[Hit] = []
        self.is_running = False
        self._reader = reader
        self._steps: Iterator[list[Hit]] = iter(())
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._on_slice)

    def begin(self, words: str, turns: Sequence[Turn]) -> None:
        """Look for words from the first turn on; an earlier search ends."""
        self.hits = []
        self._steps = (self._in_turn(turn, words.lower()) for turn in tuple(turns))
        self.is_running = bool(words)
        self._timer.stop()
        if words:
            self._timer.start()
        else:
            self.progressed.emit()

    def finish(self) -> None:
        """Do the rest at once."""
        while self.is_running:
            self._on_slice()

    @Slot()
    def _on_slice(self) -> None:
        until, before = perf_counter() + _SLICE_S, len(self.hits)
        while perf_counter() < until:
            found = next(self._steps, None)
            if found is None or len(self.hits) >= _MOST:
                self.is_running = False
                self._timer.stop()
                break
            self.hits += found
        if len(self.hits) != before or not self.is_running:
            self.progressed.emit()

    def _in_turn(self, turn: Turn, words: str) -> list[Hit]:
        """Return the places of a turn from top to bottom."""
        hits = [
            Hit(turn.id, number, 0, Where.FILE)
            for number, file in enumerate(turn.attachments)
            if words in file.name.lower() or words in file.text.lower()
        ]
        if words in turn.reasoning.lower():
            thought = self._reader.read(turn.reasoning)
            hits += _hits(turn.id, thought, words, Where.THOUGHT)
        if words in turn.content.lower() or words in turn.tool_calls.lower():
            hits += _hits(turn.id, self._blocks(turn), words, Where.SAID)
        return hits

    def _blocks(self, turn: Turn) -> list[Block]:
        if turn.role is Role.ASSISTANT:
            return [*self._reader.read(turn.content), *call_blocks(turn.tool_calls)]
        return plain_blocks(turn.content)


def _hits(turn: int, blocks: Sequence[Block], words: str, where: Where) -> list[Hit]:
    counts = [hits_in(block, words) for block in blocks]
    for number, block in enumerate(blocks[1:], 1):
        if across_blocks(blocks[number - 1], block, words)[0]:
            counts[number - 1] += 1
    return [Hit(turn, k, nth, where) for k, count in enumerate(counts) for nth in range(count)]


def across_blocks(before: Block | None, block: Block | None, words: str) -> tuple[int, int]:
    """Return how much of some lower-case words stands at the end and at the beginning of two."""
    if not isinstance(before, Paragraph) or not isinstance(block, Paragraph) or not block.joined:
        return 0, 0
    return across(_words_of(before), _words_of(block), words)


def _words_of(block: Paragraph | Heading) -> str:
    inlines = tuple(i for i in block.inlines if not isinstance(i, Formula))
    return plain_text(inlines).lower()


def hits_in(block: Block, words: str) -> int:
    """Return how often a block holds some lower-case words where they can be marked."""
    match block:
        case Paragraph() | Heading():
            return _words_of(block).count(words)
        case Code():
            rows = CodeRows()
            rows.append(block.text)
            return rows.count(words)
        case Table():
            cells = [plain_text(cell) for row in (block.head, *block.rows) for cell in row]
            return sum(cell.lower().count(words) for cell in cells)
        case _:
            return block_text(block).lower().count(words)
