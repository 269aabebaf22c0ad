"""The models as rows: their facts, and what each would take of this computer's memory."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QWidget

from app.ui.look import Look
from app.ui.model_words import card_line
from engine.contract import ModelFacts
from engine.library.memory import memory_needed

Index = QModelIndex | QPersistentModelIndex

USUAL_CONTEXT = 8192  # tokens: what a need is told for where nothing else is chosen


class CardRole(IntEnum):
    """What a card can be asked."""

    FACTS = Qt.ItemDataRole.UserRole + 1
    LOADED = Qt.ItemDataRole.UserRole + 2
    NEEDED = Qt.ItemDataRole.UserRole + 3  # bytes
    FREE = Qt.ItemDataRole.UserRole + 4  # bytes


def context_for(facts: ModelFacts, wanted: int) -> int:
    """Return the context that a model would be loaded with, as far as the window can know."""
    longest = facts.context_length or USUAL_CONTEXT
    return min(wanted or USUAL_CONTEXT, longest)


class Cards(QAbstractListModel):
    """The models, with what their cards say of this computer."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._models: tuple[ModelFacts, ...] = ()
        self._loaded: Path | None = None
        self._free = self._context = 0
        self._cache_bits = 16

    def show_models(self, models: Sequence[ModelFacts]) -> None:
        """Replace the models."""
        self.beginResetModel()
        self._models = tuple(models)
        self.endResetModel()

    def show_loaded(self, path: Path | None) -> None:
        """Mark the model that is loaded."""
        self._loaded = path
        self._tell()

    def show_computer(self, free: int, context: int, cache_bits: int) -> None:
        """Say how much memory is free, and for which context a need is told."""
        self._free, self._context, self._cache_bits = free, context, cache_bits
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
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return f"{facts.name}, {card_line(facts, self._look.language)}"
            case CardRole.FACTS:
                return facts
            case CardRole.LOADED:
                return facts.path == self._loaded
            case CardRole.NEEDED:
                context = context_for(facts, self._context)
                return memory_needed(facts, context, self._cache_bits).total
            case CardRole.FREE:
                return self._free
        return None

    def _tell(self) -> None:
        if self._models:
            self.dataChanged.emit(self.index(0), self.index(len(self._models) - 1))
