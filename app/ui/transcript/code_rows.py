"""The lines of a block of code as they are set: a very long one is set in several rows.

Qt shapes a whole line at a time: one of a megabyte would hold the window for a second. Nothing of
it is left out, and what is copied has no line end where a row merely goes on.
"""

from __future__ import annotations

from app.ui.transcript.seams import across, count_in_pieces
from app.ui.transcript.utf16 import settable

_WIDEST = 2_000  # characters of a row


class CodeRows:
    """The rows of one growing text; there is always one.

    Attributes:
        rows: what is set, from top to bottom.
        widest: the row that takes the most room, about.
    """

    def __init__(self) -> None:
        self.rows = [""]
        self.widest = ""
        self._widest_units = 0
        self._going_on: set[int] = set()  # rows that go on with the line of the row before

    def __len__(self) -> int:
        return len(self.rows)

    def append(self, new: str) -> None:
        """Take more text."""
        first, *rest = new.split("\n")
        self._extend(settable(first))
        for line in rest:
            self.rows.append("")
            self._extend(settable(line))

    def goes_on(self, row: int) -> bool:
        """Tell whether a row belongs to the same line as the one before."""
        return row in self._going_on

    def count(self, words: str) -> int:
        """Return how often some lower-case words stand here, across the rows of a line too."""
        going_on = [self.goes_on(row) for row in range(len(self.rows))]
        return sum(count_in_pieces(self.rows, going_on, words))

    def across(self, words: str, last: int) -> list[tuple[int, int, int]]:
        """Return the seams that some lower-case words stand across, above row ``last``.

        Each is the row below it, and how many characters stand before and behind it.
        """
        found = [
            (row, *across(self.rows[row - 1].lower(), self.rows[row].lower(), words))
            for row in sorted(self._going_on)
            if row < last
        ]
        return [seam for seam in found if seam[1]]

    def lines(self, first: int, last: int) -> list[str]:
        """Return some rows as a lexer shall read them: of a line that is too long, nothing."""
        return ["" if self._is_part(row) else self.rows[row] for row in range(first, last)]

    def _is_part(self, row: int) -> bool:
        return row in self._going_on or row + 1 in self._going_on

    def _extend(self, text: str) -> None:
        """Write on in the last row, and in further ones where it is full."""
        start = 0
        while True:
            end = start + _WIDEST - len(self.rows[-1])
            self.rows[-1] += text[start:end]
            self._measure(self.rows[-1])
            start = end
            if start >= len(text):
                return
            self._going_on.add(len(self.rows))
            self.rows.append("")

    def _measure(self, row: str) -> None:
        if 3 * len(row) <= self._widest_units and "\t" not in row:
            return
        units = len(row) if row.isascii() else (len(row) + len(row.encode())) // 2
        units += 3 * row.count("\t")
        if units > self._widest_units:
            self._widest_units, self.widest = units, row
