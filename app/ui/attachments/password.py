"""The password of an encrypted PDF: asked for, used once, kept nowhere."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.words import Plain, Words, wrapped


class PasswordDialog(QDialog):
    """Asks for the password of one file."""

    given = Signal(str)

    def __init__(self, look: Look, name: str, parent: QWidget, *, wrong: bool) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = look.language.text("file-password-title", name=name)
        self.setWindowTitle(title)
        self.field = QLineEdit()
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setAccessibleName(look.language.text("file-password"))
        self.open_it = Button(look, "file-password-open", "main")
        cancel = Button(look, "cancel", "quiet")
        self.open_it.clicked.connect(self._on_given)
        self.field.returnPressed.connect(self._on_given)
        cancel.clicked.connect(self.reject)
        buttons = QHBoxLayout()
        buttons.addStretch()
        buttons.addWidget(cancel)
        buttons.addWidget(self.open_it)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(10)
        column.addWidget(wrapped(Plain(title, "title")))
        about = "file-password-wrong" if wrong else "file-password-about"
        column.addWidget(wrapped(Words(look, about, "wrong" if wrong else "caption2")))
        column.addWidget(self.field)
        column.addLayout(buttons)
        self.resize(440, 190)
        QTimer.singleShot(0, self.field, self.field.setFocus)

    @Slot()
    def _on_given(self) -> None:
        if self.field.text():
            self.given.emit(self.field.text())
            self.accept()
