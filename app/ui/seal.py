"""The seal: 砚 in a rounded square of ink, the program's sign."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QIcon, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

from app.ui.theme import Theme


class Seal(QWidget):
    """The sign at a given side length; decoration, so screen readers are told nothing."""

    def __init__(self, theme: Theme, side: int) -> None:
        super().__init__()
        self._theme = theme
        self.setFixedSize(side, side)
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


def window_icon(theme: Theme) -> QIcon:
    """Return the seal as the window's icon, in the sizes that systems ask for."""
    icon = QIcon()
    for side in (16, 24, 32, 48, 64, 128, 256):
        picture = QPixmap(side, side)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        paint_seal(painter, QRectF(0, 0, side, side), theme)
        painter.end()
        icon.addPixmap(picture)
    return icon
