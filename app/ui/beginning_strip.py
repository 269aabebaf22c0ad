"""How the next answer has to begin: a line in the message box, there when somebody wants it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from app.ui.buttons import Tool
from app.ui.look import Look
from app.ui.words import Words


class BeginningField(QLineEdit):
    """One line; Enter sends, Escape gives the beginning up."""

    given_up = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the key that gives up."""
        if event.key() == Qt.Key.Key_Escape:
            self.given_up.emit()
        else:
            super().keyPressEvent(event)


class BeginningStrip(QWidget):
    """Words, a field and a cross; hidden while no beginning is wanted."""

    changed = Signal(str)
    send_requested = Signal()
    closed = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.field = BeginningField()
        self.field.setProperty("kind", "soft")
        self.field.textChanged.connect(self.changed)
        self.field.returnPressed.connect(self.send_requested)
        self.field.given_up.connect(self.close_it)
        cross = Tool(look, "x", "begins-drop", side=26)
        cross.clicked.connect(self.close_it)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 4, 0, 4)
        row.setSpacing(8)
        row.addWidget(Words(look, "begins", "small2"))
        row.addWidget(self.field, 1)
        row.addWidget(cross)
        self.hide()
        look.follow(self._on_look_changed)

    def text(self) -> str:
        """Return the beginning; spaces at its end would be the answer's first token."""
        return self.field.text().rstrip()

    def say(self, text: str) -> None:
        """Show a beginning, or go away with ""."""
        self.field.setText(text)
        self.setVisible(bool(text))

    @Slot()
    def open_it(self) -> None:
        """Come up, and take the cursor."""
        self.show()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def close_it(self) -> None:
        """Go away with what was written."""
        self.say("")
        self.closed.emit()

    def _on_look_changed(self) -> None:
        text = self._look.language.text
        self.field.setPlaceholderText(text("begins-example"))
        self.field.setAccessibleName(text("begins"))
