"""The models page: what is on this computer, what it would take, and one button to talk to it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.store.benchmarks import Speed
from app.store.model_settings import ModelSettings
from app.store.settings import SettingsFile
from app.ui.add_button import AddButton
from app.ui.computer import read_computer
from app.ui.detail_dialog import DetailDialog
from app.ui.disk_bar import DiskBar
from app.ui.header import Header
from app.ui.look import Look
from app.ui.model_cards import CardView
from app.ui.model_detail import ModelDetail, open_folder_of
from app.ui.model_menu import InPanel, ModelMenu, ModelVerb
from app.ui.model_rows import ALL, FITTING, UNUSED, CardRole, Surroundings
from app.ui.model_shelf import ModelShelf
from app.ui.model_words import unsupported_words
from app.ui.no_models import NoModels
from app.ui.page_frame import Page
from app.ui.segments import Segments
from app.ui.sidebar_parts import PlainSearch
from app.ui.unreadable_row import UnreadableList
from app.ui.why_dialog import WhyDialog
from app.ui.words import Plain, Words
from engine.contract import Memory, ModelFacts
from engine.library.fit import Room
from engine.library.gpus import Gpu

_DETAIL_FROM = 820  # px: below, the panel leaves its room to the cards
_SEARCH_FROM = 900
_FILTERS = (ALL, FITTING, UNUSED)


class ModelsPage(Page):
    """Cards, the chosen one's panel, and the files that cannot be used with their reason."""

    load_requested = Signal(object)  # Path
    add_requested = Signal()
    file_requested = Signal()
    folder_requested = Signal()
    smaller_requested = Signal()
    remote_requested = Signal()
    shown = Signal()

    def __init__(self, look: Look, shelf: ModelShelf, settings: SettingsFile) -> None:
        super().__init__()
        self._look, self._shelf = look, shelf
        self._own = ModelSettings(settings, shelf.notes)
        self._loaded: Path | None = None
        self._given_back = 0  # bytes that the loaded model holds
        self._gpus: tuple[Gpu, ...] = ()
        self._speeds: Mapping[Path, Speed] = {}
        self._bandwidth = 0.0
        self._around = Surroundings()
        self.view = CardView(look, shelf.notes.of)
        self._disk = DiskBar(look, shelf, self)
        self.search = PlainSearch(look, "models-search")
        options = {which: partial(look.language.text, f"models-{which}") for which in _FILTERS}
        self.filters = Segments(look, "models-filter", options)
        self.filters.show_value(ALL)
        self.menu = ModelMenu(look, self)
        self.detail = ModelDetail(look, self.menu)
        self._count = Plain("", "caption2")
        self.nothing = NoModels(look)
        self._below = QVBoxLayout()
        self.unreadable = UnreadableList(look)
        self._add = AddButton(look)
        self._lay_out()
        self._connect()
        look.follow(self._on_look_changed)

    def show_loaded(self, path: Path | None, memory: Memory | None = None) -> None:
        """Mark the loaded model's card, whose memory another one would have."""
        self._loaded = path
        self._given_back = memory.total if memory else 0
        self.view.cards.show_loaded(path)
        self.refresh()
        self._on_picked(self.view.currentIndex().data(CardRole.FACTS))

    def show_resting(self, path: Path | None) -> None:
        """Mark the card of the model that rests."""
        self.view.cards.show_resting(path)

    def show_gpus(self, gpus: tuple[Gpu, ...]) -> None:
        """Say what GPUs there are, and what of them is free now."""
        self._gpus = gpus
        self.refresh()

    def show_speeds(self, speeds: Mapping[Path, Speed], bandwidth: float) -> None:
        """Say how fast models were measured here, and what the memory delivers a second."""
        self._speeds, self._bandwidth = speeds, bandwidth
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Look at the memory and the folders anew: both change outside."""
        super().showEvent(event)
        self.refresh()
        self.shown.emit()
        QTimer.singleShot(0, self, self._shelf.scan)

    def take_focus(self) -> None:
        """Put the focus on the cards; where there are none, on the way to a file."""
        target = self.view if self._shelf.models else self._add
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_only(self, which: str) -> None:
        """Show all models, those that fit, or those long unused."""
        self.filters.show_value(which)
        self._on_filter_changed()

    def refresh(self) -> None:
        """Say what would fit now."""
        gpus, computer = sum(gpu.free for gpu in self._gpus), read_computer()
        named = (m.name for m in self._shelf.models if m.path == self._loaded)
        around = self._around = Surroundings(
            Room(computer.free, gpus, self._given_back),
            self._own.load_settings,
            self._speeds,
            self._bandwidth,
            computer.memory,
            self._loaded,
            next(named, self._loaded.stem if self._loaded else ""),
        )
        self.view.cards.show_surroundings(around)
        self.detail.show_surroundings(around, self._gpus)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the panel out where there is no room for it."""
        super().resizeEvent(event)
        self._place_detail()
        wide = self.width() >= _SEARCH_FROM
        self.search.setFixedWidth(200 if wide else 100)
        self._count.setVisible(wide)

    def open_details(self, facts: ModelFacts) -> None:
        """Open the panel over the page, where there is no room for it beside the cards."""
        dialog = DetailDialog(self._look, self.menu, self)
        dialog.detail.context_chosen.connect(self._on_context_chosen)
        dialog.detail.load_requested.connect(self.load_requested)
        dialog.detail.settings_wanted.connect(self.detail.settings_wanted)
        dialog.detail.why_wanted.connect(self.explain)
        dialog.detail.show_surroundings(self._around, self._gpus)
        self._show_in(dialog.detail, facts)
        dialog.open()

    @Slot(object)
    def explain(self, facts: ModelFacts, context: int = 0) -> None:
        """Say why a model fits or does not, at its context or another, in tokens."""
        language, around = self._look.language, self._around
        remarks = [unsupported_words(facts, language)]
        told = around.reckon(
            facts, context or around.context(facts), *(each for each in remarks if each)
        )
        dialog = WhyDialog(self._look, told, self, can_shorten=facts.support.runs_here)
        dialog.context_wanted.connect(partial(self._on_context_chosen, facts.path))
        dialog.open()

    def set_below(self, widget: QWidget) -> None:
        """Hold a widget below the cards; its own visibility says whether it takes room."""
        self._below.addWidget(widget)

    def _lay_out(self) -> None:
        title = QWidget()
        head = QHBoxLayout(title)
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(10)
        head.addWidget(Words(self._look, "models", "title"))
        head.addWidget(self._count)
        head.addStretch()
        inside = QWidget()
        inside.setObjectName("paper")
        column = QVBoxLayout(inside)
        column.setContentsMargins(24, 20, 12, 24)  # the cards bring their own gap
        column.setSpacing(0)
        column.addWidget(self._disk)
        column.addWidget(self.nothing)
        column.addWidget(self.view)
        self._below.setContentsMargins(0, 8, 12, 12)
        column.addLayout(self._below)
        column.addWidget(self.unreadable)
        column.addStretch()
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(inside)
        below = QHBoxLayout()
        below.setSpacing(0)
        below.addWidget(scroll, 1)
        below.addWidget(self.detail)
        page = QVBoxLayout(self)
        page.setContentsMargins(0, 0, 0, 0)
        page.setSpacing(0)
        page.addWidget(Header(title, self.search, self.filters, self._add))
        page.addLayout(below, 1)
        page.addWidget(self.notice_place)

    def _connect(self) -> None:
        self.view.picked.connect(self._on_picked)
        self.view.activated_model.connect(self.load_requested)
        self.view.menu_requested.connect(self.menu.open)
        self.menu.offer(
            ModelVerb(
                "model-chat", "chat-teardrop-text", lambda m: self.load_requested.emit(m.path)
            ),
            ModelVerb("action-open-folder", "folder-open", open_folder_of, in_panel=InPanel.ICON),
            ModelVerb("model-details", "info", self.open_details, self._hides_details),
            ModelVerb("why-menu", "question", self.explain, lambda facts: not facts.server),
        )
        self.detail.load_requested.connect(self.load_requested)
        self.detail.context_chosen.connect(self._on_context_chosen)
        self.detail.why_wanted.connect(self.explain)
        self.view.why_wanted.connect(self.explain)
        self._add.search_requested.connect(self.add_requested)
        self.nothing.add_requested.connect(self.add_requested)
        self.nothing.file_requested.connect(self.file_requested)
        self.nothing.folder_requested.connect(self.folder_requested)
        self._add.file_requested.connect(self.file_requested)
        self._add.folder_requested.connect(self.folder_requested)
        self._add.smaller_requested.connect(self.smaller_requested)
        self._add.remote_requested.connect(self.remote_requested)
        self._add.scan_requested.connect(self._shelf.scan)
        self.search.textChanged.connect(self._on_filter_changed)
        self.filters.chosen.connect(self._on_filter_changed)
        self._shelf.changed.connect(self._on_shelf_changed)

    @Slot()
    def _on_shelf_changed(self) -> None:
        current = self.view.currentIndex().data(CardRole.FACTS)
        if self.view.cards.rowCount() == 0 or not self._shelf.is_scanning:
            self.view.cards.show_models(self._shelf.models, self._shelf.found)
            path = current.path if isinstance(current, ModelFacts) else self._loaded
            self.view.choose(path)
        self._on_look_changed()

    @Slot()
    def _on_look_changed(self) -> None:
        text, count = self._look.language.text, len(self._shelf.models)
        servers = sum(bool(model.server) for model in self._shelf.models)
        here = text("models-count", count=count - servers)
        of_servers = text("models-count-servers", here=here, count=servers)
        self._count.setText(of_servers if servers else here)
        self.nothing.setVisible(self.view.cards.rowCount() == 0)
        is_empty = not count and not self._shelf.is_scanning
        none = "models-none" if is_empty else "models-scanning"
        self.nothing.say(text("models-no-match" if count else none), leads_on=is_empty)
        self.unreadable.show_found(self._shelf.unreadable, self._shelf.folders[0])
        self._place_detail()

    def _place_detail(self) -> None:
        has_models = bool(self._shelf.models)
        self.detail.setVisible(has_models and self.width() >= _DETAIL_FROM)

    @Slot(object)
    def _on_picked(self, facts: object) -> None:
        if isinstance(facts, ModelFacts):
            self._show_in(self.detail, facts)

    def _show_in(self, detail: ModelDetail, facts: ModelFacts) -> None:
        found = next((f for f in self._shelf.found if f.path == facts.path), None)
        twins = tuple(f.path for f in self._shelf.found if f.twin == facts.path)
        detail.show_model(facts, loaded=facts.path == self._loaded, found=found, twins=twins)

    def _hides_details(self, _: ModelFacts) -> bool:
        return not self.detail.isVisible()

    @Slot()
    def _on_filter_changed(self) -> None:
        self.view.cards.show_only(self.search.text(), self.filters.value)
        self.view.choose(self._loaded)
        self._on_look_changed()

    @Slot(object, int)
    def _on_context_chosen(self, path: Path, context: int) -> None:
        self._own.change(path, "context", context)
        self.refresh()
