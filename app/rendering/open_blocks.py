"""Blocks that may grow for long, and of which only new lines are read: fenced code and tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from app.rendering.blocks import Block, Code, Table
from app.rendering.fences import Fence, closes

ReadRows = Callable[[str], list[Block]]


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


class OpenTable:
    """A table at the left edge of the text whose end has not come.

    A row is read by itself, under the table's head; the first line that is not a row by this test
    ends the short way, and the whole table is read again as part of the text.

    Args:
        read: reads Markdown to blocks.
        text: of the table so far, from its head.
        table: what a reading of that text gave.
    """

    def __init__(self, read: ReadRows, text: str, table: Table) -> None:
        lines = text.split("\n")
        whole_rows = max(0, len(lines) - 3)  # without head, line under it, and the open last line
        self._read = read
        self._head = "\n".join(lines[:2]) + "\n"
        self._known = len("\n".join(lines[:-1])) + 1  # characters up to the open last line
        self._table = replace(table, rows=table.rows[:whole_rows])
        self._growing: Table | None = None

    def table(self) -> Table:
        """Return the table as it stands, the row that is being written included."""
        growing = self._growing.rows if self._growing is not None else ()
        start, end = self._table.lines[0], self._table.lines[0] + 2 + len(self._table.rows)
        rows = self._table.rows + growing
        return replace(self._table, rows=rows, lines=(start, end + len(growing)))

    def take(self, text: str) -> bool:
        """Read what is new in the text of the table; False if it is not all rows of it."""
        end = text.rfind("\n") + 1
        whole, growing = text[self._known : end], text[end:]
        if whole:
            rows = self._rows(whole, whole.count("\n"))
            if rows is None:
                return False
            self._table = replace(self._table, rows=self._table.rows + rows.rows)
            self._known = end
        self._growing = self._rows(growing, 1) if growing else None
        return not growing or self._growing is not None

    def _rows(self, text: str, count: int) -> Table | None:
        """Return a table of some new lines alone, None if they are not that many rows."""
        blocks = self._read(self._head + text)
        only = blocks[0] if len(blocks) == 1 else None
        return only if isinstance(only, Table) and len(only.rows) == count else None
