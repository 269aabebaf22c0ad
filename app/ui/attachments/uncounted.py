"""What is asked when the engine could not say whether the files of a message fit."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.words import Plain, Words, wrapped


class UncountedDialog(QDialog):
    """Offers to send all the same, or without the files that could not be counted."""

    send_wanted = Signal()
    left_out = Signal()

    def __init__(self, look: Look, names: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        shown = ", ".join(" ".join(name.split()) for name in names)
        title = look.language.text("file-uncounted", name=shown, count=len(names))
        self.setWindowTitle(title)
        self.drop = Button(look, "fit-drop" if len(names) == 1 else "file-uncounted-drop", "danger")
        self.send = Button(look, "file-uncounted-send", "main")
        cancel = Button(look, "cancel", "quiet")
        self.drop.clicked.connect(self._on_dropped)
        self.send.clicked.connect(self._on_sent)
        cancel.clicked.connect(self.reject)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.drop)
        buttons.addStretch()
        buttons.addWidget(cancel)
        buttons.addWidget(self.send)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(10)
        column.addWidget(wrapped(Plain(title, "title")))
        column.addWidget(wrapped(Words(look, "file-uncounted-about", "small2")))
        column.addStretch()
        column.addLayout(buttons)
        self.resize(520, 190)

    @Slot()
    def _on_sent(self) -> None:
        self.accept()
        self.send_wanted.emit()

    @Slot()
    def _on_dropped(self) -> None:
        self.accept()
        self.left_out.emit()
