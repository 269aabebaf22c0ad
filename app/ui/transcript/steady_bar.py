"""A scroll bar that keeps its room: text does not move aside when it comes to be needed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QScrollBar, QWidget

from app.ui.theme import Theme

_LATE_MS = 400


class SteadyBar(QScrollBar):
    """Always there, seen only where there is something to scroll.

    It paints its own ground: without it, all that stands behind would be painted with it.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.setInterval(_LATE_MS)
        self._late.timeout.connect(self.update)

    def go_on(self, most: int, value: int) -> None:
        """Follow a text that grows; the handle moves little, and is painted some time later."""
        self.setAttribute(Qt.WidgetAttribute.WA_UpdatesDisabled)
        self.setRange(0, most)
        self.setValue(value)
        self.setAttribute(Qt.WidgetAttribute.WA_UpdatesDisabled, False)
        if not self._late.isActive():
            self._late.start()

    def event(self, event: QEvent) -> bool:
        """Stay opaque whatever the style sheet takes it for."""
        if event.type() in (QEvent.Type.Polish, QEvent.Type.StyleChange):
            heard = super().event(event)
            self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
            return heard
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground alone while everything is in view."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), self._theme.color("paper"))
        painter.end()
        if self.maximum() > self.minimum():
            super().paintEvent(event)
