"""The folders that models are looked for in: our own, and the ones that the user added."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.ui.buttons import Button, Tool
from app.ui.look import Look
from app.ui.model_shelf import ModelShelf
from app.ui.status_items import StatusIcon
from app.ui.words import Elided


class FolderRows(QWidget):
    """A row for each folder, and a button to add one."""

    def __init__(self, look: Look, shelf: ModelShelf) -> None:
        super().__init__()
        self._look, self._shelf = look, shelf
        self._shown: tuple[Path, ...] = ()
        self._rows = QVBoxLayout()
        self._rows.setSpacing(0)
        add = Button(look, "folder-add", icon="plus")
        add.clicked.connect(self._on_add_clicked)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 8)
        column.setSpacing(8)
        column.addLayout(self._rows)
        column.addWidget(add, 0, Qt.AlignmentFlag.AlignLeft)
        shelf.changed.connect(self._on_shelf_changed)
        self._on_shelf_changed()

    @Slot()
    def _on_shelf_changed(self) -> None:
        if self._shelf.folders == self._shown:
            return
        self._shown = self._shelf.folders
        while (item := self._rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for number, folder in enumerate(self._shown):
            self._rows.addWidget(self._row(folder, removable=number > 0))

    def _row(self, folder: Path, *, removable: bool) -> QWidget:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 3, 0, 3)
        line.setSpacing(10)
        line.addWidget(StatusIcon(self._look, "folder-simple", "ink2", 16))
        line.addWidget(Elided(str(folder), "path"), 1)
        if removable:
            away = Tool(self._look, "x", "folder-remove")
            away.clicked.connect(lambda _=False, folder=folder: self._shelf.remove_folder(folder))
            line.addWidget(away)
        return row

    @Slot()
    def _on_add_clicked(self) -> None:
        dialog = QFileDialog(self.window(), self._look.language.text("model-folder-title"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(lambda chosen: self._shelf.add_folder(Path(chosen)))
        dialog.open()
