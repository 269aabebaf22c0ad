"""The cards of the models page: one for each model, its well filled by the memory that it needs."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import (
    QModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from app.ui.focus_ring import KEYBOARD_REASONS
from app.ui.look import Look
from app.ui.model_rows import CardRole, Cards, Index
from app.ui.model_words import Fit, card_line, fit
from engine.contract import ModelFacts

_CARD, _GAP, _NARROWEST = 128, 12, 280  # px
_WASHES = {
    Fit.FITS: ("accentWash", "accent"),
    Fit.TIGHT: ("ochreWash", "ochre"),
    Fit.TOO_BIG: ("cinnabarWash", "cinnabar"),
}


class CardDelegate(QStyledItemDelegate):
    """Paints a card: well, name and badge, facts, whether it fits, where it lies."""

    def __init__(self, look: Look, view: CardView) -> None:
        super().__init__(view)
        self._look, self._view = look, view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the size of a cell of the grid."""
        return self._view.gridSize()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one card into its cell."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        card = QRect(option.rect).adjusted(0, 0, -_GAP, -_GAP)
        self._paint_ground(painter, card, option.state)
        facts: ModelFacts = index.data(CardRole.FACTS)
        needed, free = int(index.data(CardRole.NEEDED)), int(index.data(CardRole.FREE))
        how = fit(needed, free) if free else Fit.FITS
        self._paint_well(painter, card, needed / free if free else 0.0, how)
        self._paint_words(painter, card, facts, loaded=bool(index.data(CardRole.LOADED)))
        self._paint_fit(painter, card, needed, free, how)
        painter.restore()

    def _paint_ground(self, painter: QPainter, card: QRect, state: QStyle.StateFlag) -> None:
        theme = self._look.theme
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        hovered = bool(state & QStyle.StateFlag.State_MouseOver)
        width = 2 if chosen else 1
        edge = "accent" if chosen else "edge" if hovered else "line"
        painter.setPen(QPen(theme.color(edge), width))
        painter.setBrush(theme.color("paper"))
        inset = width / 2
        painter.drawRoundedRect(QRectF(card).adjusted(inset, inset, -inset, -inset), 10, 10)
        if chosen and self._view.keys_lead and self._view.hasFocus():
            painter.setPen(QPen(theme.color("focus"), 1, Qt.PenStyle.DotLine))
            painter.drawRoundedRect(QRectF(card).adjusted(4, 4, -4, -4), 7, 7)

    def _paint_well(self, painter: QPainter, card: QRect, share: float, how: Fit) -> None:
        """Paint the well: how much of the free memory the model would take."""
        theme = self._look.theme
        color = theme.color("ink") if how is Fit.FITS else theme.color(_WASHES[how][1])
        well = QRectF(card.x() + 15.5, card.y() + 15.5, 25, 35)
        painter.setPen(QPen(color if how is not Fit.FITS else theme.color("edge"), 1.4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(well, 6, 6)
        room = well.adjusted(3, 3, -3, -3)
        height = max(2.0, room.height() * min(1.0, share))
        filled = QRectF(room.x(), room.bottom() - height, room.width(), height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawRoundedRect(filled, min(3.0, height / 2), min(3.0, height / 2))

    def _paint_words(
        self, painter: QPainter, card: QRect, facts: ModelFacts, *, loaded: bool
    ) -> None:
        theme, text = self._look.theme, self._look.language.text
        left = card.x() + 54
        room = QRect(left, card.y() + 13, card.right() - 15 - left, theme.px(22))
        badge = text("model-loaded") if loaded else ""
        painter.setFont(theme.font("caption"))
        badge_width = painter.fontMetrics().horizontalAdvance(badge) + 14 if badge else 0
        painter.setFont(theme.font("body-bold"))
        painter.setPen(theme.color("ink"))
        name = painter.fontMetrics().elidedText(
            facts.name, Qt.TextElideMode.ElideRight, room.width() - badge_width - 8
        )
        width = painter.fontMetrics().horizontalAdvance(name)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(room, middle, name)
        if badge:
            at = QRect(room.x() + width + 8, room.y() + 1, badge_width, 20)
            self._paint_badge(painter, at, badge, "accentWash", "accent")
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.color("ink2"))
        line = QRect(left, card.y() + 35, card.right() - 15 - left, theme.px(18))
        facts_words = card_line(facts, self._look.language)
        painter.drawText(line, middle, _elided(painter, facts_words, line.width()))
        foot = QRect(card.x() + 15, card.bottom() - 34, card.width() - 30, 18)
        icon = theme.icon("folder-simple", "ink2")
        icon.paint(painter, QRect(foot.x(), foot.y() + 2, 14, 14))
        place = foot.adjusted(20, 0, 0, 0)
        painter.drawText(place, middle, _elided(painter, str(facts.path.parent), place.width()))

    def _paint_fit(self, painter: QPainter, card: QRect, needed: int, free: int, how: Fit) -> None:
        language, theme = self._look.language, self._look.theme
        if not free:
            return
        text_id = {Fit.FITS: "fits", Fit.TIGHT: "fits-tight", Fit.TOO_BIG: "fits-not"}[how]
        words = language.text(
            text_id, needed=language.gigabytes(needed), free=language.gigabytes(free)
        )
        painter.setFont(theme.font("caption"))
        width = painter.fontMetrics().horizontalAdvance(words) + 14
        at = QRect(card.x() + 15, card.y() + 68, min(width, card.width() - 30), 20)
        self._paint_badge(painter, at, words, *_WASHES[how])

    def _paint_badge(self, painter: QPainter, at: QRect, words: str, wash: str, color: str) -> None:
        theme = self._look.theme
        painter.setFont(theme.font("caption"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(wash))
        painter.drawRoundedRect(QRectF(at), 4, 4)
        painter.setPen(QColor(theme.color(color)))
        painter.drawText(at, Qt.AlignmentFlag.AlignCenter, words)


class CardView(QListView):
    """The cards in one to three columns, as high as they are; Enter and a double click load."""

    picked = Signal(object)  # ModelFacts: shown beside the cards
    activated_model = Signal(object)  # Path

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.keys_lead = False
        self.cards = Cards(look, self)
        self.setModel(self.cards)
        self.setItemDelegate(CardDelegate(look, self))
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
        self.keys_lead = True
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._activate()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Notice whether the focus came by keyboard."""
        self.keys_lead = event.reason() in KEYBOARD_REASONS
        super().focusInEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Load the model under the mouse."""
        if self.indexAt(event.position().toPoint()).isValid():
            self._activate()

    def _activate(self) -> None:
        facts = self.currentIndex().data(CardRole.FACTS)
        if isinstance(facts, ModelFacts):
            self.activated_model.emit(facts.path)

    def _fit(self) -> None:
        """Take the height that the cards need in this width."""
        width = self.width() - 1  # an exact fit would wrap
        columns = max(1, min(3, width // (_NARROWEST + _GAP)))
        cell = QSize(max(1, width // columns), _CARD + _GAP)
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
        self.viewport().update()


def _elided(painter: QPainter, text: str, width: int) -> str:
    return painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, width)
