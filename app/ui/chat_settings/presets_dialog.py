"""Presets of one's own: kept under a name, renamed, copied, deleted, carried as a file."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QVBoxLayout,
    QWidget,
)

from app.chat.carried import LONGEST_NAME, free_name
from app.chat.presets import Preset, file_of, read_file
from app.ui.buttons import Button
from app.ui.carrying import CarryingDialog
from app.ui.look import Look
from app.ui.words import Words, wrapped
from engine.contract import Sampling


class PresetsDialog(CarryingDialog):
    """The presets at the left, what can be done with one at the right.

    Args:
        look: theme and language.
        presets: those there are.
        now: what the chat samples with, to be kept under a name.
        parent: the window.
    """

    changed = Signal(list)  # of Preset

    def __init__(
        self, look: Look, presets: Sequence[Preset], now: Sampling, parent: QWidget
    ) -> None:
        super().__init__(look, parent)
        self._presets, self._now = list(presets), now
        text = look.language.text
        self.setWindowTitle(text("presets-own"))
        self.list, self.name = QListWidget(), QLineEdit()
        self.list.setObjectName("form-field")
        self.list.setAccessibleName(text("presets-own"))
        self.name.setMaxLength(LONGEST_NAME)
        self.name.setPlaceholderText(text("preset-name"))
        self.name.setAccessibleName(text("preset-name"))
        self.keep = Button(look, "preset-keep", "main")
        self.rename, self.copy = Button(look, "preset-rename"), Button(look, "preset-copy")
        self.delete = Button(look, "preset-delete", "danger")
        self.bring, self.carry = Button(look, "preset-import"), Button(look, "preset-export")
        self._lay_out()
        self._show("")
        self.list.currentRowChanged.connect(self._on_row)
        self.name.textChanged.connect(self._enable)
        for button, act in (
            (self.keep, self._on_keep), (self.rename, self._on_rename), (self.copy, self._on_copy),
            (self.delete, self._on_delete), (self.bring, self.import_wanted),
            (self.carry, self._on_export),
        ):  # fmt: skip
            button.clicked.connect(act)

    def begin(self) -> None:
        """Wait for the name of a new one."""
        self.list.setCurrentRow(-1)
        self.name.clear()
        self.name.setFocus()

    def choose(self, name: str) -> None:
        """Show one of them, its name ready to be changed."""
        self._show(name)
        self.name.selectAll()

    def take(self, content: str) -> None:
        """Add the presets of a file."""
        self._take_over(self._presets, lambda: read_file(content), self._on_taken)

    def _on_taken(self, presets: list[Preset], count: int) -> None:
        self._presets = presets
        self._tell(presets[-1].name)
        self._say(self._look.language.text("preset-file-read", count=count))

    def _lay_out(self) -> None:
        right = QVBoxLayout()
        right.setSpacing(8)
        for widget in (self.name, self.keep, self.rename, self.copy, self.delete):
            right.addWidget(widget)
        right.addStretch()
        for widget in (self.bring, self.carry):
            right.addWidget(widget)
        both = QHBoxLayout()
        both.setSpacing(16)
        both.addWidget(self.list, 1)
        both.addLayout(right)
        close = Button(self._look, "file-close", "quiet")
        close.clicked.connect(self.accept)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(10)
        column.addWidget(Words(self._look, "presets-own", "title"))
        column.addWidget(wrapped(Words(self._look, "presets-own-about", "caption2")))
        column.addLayout(both, 1)
        column.addWidget(self.said)
        column.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        self.resize(560, 460)
        self.name.setFocus()

    def _show(self, name: str) -> None:
        self.list.blockSignals(True)
        self.list.clear()
        self.list.addItems([each.name for each in self._presets])
        self.list.blockSignals(False)
        names = [each.name for each in self._presets]
        self.list.setCurrentRow(names.index(name) if name in names else len(names) - 1)
        self._on_row(self.list.currentRow())

    @Slot(int)
    def _on_row(self, row: int) -> None:
        self.name.setText(self._presets[row].name if row >= 0 else "")
        self._enable()

    @Slot()
    def _enable(self) -> None:
        name, chosen = self.name.text().strip(), self._chosen()
        taken = any(each.name.casefold() == name.casefold() for each in self._presets)
        self.keep.setEnabled(bool(name))
        self.rename.setEnabled(bool(name) and chosen is not None and not taken)
        self.copy.setEnabled(chosen is not None)
        self.delete.setEnabled(chosen is not None)
        self.carry.setEnabled(bool(self._presets))

    def _chosen(self) -> Preset | None:
        row = self.list.currentRow()
        return self._presets[row] if 0 <= row < len(self._presets) else None

    def _put(self, preset: Preset, old: str = "") -> None:
        """Add a preset in place of its namesake, or of the one called ``old``."""
        gone = {preset.name.casefold(), old.casefold()}
        self._presets = [each for each in self._presets if each.name.casefold() not in gone]
        self._presets.append(preset)
        self._tell(preset.name)

    def _tell(self, name: str) -> None:
        self.changed.emit(list(self._presets))
        self._show(name)

    @Slot()
    def _on_keep(self) -> None:
        self._put(Preset(self.name.text().strip(), self._now))

    @Slot()
    def _on_rename(self) -> None:
        if (chosen := self._chosen()) is not None:
            self._put(Preset(self.name.text().strip(), chosen.sampling), chosen.name)

    @Slot()
    def _on_copy(self) -> None:
        if (chosen := self._chosen()) is None:
            return
        name = free_name(chosen.name, [each.name for each in self._presets])
        self._put(Preset(name, chosen.sampling))

    @Slot()
    def _on_delete(self) -> None:
        if (chosen := self._chosen()) is not None:
            self._presets.remove(chosen)
            self._tell("")

    @Slot()
    def _on_export(self) -> None:
        self.export_wanted.emit(file_of(self._presets))
