"""What settings pages are made of: a section with its title, rows of words and a control."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.ui.buttons import Tool, keys_text
from app.ui.look import Look
from app.ui.settings.controls import Control, TextControl, control_for
from app.ui.settings.naming import about_id, applies_id, name_id, text_ids, wrong_id
from app.ui.words import Plain, Words, escaped, wrapped
from engine.contract.setting import Setting, Value

_WORDS = 190  # px at 100 %: the least that a setting's words have beside its control


class FoundWords(Words):
    """A text of the language in which what was searched for is marked."""

    def __init__(self, look: Look, text_id: str, kind: str) -> None:
        self._wanted: tuple[str, ...] = ()
        super().__init__(look, text_id, kind)
        look.theme.changed.connect(self._on_theme_changed)

    def mark(self, wanted: Sequence[str]) -> None:
        """Mark every place where one of these words stands."""
        if tuple(wanted) != self._wanted:
            self._wanted = tuple(wanted)
            self._say()

    @Slot()
    def _on_theme_changed(self) -> None:
        self._say()

    def _say(self) -> None:
        text = self._look.language.text(self._id) if self._id else ""
        self.setAccessibleName(text)
        pattern = "|".join(re.escape(word) for word in self._wanted)
        if not pattern or not re.search(pattern, text, re.IGNORECASE):
            self.setTextFormat(Qt.TextFormat.PlainText)
            self.setText(text)
            return
        theme = self._look.theme
        style = f"background-color:{theme.color('heat3').name()};color:{theme.color('ink').name()}"
        pieces = re.split(f"({pattern})", text, flags=re.IGNORECASE)
        shown = "".join(
            f"<span style='{style}'>{escaped(piece)}</span>" if number % 2 else escaped(piece)
            for number, piece in enumerate(pieces)
        )
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setText(shown)


class FindableRow(QWidget):
    """A row that a search can find by its texts, in whatever language they are."""

    def __init__(self, ids: tuple[str, ...]) -> None:
        super().__init__()
        self.text_ids = tuple(each for each in ids if each)
        self._marked: list[FoundWords] = []

    def mark(self, wanted: Sequence[str]) -> None:
        """Mark what was searched for."""
        for words in self._marked:
            words.mark(wanted)

    def _words(self, look: Look, text_id: str, kind: str) -> FoundWords:
        words = FoundWords(look, text_id, kind)
        self._marked.append(words)
        return words


class SettingRow(FindableRow):
    """What can be set: what it is, what it means, the control at the right, the rest below."""

    def __init__(
        self,
        look: Look,
        name: str,
        about: str,
        *controls: QWidget,
        below: QWidget | None = None,
        more_ids: tuple[str, ...] = (),
    ) -> None:
        super().__init__((name, about, *more_ids))
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(wrapped(self._words(look, name, "body")))
        if about:
            words.addWidget(wrapped(self._words(look, about, "caption")))
        self.words = words
        self._controls = QHBoxLayout()
        self._controls.setSpacing(16)
        for control in controls:
            self._controls.addWidget(control, 0, Qt.AlignmentFlag.AlignVCenter)
        self._look = look
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._row.setSpacing(16)
        self._row.addLayout(words, 1)
        self._row.addLayout(self._controls)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(self._row)
        if below is not None:
            column.addWidget(below)
        look.theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    @Slot()
    def _on_theme_changed(self) -> None:
        air = self._look.theme.air(10)
        self.setContentsMargins(0, air, 0, air)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the controls below the words where there is no room beside them."""
        super().resizeEvent(event)
        needed = self._controls.sizeHint().width() + self._look.theme.px(_WORDS) + 16
        breaks = needed > self.width()
        directions = QBoxLayout.Direction
        wanted = directions.TopToBottom if breaks else directions.LeftToRight
        if wanted != self._row.direction():
            self._row.setDirection(wanted)
            self._row.setSpacing(8 if breaks else 16)
            self._controls.setAlignment(
                Qt.AlignmentFlag.AlignLeft if breaks else Qt.AlignmentFlag.AlignVCenter
            )


class CatalogueRow(SettingRow):
    """A setting of the catalogue: its words, its control, and the way back to its default."""

    chosen = Signal(str, object)  # key, Value

    def __init__(self, look: Look, setting: Setting, *, says_when: bool = True) -> None:
        self.setting = setting
        self.control: Control = control_for(look, setting)
        self.back = Tool(look, "arrow-counter-clockwise", "setting-back")
        policy = self.back.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.back.setSizePolicy(policy)
        wide = isinstance(self.control, TextControl)
        beside = (self.back,) if wide else (self.control, self.back)
        super().__init__(
            look, name_id(setting), about_id(setting), *beside,
            below=self.control if wide else None, more_ids=text_ids(setting)[2:],
        )  # fmt: skip
        if says_when and applies_id(setting):
            self.words.addWidget(wrapped(self._words(look, applies_id(setting), "caption2")))
        if setting.pattern:
            self.wrong = wrapped(Words(look, wrong_id(setting), "wrong"))
            self.wrong.hide()
            self.words.addWidget(self.wrong)
            self.control.judged.connect(self.wrong.setHidden)
        self.control.chosen.connect(lambda value: self.chosen.emit(setting.key, value))
        self.back.clicked.connect(self._on_back)

    def show_value(self, value: Value) -> None:
        """Show a value; the way back shows where it is not the default."""
        self.control.show_value(value)
        self.back.setVisible(value != self.setting.default)

    @Slot()
    def _on_back(self) -> None:
        self._go_back()

    def _go_back(self) -> None:
        """Have the default again."""
        self.control.choose(self.setting.default)


class KeyRow(FindableRow):
    """What a shortcut does, and its keys as key caps."""

    def __init__(self, look: Look, name: str, keys: str) -> None:
        super().__init__((name,))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 6, 0, 6)
        row.setSpacing(6)
        row.addWidget(wrapped(self._words(look, name, "small")), 1)
        cap = Plain(keys_text(keys), "keycap")
        cap.setMinimumHeight(22)
        row.addWidget(cap, 0, Qt.AlignmentFlag.AlignVCenter)


class Section(QWidget):
    """A title and rows below it, a hairline between two."""

    def __init__(self, look: Look, name: str, rows: Sequence[FindableRow]) -> None:
        super().__init__()
        self.name, self.rows = name, list(rows)
        self._lines = [rule() for _ in self.rows[1:]]
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(Words(look, f"section-{name}", "title"))
        column.addSpacing(8)
        self._column = QVBoxLayout()
        self._column.setSpacing(0)
        column.addLayout(self._column)
        self.arrange(self.rows)

    def arrange(self, rows: Sequence[FindableRow]) -> None:
        """Put the same rows in another order."""
        self.rows = list(rows)
        while self._column.takeAt(0):
            pass
        for number, row in enumerate(self.rows):
            if number:
                self._column.addWidget(self._lines[number - 1])
            self._column.addWidget(row)

    def show_rows(self, shown: Sequence[FindableRow], wanted: Sequence[str]) -> None:
        """Show these rows alone, what was searched for marked in them."""
        before = False
        for number, row in enumerate(self.rows):
            visible = row in shown
            row.setVisible(visible)
            row.mark(wanted)
            if number:
                self._lines[number - 1].setVisible(visible and before)
            before = before or visible


def rule() -> QFrame:
    """Return a hairline."""
    line = QFrame()
    line.setObjectName("rule")
    line.setFixedHeight(1)
    return line
