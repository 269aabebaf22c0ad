"""The ways to begin: fetch the small model, choose a better one, use files that are there."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.ui.buttons import Button
from app.ui.faults import FaultAction, fault_text
from app.ui.look import Look
from app.ui.meters import FillBar
from app.ui.model_shelf import FetchPhase, FetchState, ModelShelf
from app.ui.model_words import Fit, fit
from app.ui.speed_badge import SpeedBadge
from app.ui.words import Plain, Words, wrapped
from engine.library.fit import REACHED
from engine.library.hubs.catalog import read_catalog, suggest
from engine.library.sources import OTHERS
from engine.library.starter import STARTER
from engine.library.write_fault import free_at

STARTER_MEMORY = 600_000_000  # bytes: measured peak of the starter model with its whole context
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
        self.row = QHBoxLayout()
        self.row.setSpacing(8)
        self.below = QVBoxLayout()
        self.below.setSpacing(6)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(Words(look, title_id, "title"))
        words.addSpacing(2)
        words.addWidget(self.about)
        words.addSpacing(12)
        words.addLayout(self.row)
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
        self._free = 0
        self.start = Button(look, "welcome-start", "main", size="large")
        self.start.clicked.connect(self.start_requested)
        self._fits = Plain("", "badge-fits")
        self._pace = SpeedBadge(look)
        self.row.addWidget(self.start)
        for badge in (self._fits, self._pace):
            self.row.addWidget(badge, 0, Qt.AlignmentFlag.AlignVCenter)
        self.row.addStretch()
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

    def show_free_memory(self, free: int) -> None:
        """Say whether the small model fits into so many free bytes."""
        self._free = free
        self._on_look_changed()

    def show_bandwidth(self, bandwidth: float) -> None:
        """Say how fast it would write where memory is read at so many bytes a second."""
        self._pace.show_speed(REACHED * bandwidth / STARTER.size)

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
        self._fits.setVisible(not running and self._free > 0)
        self._pace.allow(not running)
        self._say_about()
        self._say_fit()
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
        how = fit(STARTER_MEMORY, self._free)
        text_id = {Fit.FITS: "fits", Fit.TIGHT: "fits-tight", Fit.TOO_BIG: "fits-not"}[how]
        needed, free = language.gigabytes(STARTER_MEMORY), language.gigabytes(self._free)
        self._fits.setText(language.text(text_id, needed=needed, free=free))
        self._fits.set_kind(f"badge-{how.value}")


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
        self.row.addWidget(self.suggestions)
        self.row.addWidget(self._pace, 0, Qt.AlignmentFlag.AlignVCenter)
        self.row.addStretch()
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
        if not fits:
            self.about.setText(language.text("welcome-better-about"))
            return
        said = language.text("welcome-better-model", memory=total, name=model.name, size=size)
        self.about.setText(said)


class FilesChoice(Choice):
    """Files that are there: how many were found, and the ways to point at others."""

    models_requested = Signal()
    file_requested = Signal()
    folder_requested = Signal()

    def __init__(self, look: Look, shelf: ModelShelf) -> None:
        super().__init__(look, "folder-open", "welcome-files", first=False)
        self._shelf = shelf
        self.show_models = Button(look, "welcome-show-models")
        self.show_models.clicked.connect(self.models_requested)
        self.file = Button(look, "model-file")
        self.file.clicked.connect(self.file_requested)
        self.folder = Button(look, "model-folder", "quiet")
        self.folder.clicked.connect(self.folder_requested)
        for button in (self.show_models, self.file, self.folder):
            self.row.addWidget(button)
        self.row.addStretch()
        shelf.changed.connect(self._on_look_changed)
        look.follow(self._on_look_changed)

    @Slot()
    def _on_look_changed(self) -> None:
        text, count = self._look.language.text, len(self._shelf.models)
        self.show_models.setVisible(count > 0)
        if count:
            others = self._of_others()
            said = "welcome-files-of" if others else "welcome-files-found"
            self.about.setText(text(said, count=count, programs=others))
        elif self._shelf.is_scanning:
            self.about.setText(text("welcome-files-scanning"))
        else:
            self.about.setText(text("welcome-files-none"))

    def _of_others(self) -> str:
        """Return "2 in Ollama, 1 in LM Studio"; empty where no other program has any."""
        language = self._look.language
        usable = [found.source for found in self._shelf.found if found.facts is not None]
        counts = [(kind, usable.count(kind)) for kind in OTHERS if kind in usable]
        return language.text("welcome-between").join(
            language.text("welcome-of", count=n, program=language.text(f"source-{kind.value}"))
            for kind, n in counts
        )


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
