"""The picture of the welcome page: an inkstone, its ink, and a stick, in the theme's colours."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.ui.theme import Theme

_FILE = Path(__file__).resolve().parents[2] / "resources" / "icons" / "inkstone.svg"


class Artwork(QWidget):
    """Drawn as large as its place allows, in its own proportions; decoration only."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._renderer = QSvgRenderer(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    def sizeHint(self) -> QSize:
        """Return the size of the drawing."""
        return self._renderer.defaultSize()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the drawing in the middle."""
        size = self._renderer.defaultSize()
        scale = min(self.width() / size.width(), self.height() / size.height(), 1.0)
        width, height = size.width() * scale, size.height() * scale
        place = QRectF((self.width() - width) / 2, (self.height() - height) / 2, width, height)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._renderer.render(painter, place)

    def _on_theme_changed(self) -> None:
        drawing = self._theme.filled(_FILE.read_text(encoding="utf-8"))
        self._renderer.load(QByteArray(drawing.encode()))
        self.update()
