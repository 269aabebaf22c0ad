"""Prompts to be written, changed and deleted."""

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

from app.chat.carried import LONGEST_NAME
from app.chat.templates import Template, file_of, line_of, read_file, templates_of
from app.ui.buttons import Button
from app.ui.carrying import CarryingDialog
from app.ui.look import Look
from app.ui.plain_field import PlainField
from app.ui.words import Words, wrapped


class TemplatesDialog(CarryingDialog):
    """All prompts at the left, the chosen one at the right.

    One of the program's, changed, becomes one's own and takes its place; deleted, the program's
    is back.
    """

    changed = Signal(list)  # what the settings keep

    def __init__(
        self, look: Look, kept: Sequence[str], built_in: Sequence[Template], parent: QWidget
    ) -> None:
        super().__init__(look, parent)
        self._kept, self._built_in = list(kept), built_in
        self._shown: list[Template] = []
        text = look.language.text
        self.setWindowTitle(text("templates-title"))
        self.list = QListWidget()
        self.list.setObjectName("form-field")
        self.list.setAccessibleName(text("templates-title"))
        self.list.setFixedWidth(200)
        self.list.currentRowChanged.connect(self._on_row_changed)
        self.name = QLineEdit()
        self.name.setMaxLength(LONGEST_NAME)
        self.name.setPlaceholderText(text("templates-name"))
        self.name.setAccessibleName(text("templates-name"))
        self.text = PlainField()
        self.text.setObjectName("form-field")
        self.text.setTabChangesFocus(True)
        self.text.setPlaceholderText(text("templates-text"))
        self.text.setAccessibleName(text("templates-text"))
        self.new = Button(look, "templates-new", icon="plus", size="small")
        self.delete = Button(look, "templates-delete", "danger", size="small")
        self.keep = Button(look, "save", "main")
        self.bring = Button(look, "preset-import", size="small")
        self.carry = Button(look, "preset-export", size="small")
        self._lay_out()
        self._connect()
        self._show("")

    def _lay_out(self) -> None:
        left, right, foot = QVBoxLayout(), QVBoxLayout(), QHBoxLayout()
        left.addWidget(self.list, 1)
        left.addWidget(self.new)
        files = QHBoxLayout()
        files.addWidget(self.bring)
        files.addWidget(self.carry)
        left.addLayout(files)
        close = Button(self._look, "file-close", "quiet")
        close.clicked.connect(self.accept)
        foot.addWidget(self.delete)
        foot.addStretch()
        foot.addWidget(close)
        foot.addWidget(self.keep)
        right.setSpacing(8)
        right.addWidget(self.name)
        right.addWidget(self.text, 1)
        right.addLayout(foot)
        both = QHBoxLayout()
        both.setSpacing(16)
        both.addLayout(left)
        both.addLayout(right, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(10)
        column.addWidget(Words(self._look, "templates-title", "title"))
        column.addWidget(wrapped(Words(self._look, "templates-about", "caption2")))
        column.addLayout(both, 1)
        column.addWidget(self.said)
        self.resize(720, 480)

    def take(self, content: str) -> None:
        """Add the prompts of a file."""
        self._take_over(self._own(), lambda: read_file(content), self._on_taken)

    def _own(self) -> list[Template]:
        return templates_of(self._kept, [])

    def _on_taken(self, templates: list[Template], count: int) -> None:
        self._kept = [line_of(each) for each in templates]
        self.changed.emit(self._kept)
        self._show(templates[-1].name)
        self._say(self._look.language.text("templates-file-read", count=count))

    @Slot()
    def _on_export(self) -> None:
        self.export_wanted.emit(file_of(self._own()))

    def _connect(self) -> None:
        self.bring.clicked.connect(self.import_wanted)
        self.carry.clicked.connect(self._on_export)
        self.new.clicked.connect(self._on_new)
        self.delete.clicked.connect(self._on_delete)
        self.keep.clicked.connect(self._on_keep)
        self.name.textChanged.connect(self._on_typed)
        self.text.textChanged.connect(self._on_typed)

    def _show(self, name: str) -> None:
        """List all prompts, with one of them chosen."""
        self._shown = templates_of(self._kept, self._built_in)
        self.list.blockSignals(True)
        self.list.clear()
        for each in self._shown:
            tail = "" if each.is_own else f" · {self._look.language.text('templates-built-in')}"
            self.list.addItem(each.name + tail)
        self.list.blockSignals(False)
        names = [each.name for each in self._shown]
        self.list.setCurrentRow(names.index(name) if name in names else 0)
        self.carry.setEnabled(any(each.is_own for each in self._shown))
        self._on_row_changed(self.list.currentRow())

    @Slot(int)
    def _on_row_changed(self, row: int) -> None:
        chosen = self._shown[row] if 0 <= row < len(self._shown) else Template("", "")
        self.name.setText(chosen.name)
        self.text.setPlainText(chosen.text)
        self.delete.setEnabled(bool(chosen.name) and chosen.is_own)
        self._on_typed()

    @Slot()
    def _on_typed(self) -> None:
        name, text = self.name.text().strip(), self.text.toPlainText().strip()
        known = any((each.name, each.text.strip()) == (name, text) for each in self._shown)
        self.keep.setEnabled(bool(name and text) and not known)

    @Slot()
    def _on_new(self) -> None:
        self.list.clearSelection()
        self.list.setCurrentRow(-1)
        self.name.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _on_keep(self) -> None:
        row = self.list.currentRow()
        old = self._shown[row].name if 0 <= row < len(self._shown) else ""
        template = Template(self.name.text().strip(), self.text.toPlainText())
        self._change(without=(old, template.name), more=[line_of(template)])
        self._show(template.name)

    @Slot()
    def _on_delete(self) -> None:
        name = self._shown[self.list.currentRow()].name
        self._change(without=(name,), more=[])
        self._show(name)

    def _change(self, without: Sequence[str], more: list[str]) -> None:
        gone = {name.casefold() for name in without}
        kept = [line for line in self._kept if line.partition("\n")[0].casefold() not in gone]
        self._kept = [*kept, *more]
        self.changed.emit(self._kept)
