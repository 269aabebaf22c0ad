"""Where tokens stand: line after line, as words of a text do. Arithmetic only."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable


class Flow:
    """The places of cells in lines of one width; cells are only ever added at the end.

    Attributes:
        lefts: of each cell, in pixels.
        widths: of each cell.
        starts: of each line, the number of its first cell.
    """

    def __init__(self) -> None:
        self.width = 1.0
        self.lefts: list[float] = []
        self.widths: list[float] = []
        self.starts: list[int] = []
        self._right = 0.0

    def clear(self, width: float) -> None:
        """Begin anew with lines of this width."""
        self.width = max(width, 1.0)
        self.lefts, self.widths, self.starts = [], [], []
        self._right = 0.0

    def add(self, widths: Iterable[float], gap: float) -> None:
        """Add cells; ``gap`` stands between two on a line."""
        for wanted in widths:
            width = min(wanted, self.width)
            left = self._right + gap
            if not self.starts or left + width > self.width:
                self.starts.append(len(self.lefts))
                left = 0.0
            self.lefts.append(left)
            self.widths.append(width)
            self._right = left + width

    def line_of(self, cell: int) -> int:
        """Return the line that a cell stands on."""
        return bisect_right(self.starts, cell) - 1

    def cells_of(self, line: int) -> range:
        """Return the cells of a line."""
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.lefts)
        return range(self.starts[line], end)

    def cell_at(self, line: int, x: float) -> int:
        """Return the cell of a line that is nearest to a place."""
        cells = self.cells_of(line)
        return min(cells, key=lambda cell: self._distance(cell, x))

    def _distance(self, cell: int, x: float) -> float:
        left = self.lefts[cell]
        return max(left - x, x - left - self.widths[cell], 0.0)
