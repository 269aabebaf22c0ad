"""The licences of everything that others wrote: a list of the parts, the text of the chosen one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QListWidget,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.about.licences import Part
from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.words import Plain, Words, wrapped

_LIST = 230  # px at 100 %


class LicencesDialog(QDialog):
    """Asks for the parts and their texts by signals, and shows what comes."""

    text_wanted = Signal(object)  # Part

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._look, self._parts = look, list[Part]()
        text = look.language.text
        self.setWindowTitle(text("about-licences"))
        self.list = QListWidget()
        self.list.setAccessibleName(text("about-parts"))
        self.list.setFixedWidth(look.theme.px(_LIST))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.about = wrapped(Plain("", "small2"))
        self.text = QPlainTextEdit()
        self.text.setObjectName("form-field")
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setFont(look.theme.font("code"))
        self.text.setAccessibleName(text("about-text"))
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.list.currentRowChanged.connect(self._on_chosen)
        self._lay_out()
        room = window.size() - QSize(40, 40)
        self.resize(QSize(look.theme.px(860), look.theme.px(620)).boundedTo(room))
        self.list.setFocus()

    def show_parts(self, parts: Sequence[Part]) -> None:
        """Show the parts, the first one chosen."""
        self._parts = list(parts)
        for part in parts:
            self.list.addItem(f"{part.name} {part.version}".strip())
        self.list.setCurrentRow(0)

    def show_text(self, part: Part, text: str) -> None:
        """Show the licence of a part, if it is still the chosen one."""
        if self._parts[self.list.currentRow()] is part:
            self.text.setPlainText(text or self._look.language.text("about-no-text"))

    @Slot(int)
    def _on_chosen(self, row: int) -> None:
        part = self._parts[row]
        licence = part.licence or self._look.language.text("about-licence-below")
        self.about.setText("\n".join(each for each in (licence, part.home) if each))
        self.text.clear()
        self.text_wanted.emit(part)

    def _lay_out(self) -> None:
        close = Button(self._look, "close", "main")
        close.clicked.connect(self.accept)
        foot = QHBoxLayout()
        foot.addStretch()
        foot.addWidget(close)
        right = QVBoxLayout()
        right.setSpacing(8)
        right.addWidget(self.about)
        right.addWidget(self.text, 1)
        both = QHBoxLayout()
        both.setSpacing(16)
        both.addWidget(self.list)
        both.addLayout(right, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(10)
        column.addWidget(Words(self._look, "about-licences", "title"))
        column.addLayout(both, 1)
        column.addLayout(foot)
