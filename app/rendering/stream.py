"""Markdown to blocks while the text grows: closed blocks are frozen, the open tail is read again.

CommonMark decides a top-level block by its own lines and the line after, so a block is closed for
good as soon as the next one has begun and one more whole line has come; a list freezes item by
item. An open fence is not even parsed: its lines are looked at once, for the fence that closes it.
Two things can reach back over frozen blocks: a link definition that comes after its use, and a
Markdown fence inside a Markdown fence. Where a text has one of them, ``finish`` reads all of it
once more; else what was frozen is what a full reading gives: a property test holds it to that.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.rendering.blocks import Block, Code
from app.rendering.fences import Fence, closes, opening
from app.rendering.reader import Reader, Reading, Resume, list_delimiter, normalized


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
        self._reaches_back = False
        self._fence: OpenFence | None = None
        self._dirty = False

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
        """Read what is new, and return the index of the first block that may have changed."""
        first = self.closed
        if self._dirty:
            self._dirty = False
            if self._fence is None or self._follow_fence(self._fence):
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
        else:
            self.blocks[self.closed :] = self._read(streaming=False).blocks
        if self._references or self._reaches_back or "]:" in self._tail:
            self.blocks, first = self._reader.read("".join(self._pieces)), 0
        self.closed = len(self.blocks)
        return first

    def _read(self, *, streaming: bool) -> Reading:
        return self._reader.read_from(
            self._tail, self._line, self._references, streaming=streaming, resume=self._resume
        )

    def _read_tail(self) -> None:
        reading = self._read(streaming=True)
        self.blocks[self.closed :] = reading.blocks
        whole_lines = self._tail.count("\n")
        closed = [k for k, start in enumerate(reading.starts) if k and start <= whole_lines - 2]
        if closed:
            self._freeze(reading, closed[-1])
        self._open_fence()

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


class OpenFence:
    """A code block whose closing fence has not come, at the left edge of the text."""

    def __init__(self, fence: Fence, line: int) -> None:
        self._fence = fence
        self._line = line
        self._lines: list[str] = []
        self._closed = False
        self.partial = ""  # the last line, not yet ended

    def take(self, text: str) -> str | None:
        """Read lines; return what follows the closing fence, None while it has not come."""
        start = 0
        while (end := text.find("\n", start)) >= 0:
            line = text[start:end]
            start = end + 1
            if self._closes(line):
                self._closed = True
                self.partial = ""
                return text[start:]
            self._lines.append(line)
        self.partial = text[start:]
        return None

    def finish(self) -> Code:
        """Return the block as it is when no more text comes."""
        self._closed = self._closed or (bool(self.partial) and self._closes(self.partial))
        return self.code(whole=not self._closed)

    def code(self, *, whole: bool = False) -> Code:
        """Return the block as it stands.

        What may become the closing fence is not shown, unless the ``whole`` text is asked for.
        """
        shows = bool(self.partial) and (whole or self._is_text(self.partial))
        shown = [*self._lines, self.partial] if shows else self._lines
        end = self._line + 1 + len(self._lines) + (1 if self._closed or self.partial else 0)
        return Code(
            "\n".join(shown), self._fence.language, closed=self._closed, lines=(self._line, end)
        )

    def _closes(self, line: str) -> bool:
        stripped = line.lstrip(" ")
        return len(line) - len(stripped) < 4 and closes(stripped, self._fence)

    def _is_text(self, partial: str) -> bool:
        return not partial.strip() or bool(partial.strip(" " + self._fence.marker))


def _nests(code: Code) -> bool:
    return Fence("`", 3, code.language).nests
