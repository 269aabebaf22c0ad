"""Searching a hub, or looking through it without a word: what is asked, and what was found."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.language import Language
from app.ui.add_model.results import Results
from app.ui.buttons import Button
from app.ui.form_controls import Switch
from app.ui.look import Look
from app.ui.segments import Segments
from app.ui.words import Plain, Words, wrapped
from engine.library.hubs.hub import (
    HUGGING_FACE,
    MODELSCOPE,
    HubQuery,
    SortBy,
    most_parameters_in,
)

Phrase = Callable[[Language], str]
"""A sentence, in whatever language the window has when it is shown."""


class HubSearch(QWidget):
    """Field, hub, order and size; below them the answer.

    Args:
        free: bytes of memory that a model could take.
    """

    searched = Signal(str, object)  # hub, HubQuery

    def __init__(self, look: Look, free: Callable[[], int]) -> None:
        super().__init__()
        self._look, self._free = look, free
        self._words: str | None = None  # that the hub was last asked for
        self._phrase: Phrase | None = None
        self._remedy: tuple[Phrase, Callable[[], None]] | None = None
        self.field = QLineEdit()
        self.search = Button(look, "add-search-go", icon="magnifying-glass")
        self.browse = Button(look, "add-browse", icon="stack")
        self.hubs = self._segments("add-hub", "add", (HUGGING_FACE, MODELSCOPE))
        self.sorts = self._segments("add-sort", "add-sort", tuple(SortBy))
        self.fitting = Switch(look, "add-fitting")
        self.said, self.remedy = wrapped(Plain("", "small2")), Button(look, "", size="small")
        self.results = Results(look)
        self.hubs.show_value(HUGGING_FACE)
        self.sorts.show_value(SortBy.DOWNLOADS)
        self.fitting.setChecked(True)
        self._lay_out()
        self._connect()
        look.follow(self._on_look_changed)

    @property
    def hub(self) -> str:
        """The hub that is chosen."""
        return self.hubs.value

    def say(
        self,
        phrase: Phrase | None,
        remedy: Phrase | None = None,
        deed: Callable[[], None] | None = None,
    ) -> None:
        """Say how it goes, and what can be done where it failed; None says nothing."""
        self._phrase = phrase
        self._remedy = (remedy, deed) if remedy is not None and deed is not None else None
        self._on_look_changed()

    def _segments(self, name_id: str, stem: str, values: tuple[str, ...]) -> Segments:
        text = self._look.language.text
        return Segments(self._look, name_id, {v: partial(text, f"{stem}-{v}") for v in values})

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(_line(Words(self._look, "add-search", "title"), self.hubs))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.field, 1)
        row.addWidget(self.search)
        column.addLayout(row)
        column.addLayout(_line(self.browse, self.sorts))
        column.addLayout(_line(self.fitting, Words(self._look, "add-fitting", "small2")))
        column.addWidget(self.said)
        column.addLayout(_line(self.remedy))
        column.addWidget(self.results)

    def _connect(self) -> None:
        self.field.returnPressed.connect(self._on_search)
        self.search.clicked.connect(self._on_search)
        self.browse.clicked.connect(self._on_browse)
        self.hubs.chosen.connect(self._on_wish_changed)
        self.sorts.chosen.connect(self._on_wish_changed)
        self.fitting.toggled.connect(self._on_wish_changed)
        self.remedy.clicked.connect(self._on_remedy_clicked)

    @Slot()
    def _on_search(self) -> None:
        self._ask(self.field.text().strip())

    @Slot()
    def _on_browse(self) -> None:
        self.field.clear()
        self._ask("")

    @Slot()
    def _on_wish_changed(self) -> None:
        """Ask again for what is shown; nothing is asked before a person asked once."""
        if self._words is not None:
            self._ask(self._words)

    def _ask(self, words: str) -> None:
        self._words = words
        most = most_parameters_in(self._free()) if self.fitting.isChecked() else 0
        self.searched.emit(self.hub, HubQuery(words, SortBy(self.sorts.value), most))

    @Slot()
    def _on_remedy_clicked(self) -> None:
        if self._remedy is not None:
            self._remedy[1]()

    @Slot()
    def _on_look_changed(self) -> None:
        language = self._look.language
        self.field.setPlaceholderText(language.text("add-search-hint"))
        self.field.setAccessibleName(language.text("add-search"))
        self.said.setText(self._phrase(language) if self._phrase is not None else "")
        self.said.setVisible(bool(self.said.text()))
        label = self._remedy[0](language) if self._remedy is not None else ""
        self.remedy.setText(label)
        self.remedy.setAccessibleName(label or language.text("action-retry"))
        self.remedy.setVisible(bool(label))


def _line(*widgets: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    for widget in widgets:
        row.addWidget(widget)
    row.addStretch()
    return row
