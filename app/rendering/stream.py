"""Markdown to blocks while the text grows: closed blocks are frozen, the open tail is read again.

CommonMark decides a top-level block by its own lines and the line after, so a block is closed for
good as soon as the next one has begun and one more whole line has come; a list freezes item by
item. Of an open fence and an open table only new lines are read, and words that go on with a line
of words are not read at all.

Three things can reach back over frozen blocks: a link definition or a footnote that comes after
its use, and a Markdown fence inside a Markdown fence. Where a text has one of them, ``finish``
reads all of it once more; else what was frozen is what a full reading gives: a property test holds
it to that.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from app.rendering.blocks import Block, Code, Paragraph, Table, Text
from app.rendering.fences import Fence, opening
from app.rendering.open_blocks import OpenFence, OpenTable
from app.rendering.reader import Reader, Reading, Resume, list_delimiter, normalized

_GOING_ON = re.compile(r"(?:[^\W_]|[ ,.;:!?'\"()—–’‘“”…，。？！、；：-])*")  # nothing of Markdown's
_WORDS = re.compile(r"[^\W\d_](?:[^\W_]|[ ,.;:!?'\"()—–’‘“”…，。？！、；：-])*")  # … from its first
_LONGEST = 5_000  # characters: a longer paragraph is set in pieces
_MANY_ROWS = 10  # a shorter table is as quick to read again


class BlockStream:
    """The blocks of a text that is being written.

    Attributes:
        blocks: what the text is made of so far.
        closed: how many of them, from the first, will not change before ``finish``.
    """

    def __init__(self, reader: Reader) -> None:
        self.blocks: list[Block] = []
        self.closed = 0
        self._reader = reader
        self._pieces: list[str] = []  # the whole text
        self._carry = ""  # a carriage return whose line feed may follow
        self._tail = ""  # from the first open line
        self._line = 0  # the number of that line
        self._resume = Resume()
        self._references: dict[str, Any] = {}
        self._notes: dict[str, int] = {}
        self._reaches_back = False
        self._fence: OpenFence | None = None
        self._table: OpenTable | None = None
        self._words = 0, 0  # where in the tail a line of words begins and ends that was read
        self._dirty = False
        self._first = 0  # block that may have changed since the last update

    @property
    def text(self) -> str:
        """The whole text so far."""
        return "".join(self._pieces) + self._carry

    @property
    def has_text(self) -> bool:
        """Whether anything has come that can be seen."""
        return bool(self.blocks) or any(piece.strip() for piece in self._pieces)

    def push(self, text: str) -> None:
        """Take more text. Cheap: nothing is parsed before ``update``."""
        text = self._carry + text
        self._carry = "\r" if text.endswith("\r") else ""
        text = text.removesuffix("\r") if self._carry else text
        text = normalized(text)
        self._pieces.append(text)
        self._tail += text
        self._dirty = True

    def update(self) -> int:
        """Read what is new.

        Returns:
            The index of the first block that may have changed since the last time.
        """
        self.read_on()
        first, self._first = self._first, len(self.blocks)
        return min(first, len(self.blocks))

    def read_on(self) -> None:
        """Read what is new; what has changed is told by the next ``update``."""
        self._first = min(self._first, self._advance())

    def _advance(self) -> int:
        first = self.closed
        if self._dirty:
            self._dirty = False
            if self._table is not None and self._table.take(self._tail):
                self.blocks[self.closed :] = [self._table.table()]
            elif self._fence is not None and not self._follow_fence(self._fence):
                pass  # more of the code that is open
            elif not self._go_on_with_words():
                self._read_tail()
        return first

    def finish(self) -> int:
        """Read the end of the text as final, and return the first block that may have changed."""
        if self._carry:
            self.push("\n")  # a lone carriage return ends a line; with its line feed it is one end
        first = self.update()
        if self._fence is not None:
            self.blocks[self.closed :] = [self._fence.finish()]
            self._fence = None
        elif self._table is None:
            self.blocks[self.closed :] = self._read(streaming=False).blocks
        if self._references or self._notes or self._reaches_back or "]:" in self._tail:
            self.blocks, first = self._reader.read("".join(self._pieces)), 0
        self.closed = len(self.blocks)
        return first

    def _read(self, *, streaming: bool) -> Reading:
        return self._reader.read_from(
            self._tail,
            self._line,
            self._references,
            streaming=streaming,
            resume=self._resume,
            notes=self._notes,
        )

    def _read_tail(self) -> None:
        reading = self._read(streaming=True)
        self.blocks[self.closed :] = reading.blocks
        whole_lines = self._tail.count("\n")
        closed = [k for k, start in enumerate(reading.starts) if k and start <= whole_lines - 2]
        if closed:
            self._freeze(reading, closed[-1])
        self._open_fence()
        self._open_table()
        self._see_words()

    def _go_on_with_words(self) -> bool:
        """Lengthen a paragraph by what has come, if both are words; False: it has to be read."""
        tail, (start, end) = self._tail, self._words
        last = self.blocks[-1] if end and len(tail) - start <= _LONGEST else None
        if not isinstance(last, Paragraph) or not _GOING_ON.fullmatch(tail, end):
            return False
        self.blocks[-1] = replace(last, inlines=(Text(tail[start:].rstrip(" ")),))
        self._words = start, len(tail)
        return True

    def _see_words(self) -> None:
        """Note whether the tail ends in a paragraph of one line, words and nothing else."""
        tail, last = self._tail, self.blocks[-1] if self.blocks else None
        start = tail.rfind("\n") + 1
        stands_alone = not start or tail.endswith("\n\n", 0, start)
        is_words = isinstance(last, Paragraph) and not last.place and _WORDS.fullmatch(tail, start)
        self._words = (start, len(tail)) if stands_alone and is_words else (0, 0)

    def _freeze(self, reading: Reading, last: int) -> None:
        """Freeze what stands before the ``last`` start of a reading."""
        line, count = reading.starts[last], reading.firsts[last]
        frozen = reading.blocks[:count]
        self._reaches_back |= any(isinstance(b, Code) and _nests(b) for b in frozen)
        lines = self._tail.split("\n")
        resume = list_delimiter(reading.blocks[count]) if count < len(reading.blocks) else None
        blank = not lines[line - 1].strip(" >\t")
        self._resume = replace(resume or Resume(), after_blank=blank)
        for label, found in reading.references.items():
            if found["map"][1] <= line or label in self._references:
                self._references.setdefault(label, {**found, "map": [0, 0]})
        for label, at in reading.notes.items():
            if at < line:
                self._notes.setdefault(label, -1)  # before every line that is still to be read
        self._tail = "\n".join(lines[line:])
        self._line += line
        self.closed += count

    def _open_fence(self) -> None:
        """Take the short way from now on if an open fence is all that the tail holds."""
        last = self.blocks[-1] if self.blocks else None
        if not isinstance(last, Code) or last.closed or last.place:
            return
        head, found, body = self._tail.partition("\n")
        fence = opening(head)
        if found and fence is not None and not fence.nests and self.closed == len(self.blocks) - 1:
            self._fence = OpenFence(fence, self._line)
            self._tail = body
            self._follow_fence(self._fence)

    def _open_table(self) -> None:
        """Read only new rows from now on if a table is all that the tail holds."""
        last = self.blocks[-1] if self.blocks else None
        alone = self.closed == len(self.blocks) - 1
        self._table = None
        if alone and isinstance(last, Table) and not last.place and len(last.rows) >= _MANY_ROWS:
            self._table = OpenTable(self._read_rows, self._tail, last)

    def _read_rows(self, text: str) -> list[Block]:
        return self._reader.read_from(
            text, 0, self._references, streaming=True, notes=self._notes
        ).blocks

    def _follow_fence(self, open_fence: OpenFence) -> bool:
        """Give new lines to the open fence; True once it has closed and text may follow."""
        rest = open_fence.take(self._tail)
        code = open_fence.code()
        self.blocks[self.closed :] = [code]
        if rest is None:
            self._tail = open_fence.partial
            return False
        self._fence, self._tail = None, rest
        self._line, self._resume = code.lines[1], Resume()
        self.closed += 1
        return True


def _nests(code: Code) -> bool:
    return Fence("`", 3, code.language).nests
