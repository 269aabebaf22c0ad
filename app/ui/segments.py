"""A row of joined buttons, one of which is chosen: few values that are worth comparing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from app.ui.look import Look


class Segments(QWidget):
    """One of several values.

    Args:
        look: theme and language.
        name_id: what is chosen here, for screen readers.
        options: value to what it is called, in the language of now.
    """

    chosen = Signal(str)

    def __init__(self, look: Look, name_id: str, options: Mapping[str, Callable[[], str]]) -> None:
        super().__init__()
        self._look, self._name_id, self._options = look, name_id, dict(options)
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QPushButton] = {}
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for value in options:
            button = self._buttons[value] = QPushButton()
            button.setProperty("kind", "segment")
            button.setProperty("place", self._place(value))
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(lambda _=False, value=value: self.chosen.emit(value))
            self._group.addButton(button)
            row.addWidget(button)
        look.follow(self._on_look_changed)

    @property
    def value(self) -> str:
        """What is chosen; empty before anything is."""
        return next((v for v, button in self._buttons.items() if button.isChecked()), "")

    def show_value(self, value: str) -> None:
        """Show another choice, without reporting it."""
        if value in self._buttons:
            self._buttons[value].setChecked(True)

    def _place(self, value: str) -> str:
        values = list(self._options)
        if len(values) == 1:
            return "only"
        return {values[0]: "first", values[-1]: "last"}.get(value, "middle")

    def _on_look_changed(self) -> None:
        name = self._look.language.text(self._name_id)
        for value, button in self._buttons.items():
            button.setText(self._options[value]())
            button.setAccessibleName(f"{name}: {button.text()}")
