"""Everything above the status line, laid out by hand: sidebar, pages, and the inspector."""

from __future__ import annotations

from PySide6.QtCore import QEasingCurve, QVariantAnimation, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.ui.look import Look
from app.ui.parts import Parts

RAIL_BELOW = 960  # px of the window's width
RAIL_FOR_COPIES_BELOW = 1440  # the page of smaller copies has charts and answers side by side
LEAST_CHAT = 420  # px that the chat keeps beside the inspector; with less it lies over the chat
SLIDE_MS = 160


class Desk(QWidget):
    """Gives each part its place; a drawer lies over the page.

    The inspector stands at the right of the chat. Where that leaves too little of it, the sidebar
    becomes a rail; where that does not help either, the inspector is a drawer over the chat. It
    slides in and out at its whole width: the chat is laid out once, not with every step.
    """

    inspector_left = Signal()  # a drawer that was open is to be closed

    def __init__(self, look: Look, parts: Parts) -> None:
        super().__init__()
        self._look, self._parts = look, parts
        self._inspector_width = 0  # wanted; 0 is closed
        self._slides_at = 0  # its width while it slides
        self._inside = 0.0  # how much of the inspector is in the window, on its way in or out
        self._motion = QVariantAnimation(self)
        self._motion.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._motion.valueChanged.connect(self._on_step)
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
        before = self._inspector_width
        self._inspector_width, self._slides_at = width, width or before
        if bool(width) != bool(before):
            self._slide(1.0 if width else 0.0)
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
        sidebar.set_narrow(self._is_narrow())
        left = sidebar.reserved_width
        sidebar.setGeometry(0, 0, sidebar.wanted_width, height)
        self._place_inspector()
        taken = min(self._inspector_width, width - left)
        right = width - taken if self.has_inspector and not self._lies_over() else width
        self.pages.setGeometry(left, 0, max(0, right - left), height)
        if self._parts.built_inspector is not None:
            self._parts.built_inspector.raise_()
        sidebar.raise_()
        if self._parts.built_welcome is not None:
            self._parts.built_welcome.setGeometry(0, 0, width, height)
            self._parts.built_welcome.raise_()

    def _place_inspector(self) -> None:
        """Put the inspector at the right, as far in as it has come."""
        inspector = self._parts.built_inspector
        if inspector is None:
            return
        is_of_page = self.pages.currentWidget() is self._parts.chat
        is_seen = is_of_page and (self._inspector_width > 0 or self._inside > 0)
        inspector.setVisible(is_seen)
        if is_seen:
            taken = min(self._slides_at, self.width() - self._parts.sidebar.reserved_width)
            x = self.width() - round(taken * self._inside)
            inspector.setGeometry(x, 0, taken, self.height())

    def _slide(self, end: float) -> None:
        """Bring the inspector in or out, at once where nobody sees it or wants no motion."""
        self._motion.stop()
        duration = self._look.theme.duration(SLIDE_MS) if self.pages.isVisible() else 0
        self._parts.sidebar.set_narrow(self._is_narrow(), animated=duration > 0)
        if duration:
            self._motion.setStartValue(self._inside)
            self._motion.setEndValue(end)
            self._motion.setDuration(duration)
            self._motion.start()
        else:
            self._inside = end

    @Slot(object)
    def _on_step(self, inside: float) -> None:
        self._inside = inside
        self._place_inspector()

    def _is_narrow(self) -> bool:
        copies = self._parts.built_smaller
        is_copies = copies is not None and self.pages.currentWidget() is copies
        below = RAIL_FOR_COPIES_BELOW if is_copies else RAIL_BELOW
        return self.width() < below or self._needs_rail()

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
