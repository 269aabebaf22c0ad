"""The whole answer in one strip: a bar for each token, taller where the model was less sure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.ui.inspector.cells import Cell
from app.ui.look import Look

_HEIGHT, _WIDEST = 48, 4.0  # px: the strip, and one bar with its gap
_TALL = (0.12, 0.3, 0.5, 0.75, 1.0)  # of the strip, by heat
_COLORS = ("stone3", "heat2", "heat3", "heat4", "ochre")


class Overview(QWidget):
    """A strip that shows which tokens are in view, and leads to those that are pressed.

    It is for the mouse: what it says is in the tokens themselves, which the keyboard reaches.
    """

    pointed = Signal(int)  # a token

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._heats: list[int] = []
        self._view = (0, 0)
        self._current = -1
        self.setFixedHeight(_HEIGHT)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        look.theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """Return the strip's height; it takes the width that it gets."""
        return QSize(200, _HEIGHT)

    def show_cells(self, cells: Sequence[Cell]) -> None:
        """Show another answer."""
        self._heats = [cell.heat for cell in cells]
        self.update()

    def add_cells(self, cells: Sequence[Cell]) -> None:
        """Show more of it."""
        self._heats += [cell.heat for cell in cells]
        self.update()

    def show_view(self, view: tuple[int, int], current: int) -> None:
        """Frame the tokens that are in view, and point at the chosen one."""
        if (view, current) != (self._view, self._current):
            self._view, self._current = view, current
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Lead to the token under the mouse."""
        if self._heats:
            place = int(event.position().x() / self._step())
            self.pointed.emit(min(max(place, 0), len(self._heats) - 1))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the mouse."""
        self.mousePressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a bar for each column of pixels, the least sure of its tokens tallest."""
        theme, painter = self._look.theme, QPainter(self)
        room, step = self.height() - 6, self._step()
        width = max(1, int(step) - 1)
        for x, heat in self._columns(step):
            tall = max(2, round(room * _TALL[heat]))
            painter.fillRect(x, 3 + room - tall, width, tall, theme.color(_COLORS[heat]))
        painter.fillRect(0, self.height() - 3, self.width(), 1, theme.color("edge"))
        self._paint_view(painter, step)

    def _columns(self, step: float) -> Iterator[tuple[int, int]]:
        """Yield (x, heat) for every bar; where a pixel holds several tokens, the least sure one."""
        if step >= 1:
            yield from ((int(place * step), heat) for place, heat in enumerate(self._heats))
            return
        ends = [int((x + 1) / step) for x in range(self.width())]
        for x, (start, end) in enumerate(pairwise((0, *ends))):
            if heats := self._heats[start:end]:
                yield x, max(heats)

    def _paint_view(self, painter: QPainter, step: float) -> None:
        theme = self._look.theme
        first, end = self._view
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if 0 < end - first < len(self._heats):
            frame = QRectF(first * step, 0, (end - first) * step, self.height())
            painter.setPen(QPen(theme.color("accent"), 1.5))
            painter.drawRoundedRect(frame.adjusted(0.75, 0.75, -0.75, -0.75), 4, 4)
        if self._current >= 0:
            x = round((self._current + 0.5) * step)
            painter.fillRect(x - 3, self.height() - 4, 6, 4, theme.color("accent"))

    def _step(self) -> float:
        """Return the pixels for each token."""
        return min(_WIDEST, self.width() / max(1, len(self._heats)))
