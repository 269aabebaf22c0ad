"""What the charts share: a card with a title, what it shows in words, and painting in tokens."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.language import Language
from app.store.benchmarks import Speed
from app.ui.attachments.flow import Flow
from app.ui.benchmark.scale import Scale
from app.ui.look import Look
from app.ui.words import Words, wrapped

ROW = 39
_NAMES = 148  # px at 100 %: the least of the column of the models' names
_NAMES_SHARE = 0.4  # of the chart: the most of it
_THIN = 4  # px: the bar of another engine
_LEAST = 240  # px: of a card's width
_KEYS_APART, _SIDE = 16, 18  # px between the keys of a legend; beside a card's parts


class Chart(QWidget):
    """A painted picture of speeds; the same figures in words are its accessible description."""

    def __init__(self, look: Look, name_id: str) -> None:
        super().__init__()
        self.look, self._name_id = look, name_id
        self.speeds: tuple[Speed, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        look.follow(self._on_look_changed)

    def show_speeds(self, speeds: Sequence[Speed]) -> None:
        """Show the speeds of some models, fastest first."""
        self.speeds = tuple(speeds)
        self._on_look_changed()

    def sizeHint(self) -> QSize:
        """Return the height that the rows take."""
        return QSize(420, self.wanted_height())

    def wanted_height(self) -> int:
        """Return the height that the rows take, in pixels."""
        return self.look.theme.px(ROW) * max(1, len(self.speeds))

    def in_words(self, speed: Speed) -> str:
        """Return what one row shows, in words."""
        raise NotImplementedError

    def draw(self, painter: QPainter) -> None:
        """Paint the picture."""
        raise NotImplementedError

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the picture, smooth at its edges."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.draw(painter)

    def _on_look_changed(self) -> None:
        self.setAccessibleName(self.look.language.text(self._name_id))
        self.setAccessibleDescription("\n".join(self.in_words(each) for each in self.speeds))
        self.setFixedHeight(self.wanted_height())
        self.update()

    # --- painting -----------------------------------------------------------------------------

    def names_width(self) -> float:
        """Return how wide the column of names is: as the longest, but leaving room for bars."""
        most = _NAMES_SHARE * self.width()
        widest = max((self.width_of(s.name, "caption-bold") for s in self.speeds), default=0.0)
        return max(min(self.look.theme.px(_NAMES), most), min(widest + 14, most))

    def color(self, token: str) -> QColor:
        """Return a colour of the palette."""
        return self.look.theme.color(token)

    def write(
        self,
        painter: QPainter,
        rect: QRectF,
        text: str,
        font: str = "caption",
        token: str = "ink",
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    ) -> float:
        """Write a line into a rectangle, elided at its end, and return its width."""
        painter.setFont(self.look.theme.font(font))
        painter.setPen(self.color(token))
        metrics = QFontMetricsF(painter.font())
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, int(align | Qt.AlignmentFlag.AlignVCenter), shown)
        return metrics.horizontalAdvance(shown)

    def width_of(self, text: str, font: str = "caption") -> float:
        """Return how wide a text is."""
        return QFontMetricsF(self.look.theme.font(font)).horizontalAdvance(text)

    def fill(self, painter: QPainter, rect: QRectF, brush: QColor | QBrush, radius: float) -> None:
        """Fill a rectangle with round corners."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(brush)
        painter.drawRoundedRect(rect, radius, radius)

    def draw_peer(self, painter: QPainter, value: float, axis: Scale, bar: QRectF) -> None:
        """Draw another engine's rate as a thin bar below ours; 0 was not measured."""
        if value:
            width = axis.at(value, bar.width())
            below = QRectF(bar.x(), bar.bottom() + 2, width, _THIN)
            self.fill(painter, below, self.color("ochre"), 1)

    def stroke(
        self, painter: QPainter, start: QPointF, end: QPointF, token: str, width: float = 1.0
    ) -> None:
        """Draw a line."""
        painter.setPen(QPen(self.color(token), width))
        painter.drawLine(start, end)


class ChartCard(QFrame):
    """A card: a title with its legend, a sentence, the chart.

    A legend that does not fit beside the title stands below the sentence, in as many rows as it
    takes.
    """

    def __init__(self, look: Look, name: str, chart: QWidget, *legend: QWidget) -> None:
        super().__init__()
        self.setObjectName("chart-card")
        column = QVBoxLayout(self)
        column.setContentsMargins(_SIDE, 16, _SIDE, 16)
        column.setSpacing(2)
        self._title = Words(look, f"{name}-title", "body-bold")
        self._keys, self._legend = legend, Flow(_KEYS_APART)
        self._legend.show_widgets(legend)
        self._head = QGridLayout()
        self._head.setHorizontalSpacing(_KEYS_APART)
        self._head.setVerticalSpacing(2)
        self._head.setColumnStretch(0, 1)
        self._head.addWidget(self._title, 0, 0)
        self._head.addWidget(wrapped(Words(look, f"{name}-about", "caption2")), 1, 0, 1, 2)
        self._is_beside: bool | None = None
        column.addLayout(self._head)
        column.addSpacing(10)
        column.addWidget(chart)
        column.addStretch()

    def minimumSizeHint(self) -> QSize:
        """Return a width that the legend has no part in: it would hold the card at its own."""
        return QSize(_LEAST, super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        """Place the legend whenever the width or what stands here has changed."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest) and self._keys:
            self.place_legend()
        return super().event(event)

    def place_legend(self) -> None:
        """Place the keys that are shown beside the title, or below the sentence."""
        shown = [key for key in self._keys if not key.isHidden()]
        needed = sum(key.sizeHint().width() + _KEYS_APART for key in shown)
        room = self.width() - 2 * _SIDE - self._title.sizeHint().width()
        beside = needed <= room
        if beside:
            self._legend.setFixedWidth(needed)
        elif self._is_beside is not False:
            self._legend.setMinimumWidth(0)
            self._legend.setMaximumWidth(1 << 20)
        if beside != self._is_beside:
            self._is_beside = beside
            self._head.addWidget(self._legend, *((0, 1, 1, 1) if beside else (2, 0, 1, 2)))
        self._legend.look_again()


class LegendKey(QWidget):
    """What a colour stands for: a small swatch and its words."""

    def __init__(self, look: Look, text_id: str, token: str, kind: str = "bar") -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(Swatch(look, token, kind))
        self.words = Words(look, text_id, "caption2")
        row.addWidget(self.words)


STROKES = {
    "solid": Qt.PenStyle.SolidLine,
    "dashed": Qt.PenStyle.DashLine,
    "dotted": Qt.PenStyle.DotLine,
}  # lines over time: told apart without their colours too


class Swatch(QWidget):
    """The colour of a legend, as a bar, hatched, a mark (line, dots) or a stroke over time."""

    def __init__(self, look: Look, token: str, kind: str) -> None:
        super().__init__()
        self._look, self._token, self._kind = look, token, kind
        self.setFixedSize(4 if kind in {"line", "dots"} else 16, 12)
        look.theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint it."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._look.theme
        color = theme.color(self._token)
        if self._kind == "dots":
            painter.setPen(QPen(color, 2, Qt.PenStyle.DotLine))
            painter.drawLine(2, 0, 2, 12)
        elif self._kind == "line":
            painter.fillRect(1, 0, 3, 12, color)
        elif self._kind in STROKES:
            painter.setPen(QPen(color, 2, STROKES[self._kind]))
            painter.drawLine(0, 6, 16, 6)
        elif self._kind == "hatched":
            rect = QRectF(0.5, 1.5, 15, 9)
            painter.setPen(theme.color("edge"))
            painter.setBrush(hatching(color))
            painter.drawRoundedRect(rect, 2, 2)
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawRoundedRect(QRectF(0, 1, 16, 10), 2, 2)


def peer_words(peer: str, rate: float, language: Language) -> str:
    """Return another engine's rate in words; empty where none was measured."""
    if not rate:
        return ""
    return language.text("benchmark-peer-row", peer=peer, speed=language.speed(rate))


def hatching(color: QColor) -> QBrush:
    """Return the brush of what is not reached."""
    return QBrush(color, Qt.BrushStyle.BDiagPattern)
