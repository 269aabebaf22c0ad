"""The seal: 砚 in a rounded square of ink, the program's sign."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.ui.theme import Theme


class Seal(QWidget):
    """The sign at a given side length; decoration, so screen readers are told its name only."""

    def __init__(self, theme: Theme, side: int) -> None:
        super().__init__()
        self._theme = theme
        self.setFixedSize(side, side)
        self.setAccessibleName("Inkstone")
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the square, then the character."""
        painter = QPainter(self)
        paint_seal(painter, QRectF(self.rect()), self._theme)


def paint_seal(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """Paint the seal into a square."""
    side = rect.width()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color("ink"))
    painter.drawRoundedRect(rect, side * 0.23, side * 0.23)
    font = QFont()
    font.setFamilies(["Noto Sans CJK SC", "Microsoft YaHei UI", "PingFang SC"])
    font.setPixelSize(round(side * 0.68))
    font.setWeight(QFont.Weight.Bold)
    painter.setFont(font)
    painter.setPen(theme.color("onInk"))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, "砚")
