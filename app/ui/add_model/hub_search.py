"""Searching a hub, or looking through it without a word: what is asked, and what was found."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.language import Language
from app.ui.add_model.results import Results
from app.ui.attachments.flow import Flow
from app.ui.buttons import Button, Tool
from app.ui.choice_button import ChoiceButton
from app.ui.look import Look
from app.ui.words import Plain, Words, wrapped
from engine.library.hubs.hub import (
    HUGGING_FACE,
    MODELSCOPE,
    HubQuery,
    SortBy,
    most_parameters_in,
)

FITTING, ALL = "fitting", "all"
_GAP = 8
_ANY = 16_777_215  # what Qt takes for no limit
_FIELD = 340  # px at 100 % that title, field and button need to stand beside the wishes

Phrase = Callable[[Language], str]
"""A sentence, in whatever language the window has when it is shown."""


class HubSearch(QWidget):
    """Field, hub, order and size, on one line where there is room; below them the answer.

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
        self.search = Tool(look, "magnifying-glass", "add-search-go", side=32)
        self.browse = Button(look, "add-browse", icon="stack")
        hubs = {hub: f"add-{hub}" for hub in (HUGGING_FACE, MODELSCOPE)}
        self.hubs = ChoiceButton(look, "add-hub", hubs)
        self.sorts = ChoiceButton(look, "add-sort", {by: f"add-sort-{by}" for by in SortBy})
        sizes = {each: f"add-size-{each}" for each in (FITTING, ALL)}
        self.sizes = ChoiceButton(look, "add-size", sizes)
        self._asked, self._wishes = QWidget(), Flow(gap=_GAP)
        self._row = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self.said, self.remedy = wrapped(Plain("", "small2")), Button(look, "", size="small")
        self.results = Results(look)
        self._lay_out()
        self._connect()
        look.follow(self._on_look_changed)

    @property
    def hub(self) -> str:
        """The hub that is chosen."""
        return self.hubs.value

    @property
    def is_refused(self) -> bool:
        """Whether it says what failed, with a way on."""
        return self._remedy is not None

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

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put all on one line where there is room."""
        super().resizeEvent(event)
        self._fold()

    def _fold(self) -> None:
        """Leave the wishes a line of their own where the field would become too short."""
        wishes = self._wishes.shown
        needed = sum(each.sizeHint().width() + _GAP for each in wishes) - _GAP
        beside = self.width() >= needed + self._look.theme.px(_FIELD)
        self._wishes.setMinimumWidth(needed if beside else 0)
        self._wishes.setMaximumWidth(needed if beside else _ANY)
        directions = QBoxLayout.Direction
        self._row.setDirection(directions.LeftToRight if beside else directions.TopToBottom)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        asked = QHBoxLayout(self._asked)
        asked.setContentsMargins(0, 0, 0, 0)
        asked.setSpacing(_GAP)
        asked.addWidget(Words(self._look, "add-search", "title"))
        asked.addWidget(self.field, 1)
        asked.addWidget(self.search)
        self._wishes.show_widgets((self.hubs, self.sorts, self.sizes, self.browse))
        self._row.setSpacing(_GAP)
        self._row.addWidget(self._asked, 1)
        self._row.addWidget(self._wishes)
        column.addLayout(self._row)
        column.addWidget(self.said)
        column.addLayout(_line(self.remedy))
        column.addWidget(self.results)

    def _connect(self) -> None:
        self.field.returnPressed.connect(self._on_search)
        self.search.clicked.connect(self._on_search)
        self.browse.clicked.connect(self._on_browse)
        self.hubs.chosen.connect(self._on_wish_changed)
        self.sorts.chosen.connect(self._on_wish_changed)
        self.sizes.chosen.connect(self._on_wish_changed)
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
        most = most_parameters_in(self._free()) if self.sizes.value == FITTING else 0
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
        self._fold()


def _line(*widgets: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    for widget in widgets:
        row.addWidget(widget)
    row.addStretch()
    return row
