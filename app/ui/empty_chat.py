"""What an empty chat shows: what may be done here, and three ways to begin."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from app.ui.look import Look
from app.ui.seal import Seal
from app.ui.words import Words, wrapped

SUGGESTIONS = ("suggestion-explain", "suggestion-write", "suggestion-code")
LOWEST = 112  # px: room for the two lines of text alone; notices and the message box come first
_SUGGESTION = 38  # px: a suggestion with its gap
_WITH_SEAL = 290  # px: from this height on, the seal stands above all of it


class Body(QStackedWidget):
    """What gives way when the page is low: the notices and the box below it are never clipped."""

    def hasHeightForWidth(self) -> bool:
        """Ask for no height; what an empty chat says would be squeezed in with the notices."""
        return False


class EmptyChat(QWidget):
    """Stands in the transcript's place; a suggestion goes into the message box, to be changed."""

    suggested = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._buttons = [QPushButton() for _ in SUGGESTIONS]
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addStretch(3)
        self._seal = Seal(look.theme, 40)
        column.addWidget(self._seal)
        column.addSpacing(16)
        column.addWidget(wrapped(Words(look, "empty-headline", "figure-large")))
        column.addSpacing(4)
        column.addWidget(Words(look, "empty-about", "reading2"))
        column.addSpacing(16)
        for button in self._buttons:
            button.setProperty("kind", "suggestion")
            button.clicked.connect(self._on_clicked)
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
            column.addSpacing(8)
        column.addStretch(2)
        inside = self._inside = QWidget()
        column.setContentsMargins(0, 0, 0, 0)
        inside.setLayout(column)
        self._row = QHBoxLayout(self)
        self._row.addStretch(1)
        self._row.addWidget(inside, 1000)
        self._row.addStretch(1)
        look.follow(self._on_look_changed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the side margins of the transcript."""
        super().resizeEvent(event)
        side = 20 if self.width() < 800 else 24
        self._row.setContentsMargins(side, 16, side, 16)
        self._seal.setVisible(self.height() >= _WITH_SEAL)
        room = max(0, self.height() - LOWEST) // _SUGGESTION
        for number, button in enumerate(self._buttons):
            button.setVisible(number < room)

    @Slot()
    def _on_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, QPushButton):
            self.suggested.emit(button.accessibleName())

    @Slot()
    def _on_look_changed(self) -> None:
        self._inside.setMaximumWidth(self._look.theme.column)
        for button, text_id in zip(self._buttons, SUGGESTIONS, strict=True):
            text = self._look.language.text(text_id)
            button.setText(f"\u2002{text}")
            button.setAccessibleName(text)
            button.setIcon(self._look.theme.icon("arrow-bend-down-right"))
