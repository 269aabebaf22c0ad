"""The models as rows: their facts, and what each would take of this computer's memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QWidget

from app.store.benchmarks import Speed
from app.store.model_notes import ModelNote
from app.ui.look import Look
from app.ui.model_words import card_line, fit_words
from app.ui.reckoning import Here, Pace, Reckoning
from engine.contract import LoadSettings, ModelFacts, Support
from engine.library.fit import Fit, Place, Room, bytes_read, expected_speed, fit
from engine.library.scan import Found

Index = QModelIndex | QPersistentModelIndex

USUAL_CONTEXT = 8192  # tokens: what a need is told for where nothing else is chosen
ALL, FITTING, UNUSED = "all", "fitting", "unused"
_LATELY_S = 30 * 86_400


class CardRole(IntEnum):
    """What a card can be asked."""

    FACTS = Qt.ItemDataRole.UserRole + 1
    LOADED = Qt.ItemDataRole.UserRole + 2
    FIT = Qt.ItemDataRole.UserRole + 3
    FOUND = Qt.ItemDataRole.UserRole + 4  # Found, or None where it was not found by a scan
    SPEED = Qt.ItemDataRole.UserRole + 5  # (tokens a second, whether measured); 0 is unknown
    PINNED = Qt.ItemDataRole.UserRole + 6
    RESTING = Qt.ItemDataRole.UserRole + 7


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the cards are told of this computer: memory, settings, speeds measured so far.

    Attributes:
        room: what of the memory is free.
        load_of: what each model is loaded with.
        speeds: tokens a second that were measured here.
        bandwidth: bytes a second of the memory; 0 where it was not measured.
        memory: bytes of it in all.
        space: bytes that are free on the disk where models lie; 0 where that does not matter.
        loaded, replaced: the model whose memory would be given back, and its name.
    """

    room: Room = field(default_factory=lambda: Room(0))
    load_of: Callable[[Path], LoadSettings] = lambda _: LoadSettings()
    speeds: Mapping[Path, Speed] = field(default_factory=dict)
    bandwidth: float = 0.0
    memory: int = 0
    loaded: Path | None = None
    replaced: str = ""
    space: int = 0

    def context(self, facts: ModelFacts) -> int:
        """Return the context that a model would be loaded with, as far as the window can know."""
        wanted = self.load_of(facts.path).context or USUAL_CONTEXT
        return min(wanted, facts.context_length or USUAL_CONTEXT)

    def cache_bits(self, facts: ModelFacts) -> int:
        """Return the bits of a value in a model's cache."""
        return self.load_of(facts.path).cache_bits

    def fit(self, facts: ModelFacts) -> Fit:
        """Return where a model would run with the context that is set."""
        return self.fit_at(facts, self.context(facts))

    def fit_at(self, facts: ModelFacts, context: int) -> Fit:
        """Return where a model would run with another context, in tokens."""
        return fit(facts, context, self.room, self.cache_bits(facts))

    def reckon(self, facts: ModelFacts, context: int, *remarks: str) -> Reckoning:
        """Return what the verdict about a model is made of."""
        speed, is_measured = self.speed(facts)
        own = facts.path == self.loaded
        figures = Pace(bytes_read(facts), self.bandwidth, speed, is_measured)
        here = Here(self.room, self.memory, "" if own else self.replaced)
        return Reckoning(facts.name, self.fit_at(facts, context), here, figures, remarks)

    def reckon_shape(
        self, name: str, how: Fit, read: float, speed: float, *remarks: str
    ) -> Reckoning:
        """Return the same of a model whose files are not here yet: of each token ``read`` bytes."""
        here = Here(self.room, self.memory, self.replaced)
        return Reckoning(name, how, here, Pace(read, self.bandwidth, speed), remarks)

    def speed(self, facts: ModelFacts) -> tuple[float, bool]:
        """Return tokens a second, and whether that was measured here; 0 where it is not known."""
        measured = self.speeds.get(facts.path)
        if measured is not None:
            return measured.decode, True
        by_processor = self.fit(facts).place is Place.CPU  # whose memory was measured
        is_run = facts.support is not Support.UNSUPPORTED
        return expected_speed(facts, self.bandwidth) if by_processor and is_run else 0.0, False


class Cards(QAbstractListModel):
    """The models, with what their cards say of this computer; pinned ones first.

    Args:
        look: theme and language.
        note_of: what is noted of a model.
        parent: the view.
    """

    def __init__(self, look: Look, note_of: Callable[[Path], ModelNote], parent: QWidget) -> None:
        super().__init__(parent)
        self._look, self._note_of = look, note_of
        self._all: tuple[ModelFacts, ...] = ()
        self._models: tuple[ModelFacts, ...] = ()
        self._found: Mapping[Path, Found] = {}
        self._loaded: Path | None = None
        self._resting: Path | None = None
        self._text, self._which = "", ALL
        self.surroundings = Surroundings()

    def show_models(self, models: Sequence[ModelFacts], found: Sequence[Found] = ()) -> None:
        """Replace the models, and where each was found."""
        self._all = tuple(models)
        self._found = {each.path: each for each in found}
        self._choose()

    def show_only(self, text: str, which: str) -> None:
        """Show the models that contain a text, and all, those that fit, or those long unused."""
        self._text, self._which = text, which
        self._choose()

    def show_loaded(self, path: Path | None) -> None:
        """Mark the model that is loaded."""
        self._loaded = path
        self._tell()

    def show_resting(self, path: Path | None) -> None:
        """Mark the model that rests."""
        self._resting = path
        self._tell()

    def show_surroundings(self, surroundings: Surroundings) -> None:
        """Say how much memory is free, and for which context a need is told."""
        self.surroundings = surroundings
        self._tell()

    def index_of(self, path: Path | None) -> QModelIndex:
        """Return where a model stands, invalid where it does not."""
        for number, facts in enumerate(self._models):
            if facts.path == path:
                return self.index(number)
        return QModelIndex()

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of models."""
        return 0 if parent is not None and parent.isValid() else len(self._models)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return what a card shows; as text, all of it in a sentence for screen readers."""
        facts = self._models[index.row()]
        said: dict[int, Callable[[], object]] = {
            Qt.ItemDataRole.DisplayRole: lambda: self._words(facts),
            Qt.ItemDataRole.AccessibleTextRole: lambda: self._words(facts),
            CardRole.FACTS: lambda: facts,
            CardRole.LOADED: lambda: facts.path == self._loaded,
            CardRole.FIT: lambda: self.surroundings.fit(facts),
            CardRole.FOUND: lambda: self._found.get(facts.path),
            CardRole.SPEED: lambda: self.surroundings.speed(facts),
            CardRole.RESTING: lambda: facts.path == self._resting,
            CardRole.PINNED: lambda: self._note_of(facts.path).pinned,
        }
        return said[role]() if role in said else None

    def _words(self, facts: ModelFacts) -> str:
        language = self._look.language
        if facts.server:
            return f"{facts.name}, {card_line(facts, language)}"
        said = [facts.name, card_line(facts, language)]
        said.append(fit_words(self.surroundings.fit(facts), language))
        for path, text_id in ((self._loaded, "model-loaded"), (self._resting, "model-rests")):
            said += [language.text(text_id)] if facts.path == path else []
        return ", ".join(said)

    def _choose(self) -> None:
        """Choose and order the models that are shown."""
        shown = [facts for facts in self._all if self._is_wanted(facts)]
        self.beginResetModel()
        self._models = tuple(sorted(shown, key=lambda f: not self._note_of(f.path).pinned))
        self.endResetModel()

    def _is_wanted(self, facts: ModelFacts) -> bool:
        words = f"{facts.name} {facts.publisher} {facts.architecture} {facts.path}".casefold()
        if not all(word in words for word in self._text.casefold().split()):
            return False
        if self._which == FITTING:
            place = self.surroundings.fit(facts).place
            fits = place not in {Place.NOWHERE, Place.UNKNOWN}
            return fits and facts.support is not Support.UNSUPPORTED
        used = self._note_of(facts.path).last_used
        return self._which != UNUSED or time.time() - used > _LATELY_S

    def _tell(self) -> None:
        if self._models:
            self.dataChanged.emit(self.index(0), self.index(len(self._models) - 1))
