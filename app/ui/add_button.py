"""The button that adds a model, and its menu of ways to do that."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Signal, Slot
from PySide6.QtWidgets import QMenu

from app.ui.buttons import Button
from app.ui.look import Look


class AddButton(Button):
    """Opens a menu: find one, a file, a folder, a server's, a smaller copy, look again."""

    search_requested = Signal()
    file_requested = Signal()
    folder_requested = Signal()
    remote_requested = Signal()
    smaller_requested = Signal()
    scan_requested = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__(look, "model-add", "main", icon="plus")
        self._menu = QMenu(self)
        self.clicked.connect(self._open)

    @Slot()
    def _open(self) -> None:
        text, icon = self._look.language.text, self._look.theme.icon
        self._menu.clear()
        for text_id, name, wanted in (
            ("add-model", "magnifying-glass", self.search_requested),
            ("model-file", "file", self.file_requested),
            ("model-folder", "folder-simple", self.folder_requested),
            ("remote-add", "globe", self.remote_requested),
            ("smaller-verb", "arrows-in-simple", self.smaller_requested),
            ("models-scan", "arrows-clockwise", self.scan_requested),
        ):
            self._menu.addAction(icon(name), text(text_id)).triggered.connect(wanted)
        self._menu.popup(self.mapToGlobal(QPoint(0, self.height() + 4)))
