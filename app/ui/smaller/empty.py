"""What the page of smaller copies shows without a model: it asks for one."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.words import Words, wrapped


class NoModel(QWidget):
    """The question, and the two ways to answer it."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.file = Button(look, "model-file", icon="file")
        self.folder = Button(look, "model-folder", icon="folder-simple")
        row, column = QHBoxLayout(), QVBoxLayout(self)
        column.setContentsMargins(0, 64, 0, 0)
        column.setSpacing(10)
        for widget in (
            Words(look, "smaller-empty", "name"),
            wrapped(Words(look, "smaller-empty-about", "body2")),
        ):
            widget.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.file)
        row.addWidget(self.folder)
        row.addStretch(1)
        column.addLayout(row)
