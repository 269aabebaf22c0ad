"""The field for a question to both: one line that grows, with a sign before it; Enter asks."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout

from app.ui.look import Look
from app.ui.message_field import MessageField
from app.ui.status_items import StatusIcon

_ICON, _LINE = 16, 22  # px


class QuestionInput(MessageField):
    """What is typed into, named for what it is for."""

    def _on_look_changed(self) -> None:
        self.setFont(self._look.theme.font("small"))
        name = self._look.language.text("smaller-question")
        self.setAccessibleName(name)
        self.setPlaceholderText(name)
        self._on_size_changed()


class QuestionField(QFrame):
    """The frame around it, which shows the focus."""

    asked = Signal()
    edited = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("soft-field")
        self.input = QuestionInput(look)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 5, 6, 0)  # the input has its air below
        row.setSpacing(6)
        sign = StatusIcon(look, "chat-text", "ink2", _ICON, tall=_LINE)
        row.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.input, 1)
        self.setFocusProxy(self.input)
        self.input.send_requested.connect(self.asked)
        self.input.textChanged.connect(self.edited)
        self.input.focus_changed.connect(self._on_focus_changed)

    @property
    def text(self) -> str:
        """What is typed."""
        return self.input.toPlainText().strip()

    def say(self, text: str) -> None:
        """Show another question."""
        self.input.say(text)

    @Slot(bool)
    def _on_focus_changed(self, has_focus: bool) -> None:
        self.setProperty("active", has_focus)
        self.style().unpolish(self)
        self.style().polish(self)
