"""Where models are looked for: our folder, the user's, and those of other programs."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.store.settings import SettingsFile
from app.ui.buttons import Button, Tool
from app.ui.form_controls import Switch
from app.ui.look import Look
from app.ui.model_shelf import ModelShelf
from app.ui.status_items import StatusIcon
from app.ui.words import Elided, Words
from engine.library.sources import OTHERS, SourceKind


class SourceRows(QWidget):
    """A switch for each program whose models are used where they lie."""

    def __init__(self, look: Look, settings: SettingsFile, shelf: ModelShelf) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 8)
        column.setSpacing(0)
        self.switches: dict[SourceKind, Switch] = {}
        for kind in OTHERS:
            name = f"source-{kind.value}"
            switch = self.switches[kind] = Switch(look, name)
            switch.setChecked(kind.value not in settings.settings.sources_off)
            switch.toggled.connect(lambda on, kind=kind: shelf.switch_source(kind, on=on))
            line = QHBoxLayout()
            line.setContentsMargins(0, 4, 0, 4)
            line.addWidget(Words(look, name, "small"), 1)
            line.addWidget(switch)
            column.addLayout(line)


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
        line.addWidget(
            StatusIcon(self._look, "file" if folder.suffix else "folder-simple", "ink2", 16)
        )
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
