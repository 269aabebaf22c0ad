"""A bar of parts in proportion, and the squares that name its colours in a legend."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.ui.look import Look


class PartsBar(QWidget):
    """A bar of parts in proportion; the figures beside it say the same."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._parts: tuple[tuple[str, int], ...] = ()
        self.setFixedHeight(10)
        look.theme.changed.connect(self.update)

    def show_parts(self, parts: tuple[tuple[str, int], ...]) -> None:
        """Show (colour, amount) from left to right."""
        self._parts = parts
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the parts, a pixel of paper between two."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        total = sum(amount for _, amount in self._parts)
        if total <= 0:
            return
        x = 0.0
        for token, amount in self._parts:
            width = self.width() * amount / total
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._look.theme.color(token))
            if width >= 2:
                painter.drawRoundedRect(QRectF(x, 0, width - 1, self.height()), 2, 2)
            x += width


class Swatch(QWidget):
    """A small square of a colour, beside its name in a legend."""

    def __init__(self, look: Look, token: str) -> None:
        super().__init__()
        self._look, self._token = look, token
        self.setFixedSize(9, 9)
        look.theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the square."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._look.theme.color(self._token))
        painter.drawRoundedRect(QRectF(self.rect()), 2, 2)
