"""What one trades, size against likeness; and how much each layer lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.ui.benchmark.chart import Chart
from app.ui.benchmark.scale import scale
from app.ui.look import Look

_HEIGHT, _LEFT, _FOOT, _TOP = 244, 44, 26, 28
_SQUARES = 60  # along each part of the line
_BARS, _BAR_FOOT, _BAR_HEAD = 104, 20, 18
_FLOOR = 0.5  # the chart's foot, unless a copy lies below


@dataclass(frozen=True, slots=True)
class TradePoint:
    """One size on the chart.

    Attributes:
        name: in the user's language.
        size: bytes.
        share: of tokens with the same first choice as the original, 0 to 1.
        speed: tokens a second; 0 where it is not known.
        measured: whether likeness was measured, or expected.
        chosen: whether it is the one that is chosen now.
    """

    name: str
    size: int
    share: float
    speed: float = 0.0
    measured: bool = False
    chosen: bool = False


class TradeChart(Chart):
    """Points from the smallest to the original; hollow where they are expected."""

    def __init__(self, look: Look) -> None:
        self._points: tuple[TradePoint, ...] = ()
        super().__init__(look, "smaller-trade")

    def show_points(self, points: Sequence[TradePoint]) -> None:
        """Show other points."""
        self._points = tuple(sorted(points, key=lambda point: point.size))
        self._on_look_changed()

    def wanted_height(self) -> int:
        """Return a fixed height."""
        return self.look.theme.px(_HEIGHT)

    def draw(self, painter: QPainter) -> None:
        """Paint the axes, the line, the points and their names."""
        if not self._points:
            return
        theme = self.look.theme
        left, foot = theme.px(_LEFT), theme.px(_FOOT)
        room = QRectF(left, theme.px(_TOP), self.width() - left - 12, 0)
        room.setBottom(self.height() - foot)
        floor = min(_FLOOR, *(int(point.share * 10) / 10 for point in self._points))
        sizes = scale([point.size / 1e9 for point in self._points], 5, whole=True)
        places = [
            QPointF(
                room.x() + sizes.at(point.size / 1e9, room.width()),
                room.bottom() - room.height() * (point.share - floor) / (1 - floor),
            )
            for point in self._points
        ]
        self._draw_axes(painter, room, floor, [(t, sizes.at(t, room.width())) for t in sizes.ticks])
        painter.setPen(QPen(self.color("edge"), 1.5))
        painter.drawPolyline(places)
        line, taken = list(_along(places)), list[QRectF]()
        for point, place in zip(self._points, places, strict=True):
            self._draw_point(painter, point, place)
            taken.append(QRectF(place.x() - 7, place.y() - 7, 14, 14))
        for point, place in sorted(
            zip(self._points, places, strict=True), key=lambda each: not each[0].chosen
        ):
            self._draw_name(painter, point, place, room, taken, line)

    def _draw_axes(
        self, painter: QPainter, room: QRectF, floor: float, ticks: list[tuple[float, float]]
    ) -> None:
        theme, right = self.look.theme, Qt.AlignmentFlag.AlignRight
        for step in range(round(floor * 10), 11):
            y = room.bottom() - room.height() * (step / 10 - floor) / (1 - floor)
            self.stroke(painter, QPointF(room.x(), y), QPointF(room.right(), y), "line")
            cell = QRectF(0, y - 8, room.x() - 6, 16)
            self.write(painter, cell, f"{step * 10} %", "caption", "ink2", right)
        for tick, at in ticks:
            last = tick == ticks[-1][0]
            text = f"{tick:g} GB" if last else f"{tick:g}"
            cell = QRectF(room.x() + at - 30, room.bottom() + 6, 60, theme.px(16))
            cell.moveRight(min(cell.right(), float(self.width())))
            self.write(painter, cell, text, "caption", "ink2", Qt.AlignmentFlag.AlignHCenter)
        self.stroke(painter, room.bottomLeft(), room.bottomRight(), "edge")

    def _draw_point(self, painter: QPainter, point: TradePoint, place: QPointF) -> None:
        if point.chosen:
            painter.setPen(QPen(self.color("accent"), 2))
            painter.setBrush(self.color("accentWash"))
            painter.drawEllipse(place, 9.5, 9.5)
        token = "accent" if point.chosen else "ink"
        painter.setPen(QPen(self.color(token), 2))
        painter.setBrush(self.color(token if point.measured else "paper"))
        painter.drawEllipse(place, 4.5, 4.5)

    def _draw_name(
        self,
        painter: QPainter,
        point: TradePoint,
        place: QPointF,
        room: QRectF,
        taken: list[QRectF],
        line: list[QRectF],
    ) -> None:
        """Write a name where it meets no other words, and not the line where that can be."""
        speed = self._speed_words(point)
        bold = self.width_of(point.name, "caption-bold")
        width = bold + self.width_of(speed) + 2
        height = self.look.theme.px(16)
        left, right = place.x() - width, place.x()
        middle, above, below = place.y() - height / 2, place.y() - height, place.y()
        spots = (
            (right + 13, middle), (left - 13, middle),
            (right + 10, below + 6), (left - 8, above - 8),
            (right - width / 2, below + 12), (right - width / 2, above - 12),
        )  # fmt: skip
        for busy, (x, y) in product(([*taken, *line], taken), spots):
            cell = QRectF(x, y, width, height)
            inside = x >= room.x() and cell.right() <= self.width() and y >= 0
            if inside and cell.bottom() < room.bottom() and not any(map(cell.intersects, busy)):
                token = "accent" if point.chosen else "ink"
                self.write(
                    painter, QRectF(x, y, bold + 2, height), point.name, "caption-bold", token
                )
                rest = QRectF(x + bold, y, width - bold + 2, height)
                self.write(painter, rest, speed, "caption", "ink2")
                taken.append(cell)
                return

    def _speed_words(self, point: TradePoint) -> str:
        language = self.look.language
        speed = language.text("smaller-rate", speed=language.speed(point.speed))
        return f"  {speed}" if point.speed else ""

    def _on_look_changed(self) -> None:
        super()._on_look_changed()
        language = self.look.language
        said = (
            language.text(
                "smaller-point",
                name=point.name,
                size=language.bytes_text(point.size),
                share=language.number(point.share * 100, 1),
                speed=self._speed_words(point).strip() or "–",
                measured="yes" if point.measured else "no",
            )
            for point in self._points
        )
        self.setAccessibleDescription("\n".join(said))


class LayersChart(Chart):
    """A bar for each layer, as high as its outputs' error; hollow for those still to come."""

    def __init__(self, look: Look) -> None:
        self._errors: tuple[float, ...] = ()
        self._layers = 0
        super().__init__(look, "smaller-layers")

    def show_errors(self, errors: Sequence[float], layers: int) -> None:
        """Show the errors of the layers that are done, of all that there are."""
        self._errors, self._layers = tuple(errors), max(layers, len(errors))
        self._on_look_changed()

    def wanted_height(self) -> int:
        """Return a fixed height."""
        return self.look.theme.px(_BARS)

    def draw(self, painter: QPainter) -> None:
        """Paint the bars and the numbers of the first and the last layer."""
        if not self._layers:
            return
        theme = self.look.theme
        head, foot = theme.px(_BAR_HEAD), self.height() - theme.px(_BAR_FOOT)
        step = self.width() / self._layers
        wide = max(1.0, min(step - 2, 14.0))
        most = max(self._errors, default=1.0) or 1.0
        worst = self._errors.index(most) if self._errors else -1
        for layer in range(self._layers):
            left = layer * step + (step - wide) / 2
            if layer < len(self._errors):
                high = (foot - head) * self._errors[layer] / most
                token = "ochre" if layer == worst else "ink"
                self.fill(painter, QRectF(left, foot - high, wide, high), self.color(token), 1)
            else:
                painter.setPen(self.color("line"))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(QRectF(left, foot - (foot - head) / 2, wide, (foot - head) / 2))
        self.stroke(painter, QPointF(0, foot), QPointF(self.width(), foot), "edge")
        row = QRectF(0, foot + 3, self.width(), theme.px(16))
        self.write(painter, row, "1", "caption", "ink2")
        right = Qt.AlignmentFlag.AlignRight
        self.write(painter, row, str(self._layers), "caption", "ink2", right)
        if self._errors:
            words = self._worst_words(worst, most)
            width = self.width_of(words) + 2
            x = min(max(0.0, worst * step), self.width() - width)
            self.write(painter, QRectF(x, 0, width, head - 2), words, "caption", "ochre")

    def _worst_words(self, layer: int, error: float) -> str:
        share = self.look.language.number(error * 100, 1)
        return self.look.language.text("smaller-worst", layer=layer + 1, share=share)

    def _on_look_changed(self) -> None:
        super()._on_look_changed()
        text, errors = self.look.language.text, self._errors
        said = text("smaller-layers-none")
        if errors:
            most = max(errors)
            least = self.look.language.number(min(errors) * 100, 1)
            said = f"{text('smaller-layers-least', share=least)} "
            said += self._worst_words(errors.index(most), most)
        self.setAccessibleDescription(said)


def _along(places: Sequence[QPointF]) -> Iterator[QRectF]:
    """Small squares along a line through these places."""
    for one, other in pairwise(places):
        for step in range(_SQUARES + 1):
            at = one + (other - one) * (step / _SQUARES)
            yield QRectF(at.x() - 1.5, at.y() - 1.5, 3, 3)
