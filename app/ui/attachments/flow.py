"""Widgets in rows, as many beside each other as the width holds."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget


class Flow(QWidget):
    """Places its widgets from left to right and row by row; its height follows."""

    height_changed = Signal()

    def __init__(self, gap: int = 6, below: int = 0) -> None:
        super().__init__()
        self._gap, self._below = gap, below
        self.shown: list[QWidget] = []

    def show_widgets(self, widgets: Sequence[QWidget]) -> None:
        """Show these widgets, in this order; those of before are let go."""
        for old in self.shown:
            if old not in widgets:
                old.hide()
                old.deleteLater()
        self.shown = list(widgets)
        for widget in self.shown:
            widget.setParent(self)
            widget.show()
        self.fit(self.width())

    def look_again(self) -> None:
        """Place everything anew: what is hidden takes no room, and Qt does not say that it goes."""
        self.fit(self.width())

    def fit(self, width: int) -> int:
        """Place everything for a width, and return the height."""
        y = 0
        rows = self._rows(width)
        for row in rows:
            tall = max(size.height() for _, _, size in row)
            for widget, x, size in row:
                above = (tall - size.height()) // 2
                widget.setGeometry(x, y + above, size.width(), size.height())
            y += tall + self._gap
        height = y - self._gap + self._below if rows else 0
        if height != self.height() or self.minimumHeight() != height:
            self.setFixedHeight(height)
            self.height_changed.emit()
        return height

    def _rows(self, width: int) -> list[list[tuple[QWidget, int, QSize]]]:
        """Return what stands in each row: a widget, its left edge and its size."""
        rows: list[list[tuple[QWidget, int, QSize]]] = []
        x = 0
        for widget in (each for each in self.shown if not each.isHidden()):
            size = widget.sizeHint().expandedTo(widget.minimumSize())
            wide = min(size.width(), width)
            if not rows or (x and x + wide > width):
                rows.append([])
                x = 0
            rows[-1].append((widget, x, QSize(wide, size.height())))
            x += wide + self._gap
        return rows

    def event(self, event: QEvent) -> bool:
        """Place everything anew where a widget asks for another size: its words are larger."""
        if event.type() is QEvent.Type.LayoutRequest:
            self.fit(self.width())
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place everything anew for another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit(event.size().width())
