"""A value that is copied into another program: its name, itself, and a button."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.ui.buttons import Tool
from app.ui.look import Look
from app.ui.words import Plain, Words

_NAME_WIDTH = 88
_SAID_MS = 1500


class CopyRow(QWidget):
    """The value can be marked with the mouse, or copied with the button.

    Args:
        look: theme and language.
        name_id: of the value; empty shows none.
        lines: whether it has several lines, which wrap anywhere.
    """

    def __init__(self, look: Look, name_id: str, *, lines: bool = False) -> None:
        super().__init__()
        self._text, self._look = "", look
        self._value = Plain("", "code")
        self._value.setTextFormat(Qt.TextFormat.PlainText)
        flags = Qt.TextInteractionFlag
        self._value.setTextInteractionFlags(
            flags.TextSelectableByMouse | flags.TextSelectableByKeyboard
        )
        self._value.setWordWrap(True)
        self._value.setMinimumWidth(1)
        self.copy = Tool(look, "copy", "server-copy")
        self._timer = QTimer(self, singleShot=True, interval=_SAID_MS)
        self._timer.timeout.connect(lambda: self.copy.show_as("copy", "server-copy"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        if name_id:
            name = Words(look, name_id, "small2")
            name.setMinimumWidth(_NAME_WIDTH)
            row.addWidget(name)
        row.addWidget(self._value, 1)
        place = Qt.AlignmentFlag.AlignTop if lines else Qt.AlignmentFlag.AlignVCenter
        row.addWidget(self.copy, 0, place)
        self.copy.clicked.connect(self._on_copy)
        look.follow(self._on_look_changed)

    @property
    def text(self) -> str:
        """The value."""
        return self._text

    def show_text(self, text: str, without: str = "") -> None:
        """Show a value; without one, say so."""
        self._text = text
        self._value.setText(text or without)
        self.copy.setEnabled(bool(text))

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text)
        self.copy.show_as("check", "server-copied")
        self._timer.start()

    @Slot()
    def _on_look_changed(self) -> None:
        self._value.setFont(self._look.theme.font("code"))
