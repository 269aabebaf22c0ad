"""The sizes to choose from: the three presets, and one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QHBoxLayout,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.choice_button import ChoiceButton
from app.ui.look import Look
from app.ui.segments import Segments
from app.ui.words import Plain, Words, wrapped
from engine.library.recipes import BITS, GROUPS, PRESETS, Method, Recipe, Scheme

CUSTOM = "custom"
BUNDLED, FILE, CHATS = "bundled", "file", "chats"
_INDENT = 24


class OptionRow(QWidget):
    """A size: its name, what it is for, how large the copy would be."""

    def __init__(self, look: Look, key: str) -> None:
        super().__init__()
        self._look, self._key = look, key
        self.button = QRadioButton()
        self._size, self._mark = Plain("", "small2"), Plain("", "badge")
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.button, 1)
        head.addWidget(self._mark)
        head.addWidget(self._size)
        about = QHBoxLayout()
        about.setContentsMargins(_INDENT, 0, 0, 0)
        about.addWidget(wrapped(Words(look, f"smaller-{key}-about", "caption2")))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 5, 0, 5)
        column.setSpacing(1)
        column.addLayout(head)
        column.addLayout(about)
        look.follow(self._on_look_changed)

    def show_size(self, size: str, mark: str = "") -> None:
        """Say how large a copy is, and whether one was made."""
        self._mark.setText(mark)
        self._mark.setVisible(bool(mark))
        self._size.setText(size)
        self._on_look_changed()

    @Slot()
    def _on_look_changed(self) -> None:
        name = self._look.language.text(f"smaller-{self._key}")
        self.button.setText(name)
        said = (name, self._mark.text(), self._size.text())
        self.button.setAccessibleName(", ".join(each for each in said if each))
        self.button.setAccessibleDescription(self._look.language.text(f"smaller-{self._key}-about"))


class Options(QWidget):
    """One of the sizes is chosen; a size of one's own opens its settings below."""

    chosen = Signal()
    file_requested = Signal()
    chats_requested = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.rows = {key: OptionRow(look, key) for key in (*PRESETS, CUSTOM)}
        self.calibration: Path | None = None
        group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for row in self.rows.values():
            group.addButton(row.button)
            column.addWidget(row)
        self._own = self._make_own()
        column.addWidget(self._own)
        group.buttonToggled.connect(self._on_toggled)
        self.choose("4")

    @property
    def key(self) -> str:
        """Which is chosen."""
        return next((k for k, row in self.rows.items() if row.button.isChecked()), "4")

    @property
    def recipe(self) -> Recipe:
        """What is chosen, as the engine takes it."""
        return self.recipe_of(self.key)

    def recipe_of(self, key: str) -> Recipe:
        """Return what a size is to the engine."""
        if key != CUSTOM:
            return PRESETS[key]
        bits, method = int(self.bits.value), Method(self.method.value)
        kept = PRESETS["4"].kept_share if bits < 8 and method is not Method.NEAREST else 0.0
        return Recipe(Scheme(bits, int(self.group.value)), method, kept)

    def choose(self, key: str) -> None:
        """Choose a size."""
        self.rows[key].button.setChecked(True)
        self._own.setVisible(key == CUSTOM)

    def show_sizes(self, sizes: Mapping[str, str], made: Mapping[str, str]) -> None:
        """Say how large each copy would be, or is."""
        for key, row in self.rows.items():
            row.show_size(sizes.get(key, ""), made.get(key, ""))

    def show_calibration(self, value: str, path: Path | None) -> None:
        """Say which text is read before rounding."""
        self.calibration = path
        self.text.show_value(value)
        self._text_name.setText(path.name if path is not None and value == FILE else "")
        self._text_name.setVisible(bool(self._text_name.text()))

    def _make_own(self) -> QWidget:
        look = self._look
        self.bits = Segments(look, "smaller-bits", {str(b): _always(str(b)) for b in BITS})
        self.group = Segments(look, "smaller-group", {str(g): _always(str(g)) for g in GROUPS})
        self.method = ChoiceButton(
            look, "smaller-method", {m.value: f"smaller-method-{m.value}" for m in Method}
        )
        names = {key: f"smaller-text-{key}" for key in (BUNDLED, FILE, CHATS)}
        self.text = ChoiceButton(look, "smaller-text", names)
        self._text_name = wrapped(Plain("", "caption2"))
        self.bits.show_value("4")
        self.group.show_value("32")
        self.method.show_value(Method.GPTQ.value)
        self.show_calibration(BUNDLED, None)
        own = QWidget()
        grid = QGridLayout(own)
        grid.setContentsMargins(_INDENT, 4, 0, 4)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        left = Qt.AlignmentFlag.AlignLeft
        for row, (text_id, control) in enumerate(
            (
                ("smaller-bits", self.bits), ("smaller-group", self.group),
                ("smaller-method", self.method), ("smaller-text", self.text),
            )
        ):  # fmt: skip
            grid.addWidget(Words(look, text_id, "small2"), row, 0)
            grid.addWidget(control, row, 1, left)
        grid.addWidget(self._text_name, 4, 1)
        for control in (self.bits, self.group, self.method):
            control.chosen.connect(lambda _: self.chosen.emit())
        self.text.chosen.connect(self._on_text_chosen)
        return own

    @Slot(str)
    def _on_text_chosen(self, value: str) -> None:
        if value == BUNDLED:
            self.show_calibration(BUNDLED, None)
        elif value == FILE:
            self.file_requested.emit()
        else:
            self.chats_requested.emit()

    @Slot()
    def _on_toggled(self) -> None:
        self._own.setVisible(self.key == CUSTOM)
        self.chosen.emit()


def _always(text: str) -> Callable[[], str]:
    return lambda: text
