"""The cards of the models page, one for each model, in as many columns as fit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListView

from app.store.model_notes import ModelNote
from app.ui.card_delegate import CardDelegate
from app.ui.card_places import GAP
from app.ui.focus_ring import KEYBOARD_REASONS
from app.ui.look import Look
from app.ui.model_rows import CardRole, Cards, Index
from app.ui.spoken_rows import PressableList
from engine.contract import ModelFacts

_NARROWEST = 280  # px at 100 %


class CardView(PressableList):
    """The cards in one to three columns, as high as they are; Enter and a double click load."""

    picked = Signal(object)  # ModelFacts: shown beside the cards
    activated_model = Signal(object)  # Path
    menu_requested = Signal(object, QPoint)  # ModelFacts, where on the screen
    why_wanted = Signal(object)  # ModelFacts

    def __init__(self, look: Look, note_of: Callable[[Path], ModelNote]) -> None:
        super().__init__()
        self._look = look
        self.cards = Cards(look, note_of, self)
        self.setModel(self.cards)
        self._delegate = CardDelegate(look, self)
        self._delegate.activated.connect(self.activate)
        self._delegate.menu_requested.connect(self._open_menu)
        self._delegate.why_wanted.connect(self._on_why)
        self.setItemDelegate(self._delegate)
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setMovement(QListView.Movement.Static)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        self.cards.modelReset.connect(self._fit)
        look.follow(self._on_look_changed)

    def choose(self, path: Path | None) -> None:
        """Choose a model's card, or the first."""
        index = self.cards.index_of(path)
        self.setCurrentIndex(index if index.isValid() else self.cards.index(0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width among the columns."""
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Load the chosen model on Enter."""
        self._delegate.keys_lead = True
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activate(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Notice whether the focus came by keyboard."""
        self._delegate.keys_lead = event.reason() in KEYBOARD_REASONS
        super().focusInEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Load the model under the mouse."""
        self.activate(self.indexAt(event.position().toPoint()))

    def press_row(self, index: Index) -> bool:
        """Ask for the model of a card, as Enter does."""
        self.activate(index)
        return True

    @Slot(object)
    def activate(self, index: Index) -> None:
        """Ask for the model of a card."""
        facts = index.data(CardRole.FACTS)
        if isinstance(facts, ModelFacts):
            self.activated_model.emit(facts.path)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the card under the mouse, or by key of the chosen one."""
        by_mouse = event.reason() is QContextMenuEvent.Reason.Mouse
        self._open_menu(self.indexAt(event.pos()) if by_mouse else self.currentIndex())

    @Slot(object)
    def _open_menu(self, index: Index) -> None:
        facts = index.data(CardRole.FACTS)
        if isinstance(facts, ModelFacts):
            here = self.cards.index_of(facts.path)
            self.setCurrentIndex(here)
            card = self._delegate.places.card(self.visualRect(here))
            at = self._delegate.dots(card).bottomLeft()
            self.menu_requested.emit(facts, self.viewport().mapToGlobal(at))

    @Slot(object)
    def _on_why(self, index: Index) -> None:
        self.why_wanted.emit(index.data(CardRole.FACTS))

    def _fit(self) -> None:
        """Take the height that the cards need in this width."""
        width = self.width() - 1  # an exact fit would wrap
        places = self._delegate.places
        columns = max(1, min(3, width // (self._look.theme.px(_NARROWEST) + GAP)))
        cell = QSize(max(1, width // columns), places.height + places.below)
        if cell != self.gridSize():
            self.setGridSize(cell)
        rows = -(-self.cards.rowCount() // columns)
        self.setFixedHeight(max(1, rows * cell.height()))

    @Slot(QModelIndex, QModelIndex)
    def _on_current_changed(self, current: QModelIndex, previous: QModelIndex) -> None:
        if current.isValid():
            self.picked.emit(current.data(CardRole.FACTS))

    def _on_look_changed(self) -> None:
        self.setAccessibleName(self._look.language.text("models"))
        self._fit()
        self.viewport().update()
