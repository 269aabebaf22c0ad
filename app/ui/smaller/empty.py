"""What the page of smaller copies shows without a model: it asks for one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.model_words import bits
from app.ui.words import Words, escaped, wrapped
from engine.contract import ModelFacts

_LONGEST = 40  # characters of a name on its button; the tooltip has all of it


class NoModel(QWidget):
    """The question; the models that are here as answers to it, and the way to other files."""

    model_chosen = Signal(object)  # Path

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._models: tuple[ModelFacts, ...] | None = None
        self.file = Button(look, "model-file", icon="file")
        self.folder = Button(look, "model-folder", icon="folder-simple")
        self._about = Words(look, "smaller-empty-about", "body2")
        self._here = QVBoxLayout()
        self._here.setSpacing(8)
        self._others = Words(look, "", "small2")
        row, column = QHBoxLayout(), QVBoxLayout(self)
        column.setContentsMargins(0, 64, 0, 0)
        column.setSpacing(10)
        for widget in (Words(look, "smaller-empty", "name"), wrapped(self._about)):
            widget.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(widget)
        column.addLayout(self._here)
        column.addSpacing(8)
        self._others.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(wrapped(self._others))
        row.addStretch(1)
        row.addWidget(self.file)
        row.addWidget(self.folder)
        row.addStretch(1)
        column.addLayout(row)

    @property
    def first(self) -> Button:
        """Return the first answer: a model that is here, else a file."""
        buttons = self.models()
        return buttons[0] if buttons else self.file

    def models(self) -> list[Button]:
        """Return the buttons of the models that are here, from top to bottom."""
        items = (self._here.itemAt(place) for place in range(self._here.count()))
        found = [item.widget() for item in items if item is not None]
        return [button for button in found if isinstance(button, Button)]

    def show_models(self, models: Sequence[ModelFacts], *, has_others: bool = True) -> None:
        """Offer the models that can be made smaller; none is said too.

        Args:
            models: the largest first.
            has_others: whether the library has any that cannot.
        """
        none = "smaller-empty-none" if has_others else "smaller-empty-library"
        self._others.say("smaller-empty-others" if models else none)
        if self._models == tuple(models):
            return
        self._models = tuple(models)
        for old in self.models():
            self._here.removeWidget(old)
            old.hide()
            old.deleteLater()
        for facts in models:
            self._here.addWidget(self._made(facts), 0, Qt.AlignmentFlag.AlignHCenter)

    def _made(self, facts: ModelFacts) -> Button:
        button = Button(self._look, "", icon="stack")
        name = facts.name
        short = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
        size = self._look.language.bytes_text(facts.size_bytes)
        button.say("smaller-of-here", name=short, bits=bits(facts), size=size)
        button.setToolTip(escaped(name) if short != name else "")
        path: Path = facts.path
        button.clicked.connect(lambda: self.model_chosen.emit(path))
        return button
