"""Writing speed: a bar for each model, hatched up to what the memory would allow."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from app.store.benchmarks import Speed
from app.ui.benchmark.chart import ROW, Chart, hatching, peer_words
from app.ui.benchmark.scale import Scale, scale
from app.ui.look import Look
from app.ui.words import in_a_row

EASY_READING = 6  # tokens a second: about 270 words a minute, as fast as most people read
_FIGURES = 96  # px: the room at the right for a bar's figures
_RATIO = 92  # px more where another engine's rate is told
_SHORTEST = 160  # px at 100 %: shorter bars tell more than words beside them
_TICK = 44  # px at 100 % from one tick to the next, at least
_BAR = 20


class WritingChart(Chart):
    """Tokens a second of one reply, measured, against the memory's limit."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, "benchmark-writing-title")

    def wanted_height(self) -> int:
        """Return the rows' height and that of the axis below."""
        return super().wanted_height() + self.look.theme.px(22)

    def in_words(self, speed: Speed) -> str:
        """Return a row in words."""
        language = self.look.language
        said = language.text(
            "benchmark-writing-row",
            name=speed.name,
            speed=language.speed(speed.decode),
            limit=language.speed(speed.limit),
            percent=f"{100 * speed.share:.0f}",
        )
        return in_a_row(said, peer_words(speed.peer, speed.peer_decode, language))

    def draw(self, painter: QPainter) -> None:
        """Paint axis, reading line and bars."""
        theme = self.look.theme
        left = self.names_width()
        length = self._length(theme.px(self._figures()))
        limits = [max(s.decode, s.limit, s.peer_decode) for s in self.speeds]
        axis = scale(limits, max(1, min(4, int(length / theme.px(_TICK)))))
        foot = self.height() - theme.px(22)
        self._draw_axis(painter, axis, left, length, foot)
        for number, speed in enumerate(self.speeds):
            self._draw_row(painter, speed, axis, QRectF(left, number * theme.px(ROW), length, 0))
        self.stroke(painter, QPointF(left, 0), QPointF(left, foot), "edge")

    def _figures(self) -> int:
        """Return the room at the right, in pixels at 100 %."""
        told = _FIGURES + _RATIO
        has_room = self._length(self.look.theme.px(told)) >= self.look.theme.px(_SHORTEST)
        return told if has_room and any(speed.peer for speed in self.speeds) else _FIGURES

    def _length(self, figures: float) -> float:
        """Return how long bars are beside figures of so many pixels."""
        return max(40.0, self.width() - self.names_width() - figures)

    def _draw_axis(
        self, painter: QPainter, axis: Scale, left: float, length: float, foot: float
    ) -> None:
        theme = self.look.theme
        for tick in axis.ticks:
            x = left + axis.at(tick, length)
            self.stroke(painter, QPointF(x, 0), QPointF(x, foot), "line")
            cell = QRectF(x - 30, foot + 4, 60, theme.px(16))
            words = f"{tick:,.0f}" if tick >= 1 or not tick else f"{tick:g}"
            self.write(painter, cell, words, "caption", "ink2", Qt.AlignmentFlag.AlignHCenter)
        if axis.holds(EASY_READING):
            x = left + axis.at(EASY_READING, length)
            painter.setPen(QPen(self.color("azurite"), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, 0), QPointF(x, foot))

    def _draw_row(self, painter: QPainter, speed: Speed, axis: Scale, place: QRectF) -> None:
        theme, language = self.look.theme, self.look.language
        line, top, bar = theme.px(16), place.y(), theme.px(_BAR)
        names = QRectF(0, top, place.x() - 12, line)
        self.write(painter, names, speed.name, "caption-bold")
        size = language.bytes_text(speed.file_bytes)
        self.write(painter, names.translated(0, line), size, "caption", "ink2")
        measured = axis.at(speed.decode, place.width())
        limit = axis.at(max(speed.decode, speed.limit), place.width())
        y = top + (2 * line - bar) / 2
        painter.setPen(QPen(self.color("edge"), 1))
        painter.setBrush(hatching(self.color("ink3")))
        painter.drawRect(QRectF(place.x(), y + 0.5, limit, bar - 1))
        self.fill(painter, QRectF(place.x(), y, measured, bar), self.color("ink"), 2)
        mark = QRectF(place.x() + limit - 1.5, y - 3, 3, bar + 6)
        self.fill(painter, mark, self.color("accent"), 1)
        self.draw_peer(painter, speed.peer_decode, axis, QRectF(place.x(), y, place.width(), bar))
        figure, share = language.speed(speed.decode), f" · {100 * speed.share:.0f} %"
        if speed.peer_decode and self._figures() > _FIGURES:
            ratio = f"{speed.decode / speed.peer_decode:.1f}"
            share += f" · {language.text('benchmark-peer-times', ratio=ratio)}"
        after = QRectF(place.x() + limit + 9, y, theme.px(self._figures()), bar)
        ground = QRectF(after)  # the reading line must not cross the figures
        ground.setWidth(self.width_of(figure, "caption-bold") + self.width_of(share))
        painter.fillRect(ground, self.color("paper"))
        width = self.write(painter, after, figure, "caption-bold")
        self.write(painter, after.translated(width, 0), share, "caption", "ink2")
        if axis.holds(max(speed.decode, speed.limit)):
            return
        self._break(painter, QPointF(place.x() + place.width() * 0.82, y), bar)
        words = language.text(
            "benchmark-off-scale", speed=figure, limit=language.speed(speed.limit)
        )
        inside = QRectF(place.x() + 8, y, min(measured, place.width() * 0.8) - 16, bar)
        if self.width_of(words, "caption-bold") <= inside.width():
            right = Qt.AlignmentFlag.AlignRight
            self.write(painter, inside, words, "caption-bold", "onInk", right)

    def _break(self, painter: QPainter, at: QPointF, height: float) -> None:
        """Draw the zigzag that says: this bar is longer than the paper."""
        path = QPainterPath(QPointF(at.x(), at.y() - 1))
        for step in (1, 2, 3, 4):
            path.lineTo(at.x() + (6 if step % 2 else 0), at.y() - 1 + step * (height + 2) / 4)
        painter.setPen(QPen(self.color("paper"), 4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
