"""The reply's caret: where the next word will appear."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.ui.transcript.paper import Paper
from app.ui.transcript.rows import caret_of


class CaretBar(QWidget):
    """The reply's caret: a bar in the accent colour that does not blink."""

    def __init__(self, paper: Paper, parent: QWidget) -> None:
        super().__init__(parent)
        self._paper = paper
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def follow(self, row: QWidget | None, *, wanted: bool) -> None:
        """Stand after the last glyph of a block's widget, if it is wanted and has a place there."""
        inside = caret_of(row) if wanted and row is not None else None
        self.setVisible(inside is not None)
        if row is not None and inside is not None:
            self.setGeometry(inside.translated(row.pos()))
            self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bar."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._paper.look.theme.color("accent"))
        painter.drawRoundedRect(self.rect(), 1, 1)
