"""A scroll bar that keeps its room: text does not move aside when it comes to be needed."""

from __future__ import annotations

from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QScrollBar


class SteadyBar(QScrollBar):
    """Always there, seen only where there is something to scroll."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint nothing while everything is in view."""
        if self.maximum() > self.minimum():
            super().paintEvent(event)
