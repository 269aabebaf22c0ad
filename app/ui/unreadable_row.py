"""A file that looks like a model and cannot be used: why, and the way to it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.ui.buttons import Tool
from app.ui.faults import fault_text
from app.ui.look import Look
from app.ui.words import Plain, wrapped
from engine.contract import Fault


class UnreadableRow(QWidget):
    """The fault in a sentence, and a button that shows the file in the system's own window."""

    def __init__(self, look: Look, path: Path, fault: Fault) -> None:
        super().__init__()
        self._path = path
        self.show_file = Tool(look, "folder-open", "download-open-folder")
        said = fault_text(fault, look.language).sentence
        self.show_file.setAccessibleName(look.language.text("models-show-file", name=path.name))
        self.show_file.clicked.connect(self._on_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 2, 0, 2)
        row.setSpacing(8)
        row.addWidget(wrapped(Plain(said, "small2")), 1)
        row.addWidget(self.show_file, 0, Qt.AlignmentFlag.AlignTop)

    @Slot()
    def _on_clicked(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._path.parent)))
