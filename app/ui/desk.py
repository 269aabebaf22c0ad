"""Everything above the status line, laid out by hand: sidebar, pages, and the inspector."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.ui.parts import Parts

RAIL_BELOW = 960  # px of the window's width
LEAST_CHAT = 420  # px that the chat keeps beside the inspector; with less it lies over the chat


class Desk(QWidget):
    """Gives each part its place; a drawer lies over the page.

    The inspector stands at the right of the chat. Where that leaves too little of it, the sidebar
    becomes a rail; where that does not help either, the inspector is a drawer over the chat.
    """

    inspector_left = Signal()  # a drawer that was open is to be closed

    def __init__(self, parts: Parts) -> None:
        super().__init__()
        self._parts = parts
        self._inspector_width = 0  # wanted; 0 is closed
        self.pages = QStackedWidget(self)
        self.pages.addWidget(parts.chat)
        parts.models_built.connect(self.pages.addWidget)
        parts.settings_built.connect(self.pages.addWidget)
        parts.benchmark_built.connect(self.pages.addWidget)
        parts.server_built.connect(self.pages.addWidget)
        parts.monitor_built.connect(self.pages.addWidget)
        parts.add_model_built.connect(self.pages.addWidget)
        parts.smaller_built.connect(self.pages.addWidget)
        parts.welcome_built.connect(self._on_welcome_built)
        parts.inspector_built.connect(self._on_inspector_built)
        parts.sidebar.setParent(self)
        parts.sidebar.width_changed.connect(self.place)

    @property
    def has_inspector(self) -> bool:
        """Whether the inspector is open and the chat is, too."""
        return self._inspector_width > 0 and self.pages.currentWidget() is self._parts.chat

    def show_inspector(self, width: int) -> None:
        """Open the inspector this wide, or close it with 0."""
        self._inspector_width = width
        self.place()

    def close_drawer(self) -> None:
        """Close the inspector where it lies over the chat; beside it it stays."""
        if self.has_inspector and self._lies_over():
            self.inspector_left.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place everything anew."""
        super().resizeEvent(event)
        self.place()

    @Slot()
    def place(self) -> None:
        """Give the sidebar its width, the inspector the one that it wants, the page the rest."""
        sidebar, width, height = self._parts.sidebar, self.width(), self.height()
        sidebar.set_narrow(width < RAIL_BELOW or self._needs_rail())
        left = sidebar.reserved_width
        sidebar.setGeometry(0, 0, sidebar.wanted_width, height)
        right = width
        inspector = self._parts.built_inspector
        if inspector is not None:
            inspector.setVisible(self.has_inspector)
        if inspector is not None and self.has_inspector:
            over = self._lies_over()
            taken = min(self._inspector_width, width - left)
            inspector.setGeometry(width - taken, 0, taken, height)
            inspector.raise_()
            right = width if over else width - taken
        self.pages.setGeometry(left, 0, max(0, right - left), height)
        sidebar.raise_()
        if self._parts.built_welcome is not None:
            self._parts.built_welcome.setGeometry(0, 0, width, height)
            self._parts.built_welcome.raise_()

    def _needs_rail(self) -> bool:
        sidebar = self._parts.sidebar.full_width
        return self.has_inspector and self.width() - sidebar - self._inspector_width < LEAST_CHAT

    def _lies_over(self) -> bool:
        left = self._parts.sidebar.reserved_width
        return self.width() - left - self._inspector_width < LEAST_CHAT

    @Slot(object)
    def _on_welcome_built(self, page: QWidget) -> None:
        page.setParent(self)
        page.hide()
        self.place()

    @Slot(object)
    def _on_inspector_built(self, panel: QWidget) -> None:
        panel.setParent(self)
        panel.hide()
