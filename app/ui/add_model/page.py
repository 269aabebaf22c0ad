"""Add a model: from "this computer" to "it downloads" without a wrong turn.

Nothing on this page waits for the network. What needs it says so, and happens on a click.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QWidget

from app.chat.measuring import Machine
from app.ui.add_model.cards import SuggestionCards
from app.ui.add_model.hub_search import HubSearch
from app.ui.add_model.steps import Steps, StepState
from app.ui.add_model.tiles import Tiles
from app.ui.buttons import Button, Tool
from app.ui.computer import Computer, read_computer
from app.ui.downloads.downloads import Downloads
from app.ui.downloads.list import DownloadList
from app.ui.header import Header
from app.ui.look import Look
from app.ui.model_rows import Surroundings
from app.ui.model_shelf import ModelShelf
from app.ui.page_frame import Page, bring_into_view, scrolled_paper
from app.ui.reckoning import Reckoning
from app.ui.segments import Segments
from app.ui.why_dialog import WhyDialog
from app.ui.words import Plain, Words, wrapped
from engine.contract import Memory, Support
from engine.library.downloads.order import Phase
from engine.library.fit import Room
from engine.library.hubs.catalog import read_catalog, suggest

_PURPOSES = ("everyday", "languages", "programming")
_WIDE = 900  # px of the page
_STEPS_FROM = 640
_REACHING_MS = 300  # that the list of downloads is followed as it grows


class AddModelPage(Page):
    """The page; what is asked for comes as signals."""

    back_requested = Signal()
    file_requested = Signal()
    folder_requested = Signal()
    remote_requested = Signal()
    smaller_requested = Signal()
    models_requested = Signal()
    catalog_wanted = Signal(object)  # CatalogModel
    choice_wanted = Signal(object, object)  # Repository, FileChoice
    searched = Signal(str, object)  # hub, HubQuery
    files_wanted = Signal(object)  # HubModel

    def __init__(self, look: Look, shelf: ModelShelf, downloads: Downloads) -> None:
        super().__init__()
        self._look, self._shelf = look, shelf
        self._catalog = read_catalog()
        self._computer, self._machine = Computer(0, 0), Machine()
        self._loaded: Path | None = None
        self._given_back = 0  # bytes that the loaded model holds
        self._purpose = "languages"
        text = look.language.text
        self.back = Tool(look, "arrow-left", "add-back")
        self.steps = Steps(look)
        self.tiles = Tiles(look, shelf.folders[0])
        self.purposes = Segments(
            look, "add-purpose", {p: partial(text, f"add-{p}") for p in _PURPOSES}
        )
        self.cards = SuggestionCards(look)
        self.finder = HubSearch(look, lambda: self.free)
        self.file, self.folder = Button(look, "model-file"), Button(look, "model-folder")
        self.remote = Button(look, "remote-add", icon="globe")
        self.smaller = Button(look, "smaller-verb", icon="arrows-in-simple")
        self.show_here = Button(look, "add-show-here", "link")
        self._here = Plain("", "small2")
        self.list = DownloadList(look, downloads)
        self._downloads = downloads
        self._reaching = QTimer(self)
        self._reaching.setSingleShot(True)
        self._reaching.setInterval(_REACHING_MS)
        self._suggested = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._ways = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._ways.setSpacing(8)
        self._lay_out()
        self._connect()
        look.follow(self._on_look_changed)

    @property
    def free(self) -> int:
        """Bytes of memory that a model could take."""
        return self._computer.free + self._given_back

    @property
    def bandwidth(self) -> float:
        """Bytes a second at which memory is read; 0 until it was measured."""
        return self._machine.bandwidth

    @property
    def around(self) -> Surroundings:
        """What of this computer a verdict about a model rests on."""
        named = (m.name for m in self._shelf.models if m.path == self._loaded)
        return Surroundings(
            Room(self._computer.free, given_back=self._given_back),
            bandwidth=self.bandwidth,
            memory=self._computer.memory,
            replaced=next(named, self._loaded.stem if self._loaded else ""),
            space=self.tiles.space,
        )

    def show_loaded(self, path: Path | None, memory: Memory | None = None) -> None:
        """Say which model is loaded: another one would have its memory."""
        self._loaded = path
        self._given_back = memory.total if memory else 0
        self._on_look_changed()

    def show_machine(self, machine: Machine) -> None:
        """Say what was measured, and suggest by it."""
        self._machine = machine
        self._on_look_changed()

    def take_focus(self) -> None:
        """Put the focus on what is suggested."""
        self.cards.cards[1].fetch.setFocus(Qt.FocusReason.OtherFocusReason)

    def showEvent(self, event: QShowEvent) -> None:
        """Look at the memory anew."""
        super().showEvent(event)
        self._computer = read_computer()
        self._on_look_changed()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stand in fewer columns where it is narrow."""
        super().resizeEvent(event)
        width = self.width()
        self.tiles.place(4 if width >= _WIDE else 2)
        self.cards.place(3 if width >= _WIDE else 1)
        wide, directions = width >= _STEPS_FROM, QBoxLayout.Direction
        self.steps.setVisible(wide)
        for row, beside in ((self._suggested, wide), (self._ways, width >= _WIDE)):
            row.setDirection(directions.LeftToRight if beside else directions.TopToBottom)

    def reach_downloads(self) -> None:
        """Bring the list of downloads into sight: something was just added to it, or said in it.

        A sentence of several lines makes it longer some events later.
        """
        self._reaching.start()
        bring_into_view(self.list)

    # --- construction -------------------------------------------------------------------------

    def _lay_out(self) -> None:
        title = QWidget()
        head = QHBoxLayout(title)
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(10)
        head.addWidget(self.back)
        head.addWidget(Words(self._look, "add-model", "title"), 1)
        self._scroll = self.lay_out(Header(title, self.steps), self._make_inside())
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.verticalScrollBar().rangeChanged.connect(self._on_range_changed)

    def _make_inside(self) -> QWidget:
        inside, column = scrolled_paper()
        column.setContentsMargins(24, 20, 24, 24)
        column.addWidget(self.tiles)
        column.addLayout(_line(self._here, self.show_here))
        column.addSpacing(4)
        self._suggested.addWidget(wrapped(Words(self._look, "add-suggested", "title")), 1)
        self._suggested.addWidget(self.purposes)
        column.addLayout(self._suggested)
        column.addWidget(self.cards)
        column.addWidget(Words(self._look, "add-formula", "caption2"))
        column.addSpacing(8)
        column.addWidget(self.finder)
        self._ways.addLayout(_line(self.file, self.folder))
        self._ways.addLayout(_line(self.remote, self.smaller), 1)
        column.addLayout(self._ways)
        column.addWidget(wrapped(Words(self._look, "add-network", "caption2")))
        column.addWidget(self.list)
        column.addStretch()
        return inside

    def _connect(self) -> None:
        self.back.clicked.connect(self.back_requested)
        self.file.clicked.connect(self.file_requested)
        self.folder.clicked.connect(self.folder_requested)
        self.remote.clicked.connect(self.remote_requested)
        self.smaller.clicked.connect(self.smaller_requested)
        self.show_here.clicked.connect(self.models_requested)
        self.cards.wanted.connect(self.catalog_wanted)
        self.finder.searched.connect(self.searched)
        self.finder.results.wanted.connect(self.choice_wanted)
        self.finder.results.files_wanted.connect(self.files_wanted)
        for each in (self.cards, self.finder.results):
            each.why_wanted.connect(self._on_why_wanted)
        self.purposes.show_value(self._purpose)
        self.purposes.chosen.connect(self._on_purpose_chosen)
        self._shelf.changed.connect(self._on_look_changed)
        self._downloads.changed.connect(self._show_steps)

    @Slot()
    def _on_range_changed(self) -> None:
        if self._reaching.isActive():
            bring_into_view(self.list)

    @Slot()
    def _show_steps(self) -> None:
        machine, states = self._machine, self._downloads.states()
        known = bool(machine.bandwidth) or machine.failed
        fetching = any(state.phase in {Phase.WAITING, Phase.RUNNING} for state in states)
        here = not fetching and any(state.phase is Phase.FINISHED for state in states)
        now, done, to_come = StepState.NOW, StepState.DONE, StepState.TO_COME
        self.steps.show_states(
            done if known else now,
            done if fetching or here else now if known else to_come,
            now if fetching else done if here else to_come,
        )

    @Slot(object)
    def _on_why_wanted(self, told: Reckoning) -> None:
        WhyDialog(self._look, told, self).open()

    @Slot(str)
    def _on_purpose_chosen(self, purpose: str) -> None:
        self._purpose = purpose
        self._on_look_changed()

    @Slot()
    def _on_look_changed(self) -> None:
        text, models = self._look.language.text, self._shelf.models
        count = sum(model.support is not Support.UNSUPPORTED for model in models)
        self._here.setText(text("add-here", count=count))
        self._here.setVisible(count > 0)
        self.show_here.setVisible(count > 0)
        self.tiles.show_machine(self._computer, self._machine)
        self._show_steps()
        around = self.around
        found = suggest(self._catalog, self._purpose, self.free, self.bandwidth, around.space)
        self.cards.show_suggestion(found, around)


def _line(*widgets: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    for widget in widgets:
        row.addWidget(widget)
    row.addStretch()
    return row
