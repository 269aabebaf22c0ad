"""The head of a page: its title, and for a chat the model picker and the chat's menu."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QWidget

from app.ui.buttons import Tool
from app.ui.look import Look
from app.ui.model_picker import ModelPicker
from app.ui.title_field import TitleField

HEIGHT = 48
_SECOND = 40  # px: the height of a second row
_NARROW = 760  # px: below, the picker shows the name alone


class Header(QFrame):
    """48 px with a hairline below: a title at the left, what belongs to the page at the right.

    Where both do not fit beside each other, what belongs to the page has a row of its own.
    """

    def __init__(self, title: QWidget, *right: QWidget) -> None:
        super().__init__()
        self.setObjectName("header")
        self.setFixedHeight(HEIGHT)
        self._title = title
        self._right = QHBoxLayout()
        self._right.setSpacing(8)
        for widget in right:
            self._right.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(24, 0, 16, 0)
        self._row.setSpacing(8)
        self._row.addWidget(title, 1)
        self._row.addLayout(self._right)

    def event(self, event: QEvent) -> bool:
        """Take one row or two whenever the width or what stands here has changed."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._arrange()
        return super().event(event)

    def _arrange(self) -> None:
        needed = self._title.minimumSizeHint().width() + self._right.sizeHint().width() + 48
        breaks = needed > self.width()
        directions = QBoxLayout.Direction
        wanted = directions.TopToBottom if breaks else directions.LeftToRight
        if wanted != self._row.direction():
            self._row.setDirection(wanted)
            self._row.setSpacing(0 if breaks else 8)
            self._right.setAlignment(
                Qt.AlignmentFlag.AlignLeft if breaks else Qt.AlignmentFlag.AlignVCenter
            )
            self._row.setContentsMargins(24, 0, 16, 8 if breaks else 0)
            self.setFixedHeight(HEIGHT + (_SECOND if breaks else 0))


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
        self._row.setContentsMargins(20 if self.width() < _NARROW else 24, 0, 16, 0)
