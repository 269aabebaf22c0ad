"""How a model's card looks: well, name, facts, whether it fits, where it lies, its button."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QEvent, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.ui.card_places import CardPlaces, card_places
from app.ui.look import Look
from app.ui.model_rows import CardRole, Index
from app.ui.model_words import card_line, fit_words, place
from engine.contract import ModelFacts, Support
from engine.library.fit import Fit, Place
from engine.library.scan import Found
from engine.library.servers.address import is_here

_ACTIVE = QStyle.StateFlag.State_MouseOver | QStyle.StateFlag.State_Selected
_FITS, _TIGHT = ("accentWash", "accent"), ("ochreWash", "ochre")
_TOO_BIG, _QUIET = ("cinnabarWash", "cinnabar"), ("stone2", "ink2")


class CardDelegate(QStyledItemDelegate):
    """Paints a card: well, name and badge, facts, whether it fits, where it lies."""

    activated = Signal(object)  # the index of a card whose button was pressed
    menu_requested = Signal(object)  # the index of a card whose dots were pressed
    why_wanted = Signal(object)  # the index of a card whose "Why?" was pressed

    def __init__(self, look: Look, view: QListView) -> None:
        super().__init__(view)
        self._look, self._view = look, view
        self.keys_lead = False  # whether the focus came by keyboard, so that it must be seen

    @property
    def places(self) -> CardPlaces:
        """Where the parts of a card stand now."""
        return card_places(self._look.theme)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the size of a cell of the grid."""
        return self._view.gridSize()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one card into its cell."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        card = self.places.card(QRect(option.rect))
        self._paint_ground(painter, card, option.state)
        facts: ModelFacts = index.data(CardRole.FACTS)
        fit: Fit = index.data(CardRole.FIT)
        if facts.server:
            self._paint_sign(painter, card, facts.server)
        else:
            self._paint_well(painter, card, fit)
        self._paint_words(painter, card, facts, index)
        asks = _asks(facts, fit, is_active=bool(option.state & _ACTIVE))
        self._paint_foot(painter, card, facts, index.data(CardRole.FOUND), asks=asks)
        end = self._paint_fit(painter, card, facts, fit)
        if option.state & _ACTIVE and facts.support is not Support.UNSUPPORTED:
            self._paint_button(painter, card, index)
        else:
            self._paint_speed(painter, card, end, *index.data(CardRole.SPEED))
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

    def _paint_well(self, painter: QPainter, card: QRect, fit: Fit) -> None:
        """Paint the well: how much of the free memory the model would take."""
        theme, colors = self._look.theme, _colors(fit)
        known = fit.free and fit.place is not Place.UNKNOWN
        share = fit.need.total / fit.free if known else 0.0
        is_plain = colors in (_FITS, _QUIET)
        color = theme.color("ink" if is_plain else colors[1])
        well = QRectF(card.x() + 15.5, card.y() + self.places.edge + 0.5, 25, 35)
        painter.setPen(QPen(theme.color("edge") if is_plain else color, 1.4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(well, 6, 6)
        room = well.adjusted(3, 3, -3, -3)
        height = max(2.0, room.height() * min(1.0, share))
        filled = QRectF(room.x(), room.bottom() - height, room.width(), height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawRoundedRect(filled, min(3.0, height / 2), min(3.0, height / 2))

    def _paint_sign(self, painter: QPainter, card: QRect, server: str) -> None:
        """Paint where a server's model is, in place of the well: it takes no memory here."""
        name, color = ("desktop", "ink2") if is_here(server) else ("globe", "ochre")
        at = QRect(card.x() + 14, card.y() + self.places.edge + 4, 28, 28)
        self._look.theme.icon(name, color).paint(painter, at)

    def _paint_words(self, painter: QPainter, card: QRect, facts: ModelFacts, index: Index) -> None:
        loaded = bool(index.data(CardRole.LOADED))
        theme, text = self._look.theme, self._look.language.text
        left = card.x() + 54
        dots = self.dots(card)
        theme.icon("dots-three", "ink2").paint(painter, dots.adjusted(5, 5, -5, -5))
        places = self.places
        room = QRect(left, card.y() + places.name, dots.left() - 8 - left, theme.px(22))
        quiet = text("model-pinned") if index.data(CardRole.PINNED) else ""
        quiet = text("model-rests") if index.data(CardRole.RESTING) else quiet
        badge = text("model-loaded") if loaded else quiet
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
            self._paint_badge(painter, at, badge, *(_FITS if loaded else _QUIET))
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.color("ink2"))
        line = QRect(left, card.y() + places.facts, card.right() - 15 - left, theme.px(18))
        facts_words = card_line(facts, self._look.language)
        painter.drawText(line, middle, _elided(painter, facts_words, line.width()))

    def _paint_foot(
        self, painter: QPainter, card: QRect, facts: ModelFacts, found: Found | None, *, asks: bool
    ) -> None:
        theme, middle = self._look.theme, Qt.AlignmentFlag.AlignVCenter
        foot = QRect(card.x() + 15, card.y() + self.places.foot, card.width() - 30, theme.px(18))
        painter.setFont(theme.font("caption"))
        if asks:  # the figures behind the badge; by keyboard in the menu and the panel
            why = self._why(card)
            painter.setPen(theme.color("accent"))
            painter.drawText(
                why, middle | Qt.AlignmentFlag.AlignRight, self._look.language.text("why")
            )
            foot.setRight(why.left() - 8)
        painter.setPen(theme.color("ink2"))
        icon = theme.icon("folder-simple", "ink2")
        icon.paint(painter, QRect(foot.x(), foot.center().y() - 6, 14, 14))
        beside = foot.adjusted(20, 0, 0, 0)
        where = place(facts.path, self._look.language, found)
        painter.drawText(beside, middle, _elided(painter, where, beside.width()))

    def _paint_fit(self, painter: QPainter, card: QRect, facts: ModelFacts, fit: Fit) -> int:
        """Paint whether it runs and fits; return where the badge ends."""
        language, left = self._look.language, card.x() + 15
        if facts.support is Support.UNSUPPORTED:
            words, colors = language.text("model-unsupported"), _TOO_BIG
        elif facts.server:
            where = "here" if is_here(facts.server) else "away"
            words = language.text(f"remote-badge-{where}")
            colors = _FITS if is_here(facts.server) else _TIGHT
        elif not fit.free:
            return left
        else:
            words, colors = fit_words(fit, language), _colors(fit)
        painter.setFont(self._look.theme.font("caption"))
        width = painter.fontMetrics().horizontalAdvance(words) + 14
        top, tall = card.y() + self.places.badge, self._look.theme.px(20)
        at = QRect(left, top, min(width, card.width() - 30), tall)
        self._paint_badge(painter, at, words, *colors)
        return at.right()

    def _paint_speed(
        self, painter: QPainter, card: QRect, left: int, speed: float, measured: bool
    ) -> None:
        if not speed:
            return
        theme, language = self._look.theme, self._look.language
        figure = language.speed(speed)
        rest = language.text("speed-measured" if measured else "speed-expected")
        top, tall = card.y() + self.places.badge, theme.px(20)
        at = QRect(left + 10, top, card.right() - 15 - left - 10, tall)
        painter.setPen(theme.color("ink2"))
        painter.setFont(theme.font("caption-bold"))
        width = painter.fontMetrics().horizontalAdvance(figure) + 4
        if width > at.width():
            return
        painter.drawText(at, Qt.AlignmentFlag.AlignVCenter, figure)
        painter.setFont(theme.font("caption"))
        beside = at.adjusted(width, 0, 0, 0)
        shown = painter.fontMetrics().elidedText(rest, Qt.TextElideMode.ElideRight, beside.width())
        painter.drawText(beside, Qt.AlignmentFlag.AlignVCenter, shown)

    def _paint_button(self, painter: QPainter, card: QRect, index: Index) -> None:
        """Paint the button that loads the model; Enter and a double click do the same."""
        theme = self._look.theme
        at = self._button(card, index)
        painter.setPen(theme.color("edge"))
        painter.setBrush(theme.color("paper"))
        painter.drawRoundedRect(QRectF(at).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        painter.setFont(theme.font("small"))
        painter.setPen(theme.color("ink"))
        painter.drawText(at, Qt.AlignmentFlag.AlignCenter, self._button_words(index))

    def dots(self, card: QRect) -> QRect:
        """Return the hit area of the three dots that open the card's menu."""
        return QRect(card.right() - 38, card.y() + (self.places.edge + 1) // 2, 28, 28)

    def _why(self, card: QRect) -> QRect:
        """Return the hit area of "Why?", at the end of the foot."""
        theme = self._look.theme
        width = QFontMetrics(theme.font("caption")).horizontalAdvance(
            self._look.language.text("why")
        )
        top = card.y() + self.places.foot
        return QRect(card.right() - 15 - width, top, width, theme.px(18))

    def _button_words(self, index: Index) -> str:
        is_loaded = bool(index.data(CardRole.LOADED))
        return self._look.language.text("model-chat-loaded" if is_loaded else "model-chat")

    def _button(self, card: QRect, index: Index) -> QRect:
        """Return the button's hit area in a card."""
        words = self._button_words(index)
        theme = self._look.theme
        width = QFontMetrics(theme.font("small")).horizontalAdvance(words) + 24
        top = card.y() + self.places.badge - theme.px(4)
        return QRect(card.right() - 14 - width, top, width, theme.px(26))

    def editorEvent(
        self,
        event: QEvent,
        model: QAbstractItemModel,
        option: QStyleOptionViewItem,
        index: Index,
    ) -> bool:
        """Load the model whose button is pressed, or open its menu."""
        card = self.places.card(QRect(option.rect))
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease:
            at = event.position().toPoint()
            facts: ModelFacts = index.data(CardRole.FACTS)
            can_run = facts.support is not Support.UNSUPPORTED
            for area, pressed in (
                (self._button(card, index) if can_run else QRect(), self.activated),
                (self.dots(card), self.menu_requested),
                (QRect() if facts.server else self._why(card), self.why_wanted),
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


def _asks(facts: ModelFacts, fit: Fit, *, is_active: bool) -> bool:
    """Whether a card offers the reason of its verdict: always where it is not a plain "fits"."""
    return not facts.server and (is_active or _colors(fit) != _FITS)


def _colors(fit: Fit) -> tuple[str, str]:
    """Return ground and ink of how a model fits."""
    if fit.place is Place.NOWHERE:
        return _TOO_BIG
    if fit.place is Place.UNKNOWN:
        return _QUIET
    return _TIGHT if fit.is_tight or fit.place is Place.PARTLY else _FITS
