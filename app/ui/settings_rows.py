"""What settings pages are made of: a section with its title, rows of words and a control."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.ui.buttons import keys_text
from app.ui.look import Look
from app.ui.words import Plain, Words, wrapped


class SettingRow(QWidget):
    """A setting: what it is, what it means, and at the right the control for it."""

    def __init__(self, look: Look, name_id: str, about_id: str, *controls: QWidget) -> None:
        super().__init__()
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(Words(look, name_id, "body"))
        if about_id:
            words.addWidget(wrapped(Words(look, about_id, "caption")))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 10, 0, 10)
        row.setSpacing(16)
        row.addLayout(words, 1)
        for control in controls:
            row.addWidget(control, 0, Qt.AlignmentFlag.AlignVCenter)


class Section(QWidget):
    """A title and rows below it, a hairline between two."""

    def __init__(self, look: Look, title_id: str, rows: Sequence[QWidget]) -> None:
        super().__init__()
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(0)
        self.column.addWidget(Words(look, title_id, "title"))
        self.column.addSpacing(8)
        for number, row in enumerate(rows):
            if number:
                self.column.addWidget(rule())
            self.column.addWidget(row)


class KeyRow(QWidget):
    """What a shortcut does, and its keys as key caps."""

    def __init__(self, look: Look, name_id: str, keys: str) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 6, 0, 6)
        row.setSpacing(6)
        row.addWidget(Words(look, name_id, "small"), 1)
        cap = Plain(keys_text(keys), "keycap")
        cap.setMinimumHeight(22)
        row.addWidget(cap, 0, Qt.AlignmentFlag.AlignVCenter)


def rule() -> QFrame:
    """Return a hairline."""
    line = QFrame()
    line.setObjectName("rule")
    line.setFixedHeight(1)
    return line
