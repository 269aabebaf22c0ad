"""The ways to begin: fetch the small model, choose a better one, use files that are there."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.ui.attachments.flow import Flow
from app.ui.buttons import Button
from app.ui.faults import FaultAction, fault_text
from app.ui.look import Look
from app.ui.meters import FillBar
from app.ui.model_shelf import FetchPhase, FetchState, ModelShelf
from app.ui.model_words import fit_kind, fit_words
from app.ui.reckoning import Here, Pace, Reckoning
from app.ui.speed_badge import SpeedBadge
from app.ui.why_dialog import WhyButton, WhyDialog
from app.ui.words import Plain, Words, wrapped
from engine.library.fit import REACHED, Fit, Room, fit_of_shape
from engine.library.hubs.catalog import read_catalog, suggest
from engine.library.memory import memory_of_shape
from engine.library.starter import STARTER
from engine.library.write_fault import free_at

_CONTEXT = 8192  # tokens: the starter's longest
_SHAPE = 23_040, _CONTEXT, 49_152  # its bytes a token (30 layers, 3 KV heads of 64), vocabulary
_STARTER_NAME = "SmolLM2-135M"


class ChoiceSign(QLabel):
    """The icon of a choice, in a rounded square of ink (the first) or stone."""

    def __init__(self, look: Look, icon: str, *, first: bool) -> None:
        super().__init__()
        self._look, self._icon, self._first = look, icon, first
        self.setFixedSize(QSize(40, 40))
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        look.follow(self._on_look_changed)

    @Slot()
    def _on_look_changed(self) -> None:
        theme = self._look.theme
        color = "onInk" if self._first else "ink"
        ground = theme.color("ink" if self._first else "stone2").name()
        self.setStyleSheet(f"background: {ground}; border-radius: 10px;")
        self.setPixmap(theme.pixmap(self._icon, color, 20, self.devicePixelRatioF()))


class Choice(QFrame):
    """A card: sign, title, what it means, and below it what to press."""

    def __init__(self, look: Look, icon: str, title_id: str, *, first: bool) -> None:
        super().__init__()
        self._look = look
        self.setObjectName("choice")
        self.setProperty("first", first)
        self.about = Plain("", "body2")
        wrapped(self.about)
        self.row = Flow(8)
        self.below = QVBoxLayout()
        self.below.setSpacing(6)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(Words(look, title_id, "title"))
        words.addSpacing(2)
        words.addWidget(self.about)
        words.addSpacing(12)
        words.addWidget(self.row)
        words.addLayout(self.below)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(20, 18, 20, 18)
        outer.setSpacing(16)
        outer.addWidget(ChoiceSign(look, icon, first=first), 0, Qt.AlignmentFlag.AlignTop)
        outer.addLayout(words, 1)


class StarterChoice(Choice):
    """The small model: one button that fetches it when it is not there, and loads it."""

    start_requested = Signal()
    acted = Signal(object, object)  # FaultAction, Fault

    def __init__(self, look: Look, shelf: ModelShelf) -> None:
        super().__init__(look, "chat-teardrop-text", "welcome-starter", first=True)
        self._shelf = shelf
        self._total = self._free = 0
        self._bandwidth = 0.0
        self.start = Button(look, "welcome-start", "main", size="large")
        self.start.clicked.connect(self.start_requested)
        self._fits, self.why = Plain("", "badge-fits"), WhyButton(look)
        self.why.clicked.connect(self._on_why_clicked)
        self._pace = SpeedBadge(look)
        self.row.show_widgets([self.start, self._fits, self.why, self._pace])
        self._fetching = QWidget()
        self._bar = FillBar(look.theme, 0)
        self._progress = Plain("", "caption2")
        self.stop = Button(look, "cancel", "quiet", size="small")
        self.stop.clicked.connect(shelf.stop_fetch)
        self._lay_out_fetching()
        self._wrong = Plain("", "wrong")
        wrapped(self._wrong)
        self.below.addWidget(self._fetching)
        self.below.addWidget(self._wrong)
        self.remedy = Button(look, "action-open-settings", size="small")
        self.remedy.clicked.connect(self._on_remedy_clicked)
        self.below.addWidget(self.remedy, 0, Qt.AlignmentFlag.AlignLeft)
        shelf.fetch_changed.connect(self._on_look_changed)
        shelf.changed.connect(self._on_look_changed)
        look.follow(self._on_look_changed)

    def show_memory(self, total: int, free: int) -> None:
        """Say whether the small model fits into so many free bytes of all."""
        self._total, self._free = total, free
        self._on_look_changed()

    def show_bandwidth(self, bandwidth: float) -> None:
        """Say how fast it would write where memory is read at so many bytes a second."""
        self._bandwidth = bandwidth
        self._pace.show_speed(REACHED * bandwidth / STARTER.size)
        self.row.look_again()

    def _lay_out_fetching(self) -> None:
        column = QVBoxLayout(self._fetching)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(2)
        row = QHBoxLayout()
        row.setSpacing(14)
        row.addWidget(self._bar, 1)
        row.addWidget(self.stop)
        column.addLayout(row)
        column.addWidget(self._progress)  # a line of its own: it grows while it is read

    @Slot()
    def _on_look_changed(self) -> None:
        state = self._shelf.fetch
        running = state.phase in {FetchPhase.RUNNING, FetchPhase.STOPPING}
        self._show_what_to_press(running)
        for each in (self._fits, self.why):
            each.setVisible(not running and self._free > 0)
        self._pace.allow(not running)
        self._say_about()
        self._say_fit()
        self.row.look_again()
        if running:
            self._bar.show_share(state.done / state.total if state.total else 0.0)
            self._progress.setText(fetch_words(state, self._look))
            self._bar.setAccessibleName(self._progress.text())
        said = fault_text(state.fault, self._look.language) if state.fault is not None else None
        self._wrong.setVisible(said is not None)
        self.remedy.setVisible(said is not None and said.action is FaultAction.OPEN_SETTINGS)
        if said is not None:
            self._wrong.setText(said.sentence)

    @Slot()
    def _on_remedy_clicked(self) -> None:
        if (fault := self._shelf.fetch.fault) is not None:
            self.acted.emit(FaultAction.OPEN_SETTINGS, fault)

    def _show_what_to_press(self, running: bool) -> None:
        """Show either start or cancel, and hand the focus from the one that goes to the other.

        Cancel stays enabled while it takes effect: a disabled button would lose the focus.
        """
        was_focused = self.start.hasFocus() or self.stop.hasFocus()
        (self._fetching if running else self.start).show()
        if was_focused:
            (self.stop if running else self.start).setFocus(Qt.FocusReason.OtherFocusReason)
        (self.start if running else self._fetching).hide()

    def _say_about(self) -> None:
        here = any(facts.name.startswith(_STARTER_NAME) for facts in self._shelf.models)
        size = self._look.language.bytes_text(self._shelf.starter_size)
        text = self._look.language.text
        self.about.setText(
            text("welcome-starter-here") if here else text("welcome-starter-about", size=size)
        )

    def _say_fit(self) -> None:
        language = self._look.language
        how = self._fit()
        self._fits.setText(fit_words(how, language))
        self._fits.set_kind(fit_kind(how))
        self.why.show_name(_STARTER_NAME)

    def _fit(self) -> Fit:
        need = memory_of_shape(STARTER.size, STARTER.file_name, *_SHAPE)
        return fit_of_shape(need, _CONTEXT, _CONTEXT, Room(self._free))

    @Slot()
    def _on_why_clicked(self) -> None:
        """Show the figures behind the badge."""
        here = Here(Room(self._free), self._total, "")
        speed = REACHED * self._bandwidth / STARTER.size
        pace = Pace(STARTER.size, self._bandwidth, speed)
        WhyDialog(self._look, Reckoning(_STARTER_NAME, self._fit(), here, pace), self).open()


class BetterChoice(Choice):
    """A larger model: which one this computer's memory allows, and the way to three of them."""

    suggestions_requested = Signal()

    def __init__(self, look: Look, folder: Path) -> None:
        super().__init__(look, "stack", "welcome-better", first=False)
        self._folder = folder  # where its file would lie
        self._total = self._free = 0
        self.suggestions = Button(look, "welcome-suggestions")
        self.suggestions.clicked.connect(self.suggestions_requested)
        self._bandwidth, self._pace = 0.0, SpeedBadge(look, compares=True)
        self.row.show_widgets([self.suggestions, self._pace])
        look.follow(self._on_look_changed)

    def show_memory(self, total: int, free: int) -> None:
        """Name a model for so many bytes of memory."""
        self._total, self._free = total, free
        self._on_look_changed()

    def show_bandwidth(self, bandwidth: float) -> None:
        """Name it by how fast the memory is, too: bytes a second."""
        self._bandwidth = bandwidth
        self._on_look_changed()

    @Slot()
    def _on_look_changed(self) -> None:
        language = self._look.language
        space = free_at(self._folder / "model")
        model = suggest(read_catalog(), "languages", self._free, self._bandwidth, space).middle
        total, size = language.bytes_text(self._total), language.bytes_text(model.size)
        fits = model.memory <= self._free and model.size <= space
        self._pace.show_speed(model.speed(self._bandwidth) if fits else 0.0)
        self.row.look_again()
        if not fits:
            self.about.setText(language.text("welcome-better-about"))
            return
        said = language.text("welcome-better-model", memory=total, name=model.name, size=size)
        self.about.setText(said)


def fetch_words(state: FetchState, look: Look) -> str:
    """Return how far a fetch is: bytes, rate, what is left."""
    language = look.language
    if state.phase is FetchPhase.STOPPING:
        return language.text("fetch-stopping")
    if state.done == 0:
        return language.text("fetch-beginning")
    done, total = language.bytes_text(state.done, state.total), language.bytes_text(state.total)
    if state.bytes_per_second <= 0:
        return language.text("fetch-progress", done=done, total=total)
    left = (state.total - state.done) / state.bytes_per_second
    return language.text(
        "fetch-rate",
        done=done,
        total=total,
        rate=language.bytes_text(round(state.bytes_per_second)),
        left=language.seconds(left, whole=True),
    )
