"""What the models page shows without a model: why, and the ways to one."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.ui.attachments.flow import Flow
from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.words import Plain, wrapped

_GAP = 8


class NoModels(QWidget):
    """A sentence; below it the ways to a model, where there is none at all."""

    add_requested = Signal()
    file_requested = Signal()
    folder_requested = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._words = wrapped(Plain("", "body2"))
        self.add = Button(look, "welcome-suggestions", icon="stack")
        self.file = Button(look, "model-file", icon="file")
        self.folder = Button(look, "model-folder", icon="folder-simple")
        self._ways = Flow(gap=_GAP)
        self._ways.show_widgets((self.add, self.file, self.folder))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 12, 12)
        column.setSpacing(12)
        column.addWidget(self._words)
        column.addWidget(self._ways)
        self.add.clicked.connect(self.add_requested)
        self.file.clicked.connect(self.file_requested)
        self.folder.clicked.connect(self.folder_requested)

    @property
    def said(self) -> str:
        """Return the sentence."""
        return self._words.text()

    def say(self, text: str, *, leads_on: bool) -> None:
        """Say why no model is shown, with the ways to one or without."""
        self._words.setText(text)
        self._ways.setVisible(leads_on)
        self._ways.look_again()
