"""A file that looks like a model and cannot be used: why, and the way to it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.language import Language
from app.ui.buttons import Tool
from app.ui.faults import fault_text
from app.ui.look import Look
from app.ui.words import Plain, breakable, wrapped
from engine.library.scan import Found


class UnreadableRow(QWidget):
    """The fault in a sentence, and a button that shows the file in the system's own window.

    Files of a store are called by a hash, those of a folder like those of any other: the model's
    name stands above the sentence where that does not say it.
    """

    def __init__(self, look: Look, found: Found) -> None:
        super().__init__()
        self._path = found.path
        self.show_file = Tool(look, "folder-open", "download-open-folder")
        name, said = found.called or found.path.name, sentence_of(found, look.language)
        self.show_file.setAccessibleName(look.language.text("models-show-file", name=name))
        self.show_file.clicked.connect(self._on_clicked)
        words = QVBoxLayout()
        words.setSpacing(0)
        if name not in said:
            words.addWidget(wrapped(Plain(breakable(name), "small-bold")))
        words.addWidget(wrapped(Plain(breakable(said), "small2")))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 2, 0, 2)
        row.setSpacing(8)
        row.addLayout(words, 1)
        row.addWidget(self.show_file, 0, Qt.AlignmentFlag.AlignTop)

    @Slot()
    def _on_clicked(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._path.parent)))


def sentence_of(found: Found, language: Language) -> str:
    """Return why it cannot be used; a file that a store calls by a hash by the name it has there.

    Args:
        found: what has a fault; "" is returned of what has none.
        language: of the sentence.
    """
    fault = found.fault
    if fault is None:
        return ""
    if Path(str(fault.figures.get("path", ""))).name == found.path.name and found.called:
        fault = replace(fault, figures={**fault.figures, "path": found.called})
    return fault_text(fault, language).sentence
