"""Files that look like models and cannot be used: why, the way to each, and its removal."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.language import Language
from app.ui.buttons import Tool
from app.ui.faults import fault_text
from app.ui.look import Look
from app.ui.words import Plain, Words, breakable, wrapped
from engine.library.removal import is_ours
from engine.library.scan import Found


@dataclass(frozen=True, slots=True)
class Unusable:
    """What can be removed though it is no model: as much as a model's removal asks for."""

    path: Path
    name: str
    size_bytes: int


class UnreadableList(QWidget):
    """A title and a row each; nothing where there are none."""

    removal_wanted = Signal(object)  # Unusable

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 12, 0)

    def show_found(self, found: Sequence[Found], own: Path) -> None:
        """Show these; what lies in our own folder can be removed.

        Args:
            found: each with a fault.
            own: the folder.
        """
        while (item := self._column.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        if found:
            self._column.addWidget(Words(self._look, "models-unreadable", "small-bold"))
        for each in found:
            row = UnreadableRow(self._look, each, can_remove=is_ours(each.path, own))
            row.removal_wanted.connect(self.removal_wanted)
            self._column.addWidget(row)


class UnreadableRow(QWidget):
    """The fault in a sentence, and a button that shows the file in the system's own window.

    Files of a store are called by a hash, those of a folder like those of any other: the model's
    name stands above the sentence where that does not say it.
    """

    removal_wanted = Signal(object)  # Unusable

    def __init__(self, look: Look, found: Found, *, can_remove: bool = False) -> None:
        super().__init__()
        self._path = found.path
        self.remove = Tool(look, "trash", "model-remove")
        self.remove.setVisible(can_remove)
        self.show_file = Tool(look, "folder-open", "download-open-folder")
        name, said = found.called or found.path.name, sentence_of(found, look.language)
        self.show_file.setAccessibleName(look.language.text("models-show-file", name=name))
        self.show_file.clicked.connect(self._on_clicked)
        self._name = name
        self.remove.setAccessibleName(f"{look.language.text('model-remove')}: {name}")
        self.remove.clicked.connect(self._on_remove_clicked)
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
        row.addWidget(self.remove, 0, Qt.AlignmentFlag.AlignTop)

    @Slot()
    def _on_clicked(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._path.parent)))

    @Slot()
    def _on_remove_clicked(self) -> None:
        self.removal_wanted.emit(Unusable(self._path, self._name, size_of(self._path)))


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of the files in a folder; 0 of what has gone meanwhile."""
    files = [each for each in path.iterdir() if each.is_file()] if path.is_dir() else [path]
    with suppress(OSError):
        return sum(each.stat().st_size for each in files)
    return 0


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
