"""The head of a page: its title, and for a chat the model picker and the chat's menu."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from app.ui.buttons import Tool
from app.ui.look import Look
from app.ui.model_picker import ModelPicker
from app.ui.title_field import TitleField

HEIGHT = 48
_NARROW = 760  # px: below, the picker shows the name alone


class Header(QFrame):
    """48 px with a hairline below: a title at the left, what belongs to the page at the right."""

    def __init__(self, title: QWidget, *right: QWidget) -> None:
        super().__init__()
        self.setObjectName("header")
        self.setFixedHeight(HEIGHT)
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 0, 16, 0)
        row.setSpacing(8)
        row.addWidget(title, 1)
        for widget in right:
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)


class ChatHeader(Header):
    """The head of a chat."""

    def __init__(self, look: Look) -> None:
        self.picker = ModelPicker(look)
        self.inspect = Tool(look, "path", "inspector-open", "Ctrl+I", side=36, icon_size=18)
        self.inspect.setCheckable(True)
        self.more = Tool(look, "dots-three", "chat-more", side=36, icon_size=18)
        self.title = TitleField(look)
        super().__init__(self.title, self.picker, self.inspect, self.more)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the title its room."""
        super().resizeEvent(event)
        self.picker.set_narrow(self.width() < _NARROW)
        row = self.layout()
        if row is not None:
            side = 20 if self.width() < _NARROW else 24
            row.setContentsMargins(side, 0, 16, 0)
