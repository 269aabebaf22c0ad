"""How a model's card looks: well, name, facts, whether it fits, where it lies, its button."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QEvent, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.ui.look import Look
from app.ui.model_rows import CardRole, Index
from app.ui.model_words import Fit, card_line, fit, place
from engine.contract import ModelFacts

GAP = 12  # px between two cards; each cell of the grid has it at its right and below
_ACTIVE = QStyle.StateFlag.State_MouseOver | QStyle.StateFlag.State_Selected
_WASHES = {
    Fit.FITS: ("accentWash", "accent"),
    Fit.TIGHT: ("ochreWash", "ochre"),
    Fit.TOO_BIG: ("cinnabarWash", "cinnabar"),
}


class CardDelegate(QStyledItemDelegate):
    """Paints a card: well, name and badge, facts, whether it fits, where it lies."""

    activated = Signal(object)  # the index of a card whose button was pressed
    menu_requested = Signal(object)  # the index of a card whose dots were pressed

    def __init__(self, look: Look, view: QListView) -> None:
        super().__init__(view)
        self._look, self._view = look, view
        self.keys_lead = False  # whether the focus came by keyboard, so that it must be seen

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the size of a cell of the grid."""
        return self._view.gridSize()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one card into its cell."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        card = QRect(option.rect).adjusted(0, 0, -GAP, -GAP)
        self._paint_ground(painter, card, option.state)
        facts: ModelFacts = index.data(CardRole.FACTS)
        needed, free = int(index.data(CardRole.NEEDED)), int(index.data(CardRole.FREE))
        how = fit(needed, free) if free else Fit.FITS
        self._paint_well(painter, card, needed / free if free else 0.0, how)
        self._paint_words(painter, card, facts, loaded=bool(index.data(CardRole.LOADED)))
        self._paint_fit(painter, card, needed, free, how)
        if option.state & _ACTIVE:
            self._paint_button(painter, card)
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
        if chosen and self.keys_lead and self._view.hasFocus():
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
        dots = self.dots(card)
        theme.icon("dots-three", "ink2").paint(painter, dots.adjusted(5, 5, -5, -5))
        room = QRect(left, card.y() + theme.px(13), dots.left() - 8 - left, theme.px(22))
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
            at = QRect(room.x() + width + 8, room.y() + 1, badge_width, theme.px(20))
            self._paint_badge(painter, at, badge, "accentWash", "accent")
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.color("ink2"))
        line = QRect(left, card.y() + theme.px(35), card.right() - 15 - left, theme.px(18))
        facts_words = card_line(facts, self._look.language)
        painter.drawText(line, middle, _elided(painter, facts_words, line.width()))
        top = card.bottom() - theme.px(34)
        foot = QRect(card.x() + 15, top, card.width() - 30, theme.px(18))
        icon = theme.icon("folder-simple", "ink2")
        icon.paint(painter, QRect(foot.x(), foot.center().y() - 6, 14, 14))
        beside = foot.adjusted(20, 0, 0, 0)
        where = place(facts.path, self._look.language)
        painter.drawText(beside, middle, _elided(painter, where, beside.width()))

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
        top, tall = card.y() + theme.px(68), theme.px(20)
        at = QRect(card.x() + 15, top, min(width, card.width() - 30), tall)
        self._paint_badge(painter, at, words, *_WASHES[how])

    def _paint_button(self, painter: QPainter, card: QRect) -> None:
        """Paint the button that loads the model; Enter and a double click do the same."""
        theme = self._look.theme
        at = self._button(card)
        painter.setPen(theme.color("edge"))
        painter.setBrush(theme.color("paper"))
        painter.drawRoundedRect(QRectF(at).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        painter.setFont(theme.font("small"))
        painter.setPen(theme.color("ink"))
        painter.drawText(at, Qt.AlignmentFlag.AlignCenter, self._look.language.text("model-chat"))

    def dots(self, card: QRect) -> QRect:
        """Return the hit area of the three dots that open the card's menu."""
        return QRect(card.right() - 38, card.y() + 8, 28, 28)

    def _button(self, card: QRect) -> QRect:
        """Return the button's hit area in a card."""
        words = self._look.language.text("model-chat")
        theme = self._look.theme
        width = QFontMetrics(theme.font("small")).horizontalAdvance(words) + 24
        return QRect(card.right() - 14 - width, card.y() + theme.px(64), width, theme.px(26))

    def editorEvent(
        self,
        event: QEvent,
        model: QAbstractItemModel,
        option: QStyleOptionViewItem,
        index: Index,
    ) -> bool:
        """Load the model whose button is pressed, or open its menu."""
        card = QRect(option.rect).adjusted(0, 0, -GAP, -GAP)
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease:
            at = event.position().toPoint()
            for area, pressed in (
                (self._button(card), self.activated),
                (self.dots(card), self.menu_requested),
            ):
                if area.contains(at) and event.button() == Qt.MouseButton.LeftButton:
                    pressed.emit(index)
                    return True
        return super().editorEvent(event, model, option, index)

    def _paint_badge(self, painter: QPainter, at: QRect, words: str, wash: str, color: str) -> None:
        theme = self._look.theme
        painter.setFont(theme.font("caption"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(wash))
        painter.drawRoundedRect(QRectF(at), 4, 4)
        painter.setPen(QColor(theme.color(color)))
        painter.drawText(at, Qt.AlignmentFlag.AlignCenter, words)


def _elided(painter: QPainter, text: str, width: int) -> str:
    return painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, width)
