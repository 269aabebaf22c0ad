"""The colours of a block of code, read in small steps: the window is never held by a long one."""

from __future__ import annotations

from collections.abc import Iterator

from app.rendering.highlighting import LineLexer, Spans
from app.ui.transcript.code_rows import CodeRows

_LINES = 20  # read at a step


class Colouring:
    """Reads colours as far as they are wanted.

    A text that came whole is read once, by the language's own lexer. One that grew is read line
    by line, and once more when it is closed.
    """

    def __init__(self, language: str) -> None:
        self._lexer = LineLexer(language)
        self._whole: Iterator[int] | None = None
        self._exact_to = 0  # lines that the language's own lexer has read
        self._grown_to = 0  # lines that were taken one by one
        self._tail = ""  # the line that has not ended, as it was read
        self._tail_spans: Spans = ()

    @property
    def colours(self) -> bool:
        """Whether the language is known at all."""
        return self._lexer.colours

    @property
    def known(self) -> int:
        """How many rows, from the first, have colours."""
        if not self._lexer.colours:
            return 0
        return max(self._exact_to, self._grown_to + bool(self._tail))

    def spans(self, row: int) -> Spans:
        """Return the colours of a row."""
        if row < len(self._lexer.spans):
            return self._lexer.spans[row]
        return self._tail_spans if row == self._grown_to else ()

    def restart(self) -> None:
        """Forget all lines."""
        self._lexer.restart()
        self._whole, self._exact_to, self._grown_to, self._tail = None, 0, 0, ""
        self._tail_spans = ()

    def step(self, rows: CodeRows, wanted: int, *, closed: bool) -> int | None:
        """Read on; return the first row whose colours may have changed, None with nothing to do.

        Args:
            rows: of the whole text so far.
            wanted: how many of them are shown.
            closed: nothing more will come.
        """
        if not self._lexer.colours:
            return None
        whole = len(rows) if closed else len(rows) - 1
        if closed and self._grown_to in (0, whole):
            return self._read_whole(rows, min(wanted, whole))
        if self._grown_to < min(whole, wanted):
            end = min(whole, self._grown_to + _LINES)
            first = self._lexer.push(rows.lines(self._grown_to, end))
            self._grown_to, self._tail, self._tail_spans = end, "", ()
            return first
        return self._read_tail(rows, whole, wanted) if not closed else None

    def _read_whole(self, rows: CodeRows, wanted: int) -> int | None:
        if self._exact_to >= wanted:
            return None
        if self._whole is None:
            self._tail, self._tail_spans = "", ()
            grew = self._grown_to > 0
            lines = [] if grew else rows.lines(0, len(rows))
            self._whole = self._lexer.exact() if grew else self._lexer.read_whole(lines)
        first = self._exact_to
        self._exact_to = next(self._whole, len(rows))
        return first

    def _read_tail(self, rows: CodeRows, last: int, wanted: int) -> int | None:
        (line,) = rows.lines(last, last + 1)
        if line == self._tail or last >= wanted:
            return None
        self._tail, self._tail_spans = line, self._lexer.preview(line)
        return last
