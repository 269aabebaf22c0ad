"""The columns that found models stand in: name, maker, figures, how it fits, a button."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.ui.look import Look

FIGURES = ("size", "expected", "downloads")
_WIDTHS = 88, 92, 96  # px of each
_HERE, _BUTTON = 210, 72  # px
_NAME, _MAKER = 5, 3  # shares of what is left
_APART = 12
_ANY = 16_777_215  # what Qt takes for no limit


class Columns:
    """Lays one row out, as wide as every other where it stands in columns.

    Args:
        row: gets the layout.
        name: the first column; the only one that stays where it is narrow.
        maker: whose it is.
        figures: one label for each of ``FIGURES``.
        here: how it fits this computer.
        button: at the end.
    """

    def __init__(
        self,
        row: QWidget,
        name: QVBoxLayout,
        maker: QLabel,
        figures: Sequence[QLabel],
        here: QWidget,
        button: QWidget,
    ) -> None:
        self._maker, self._figures, self._here, self._button = maker, figures, here, button
        self._wide = True
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 6, 0, 6)
        line.setSpacing(_APART)
        line.addLayout(name, _NAME)
        line.addWidget(maker, _MAKER)
        for label in figures:
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            line.addWidget(label)
        line.addWidget(here)
        line.addWidget(button)

    def place(self, look: Look, *, wide: bool) -> None:
        """Stand in columns, or leave all but name, fit and button to the name's second line."""
        self._wide = wide
        for label in (self._maker, *self._figures):
            label.setVisible(wide)
        self.resize(look)

    def resize(self, look: Look) -> None:
        """Take the widths of the text size."""
        px = look.theme.px
        for label, width in zip(self._figures, _WIDTHS, strict=True):
            label.setFixedWidth(px(width))
        self._here.setMinimumWidth(px(_HERE) if self._wide else 0)
        self._here.setMaximumWidth(px(_HERE) if self._wide else _ANY)
        self._button.setMinimumWidth(px(_BUTTON) if self._wide else 0)
