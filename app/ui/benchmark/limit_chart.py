"""Why it stops there: the memory's speed over the size of a model, and where the models lie."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from app.store.benchmarks import Speed
from app.ui.benchmark.chart import Chart
from app.ui.benchmark.scale import Scale, scale
from app.ui.look import Look

_HEIGHT = 250
_LEFT, _FOOT = 38, 24
_STEPS = 120
_RADIUS = 5.5  # px of a point
_STEEP = 0.25  # of the sizes: at the latest there the curve is seen


class LimitChart(Chart):
    """No program can be above the curve: every token reads the whole model once."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, "benchmark-limit-title")

    def wanted_height(self) -> int:
        """Return a fixed height."""
        return self.look.theme.px(_HEIGHT)

    def in_words(self, speed: Speed) -> str:
        """Return a point in words."""
        language = self.look.language
        return language.text(
            "benchmark-limit-row",
            name=speed.name,
            size=language.bytes_text(speed.bytes_per_token),
            limit=language.speed(speed.limit),
        )

    def draw(self, painter: QPainter) -> None:
        """Paint curve and points."""
        if not self.speeds:
            return
        theme, language = self.look.theme, self.look.language
        left, foot = theme.px(_LEFT), self.height() - theme.px(_FOOT)
        sizes = scale([s.bytes_per_token / 1e9 for s in self.speeds], 6, whole=True)
        if len(self.speeds) == 1:
            sizes = scale([2 * self.speeds[0].bytes_per_token / 1e9])
        bandwidth = self.speeds[0].bandwidth / 1e9
        speeds = scale([s.limit for s in self.speeds])
        seen = bandwidth / (_STEEP * sizes.top)
        speeds = speeds if speeds.top >= seen else scale([seen])
        room = QRectF(left, 8, self.width() - left - 4, foot - 8)
        self._draw_axes(painter, sizes, speeds, room)
        self._draw_curve(painter, bandwidth, sizes, speeds, room)
        words = language.text("benchmark-curve", speed=f"{bandwidth:.1f}")
        about = [language.text(line) for line in ("benchmark-curve-1", "benchmark-curve-2")]
        lines = [words, *about]
        widest = max(self.width_of(line, "caption-bold") for line in lines) + 2
        width = min(room.width() * 0.72, widest)
        told = QRectF(room.right() - width, room.y() + 30, width, theme.px(18))
        self.write(painter, told, words, "caption-bold", "accent")
        for number, line in enumerate(about, 1):
            below = told.translated(0, number * theme.px(16))
            self.write(painter, below, line, "caption", "ink2")
        taken = [told.adjusted(0, 0, 0, theme.px(32))]
        points = [(speed, self._point(speed, sizes, speeds, room)) for speed in self.speeds]
        shown = [(speed, point) for speed, point in points if point is not None]
        taken += [
            QRectF(p.x() - _RADIUS, p.y() - _RADIUS, 2 * _RADIUS, 2 * _RADIUS) for _, p in shown
        ]
        for speed, point in shown:
            self._draw_point(painter, speed, point, room, taken)

    def _draw_axes(self, painter: QPainter, sizes: Scale, speeds: Scale, room: QRectF) -> None:
        theme = self.look.theme
        for tick in speeds.ticks:
            y = room.bottom() - speeds.at(tick, room.height())
            self.stroke(painter, QPointF(room.x(), y), QPointF(room.right(), y), "line")
            cell = QRectF(0, y - theme.px(8), room.x() - 6, theme.px(16))
            self.write(
                painter, cell, f"{tick:,.0f}", "caption", "ink2", Qt.AlignmentFlag.AlignRight
            )
        for tick in sizes.ticks:
            x = room.x() + sizes.at(tick, room.width())
            words = f"{tick:g}{' GB' if tick == sizes.ticks[-1] else ''}"
            wide = self.width_of(words) + 2
            place = min(x - wide / 2, self.width() - wide)
            cell = QRectF(place, room.bottom() + 5, wide, theme.px(16))
            self.write(painter, cell, words, "caption", "ink2", Qt.AlignmentFlag.AlignHCenter)
        self.stroke(painter, room.bottomLeft(), room.bottomRight(), "edge")

    def _draw_curve(
        self, painter: QPainter, bandwidth: float, sizes: Scale, speeds: Scale, room: QRectF
    ) -> None:
        curve = QPainterPath()
        for step in range(_STEPS + 1):
            size = sizes.top * (step + 0.5) / _STEPS
            y = room.bottom() - room.height() * bandwidth / size / speeds.top
            point = QPointF(room.x() + sizes.at(size, room.width()), y)
            if step:
                curve.lineTo(point)
            else:
                curve.moveTo(point)
        under = QPainterPath(curve)
        under.lineTo(room.bottomRight())
        under.lineTo(room.bottomLeft())
        under.lineTo(room.topLeft())
        painter.save()
        painter.setClipRect(room)
        painter.fillPath(under, self.color("accentWash"))
        painter.setPen(QPen(self.color("accent"), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(curve)
        painter.restore()

    def _point(self, speed: Speed, sizes: Scale, speeds: Scale, room: QRectF) -> QPointF | None:
        """Return where a model lies; None off the scale."""
        size = speed.bytes_per_token / 1e9
        if not sizes.holds(size) or not speeds.holds(speed.decode):
            return None
        x = room.x() + sizes.at(size, room.width())
        return QPointF(x, room.bottom() - speeds.at(speed.decode, room.height()))

    def _draw_point(
        self, painter: QPainter, speed: Speed, point: QPointF, room: QRectF, taken: list[QRectF]
    ) -> None:
        """Draw a point, and its name where that meets neither other words nor a point."""
        x, y = point.x(), point.y()
        painter.setPen(QPen(self.color("paper"), 2))
        painter.setBrush(self.color("ink"))
        painter.drawEllipse(point, _RADIUS, _RADIUS)
        width, height = min(self.width_of(speed.name), 130.0), self.look.theme.px(16)
        right, left = x + 10, x - width - 10
        for at_x, at_y in ((left, y + 2), (left, y - 18), (right, y + 2), (right, y - 18)):
            cell = QRectF(at_x, at_y, width + 2, height)
            if room.contains(cell) and not any(cell.intersects(each) for each in taken):
                self.write(painter, cell, speed.name, "caption", "ink2")
                taken.append(cell)
                return
