"""Figures over time: lines of what was measured, crosses where requests failed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.ui.benchmark.chart import STROKES
from app.ui.benchmark.scale import Scale, scale
from app.ui.look import Look

Point = tuple[float, float | None]  # Unix seconds, a value; None is a failure

_HEIGHT, _FOOT, _TOP = 148, 22, 10  # px at 100 %
_DOT, _CROSS = 2.5, 3
_DAY_S = 86_400
_NOTHING = ""


@dataclass(frozen=True, slots=True)
class Line:
    """How a line is drawn.

    Attributes:
        token: its colour.
        stroke: one of ``STROKES``.
        name_id: what it is, where there are several.
        stepped: a value holds until the next one, as counts do; else the way between is drawn.
    """

    token: str
    stroke: str = "solid"
    name_id: str = ""
    stepped: bool = False


_ONLY = (Line("accent"),)


class OverTime(QWidget):
    """Painted lines; their latest, least and greatest values are the accessible description.

    Args:
        look: colours, fonts and words.
        name_id: what is shown.
        say: a value in words; a tick whose value says nothing stays without words.
        lines: one at least.
        most: the top of the scale where that is fixed.
    """

    def __init__(
        self,
        look: Look,
        name_id: str,
        say: Callable[[float], str],
        lines: Sequence[Line] = _ONLY,
        most: float | None = None,
    ) -> None:
        super().__init__()
        self._look, self._name_id, self._say, self._lines = look, name_id, say, lines
        self._most = most
        self.drawn: tuple[tuple[Point, ...], ...] = ()
        self._begin = self._end = 0.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        look.follow(self._on_look_changed)

    def show_points(self, *lines: Sequence[Point]) -> None:
        """Show what was measured, for each line its points."""
        self.drawn = tuple(tuple(sorted(each, key=lambda point: point[0])) for each in lines)
        times = [at for points in self.drawn for at, _ in points]
        self._begin, self._end = min(times, default=0.0), max(times, default=0.0)
        self._on_look_changed()

    def sizeHint(self) -> QSize:
        """Return the height of the picture."""
        return QSize(300, self._look.theme.px(_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint axis, lines and failures."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._look.theme.font("caption"))
        if not any(self.drawn):
            painter.setPen(self._look.theme.color("ink2"))
            text = self._look.language.text("monitor-nothing")
            painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), text)
            return
        values = [value for points in self.drawn for value in _values(points)]
        marks = scale([*values, self._most] if self._most else values, 3, whole=True)
        told = {tick: self._say(tick) if values or self._most else _NOTHING for tick in marks.ticks}
        px, width_of = self._look.theme.px, QFontMetricsF(painter.font()).horizontalAdvance
        left = max(map(width_of, told.values())) + 8
        plot = QRectF(left, px(_TOP), self.width() - left - 6, self.height() - px(_TOP + _FOOT))
        self._axis(painter, plot, marks, told)
        for line, points in zip(self._lines, self.drawn, strict=True):
            self._draw(painter, plot, marks, line, points)

    def _axis(self, painter: QPainter, plot: QRectF, marks: Scale, told: dict[float, str]) -> None:
        theme = self._look.theme
        half = theme.px(9)
        for tick, words in told.items():
            y = plot.bottom() - marks.at(tick, plot.height())
            painter.fillRect(QRectF(plot.left(), y, plot.width(), 1), theme.color("line"))
            painter.setPen(theme.color("ink2"))
            side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(0, y - half, plot.left() - 8, 2 * half), int(side), words)
        first, last = self._when(self._begin), self._when(self._end)
        foot = QRectF(plot.left(), plot.bottom() + 3, plot.width(), theme.px(_FOOT))
        painter.drawText(foot, int(Qt.AlignmentFlag.AlignRight), last)
        room = QFontMetricsF(painter.font()).horizontalAdvance(first + last)
        if first != last and room + 12 < plot.width():
            painter.drawText(foot, int(Qt.AlignmentFlag.AlignLeft), first)

    def _when(self, at: float) -> str:
        if self._end - self._begin < _DAY_S:
            return self._look.language.clock(datetime.fromtimestamp(at).astimezone())
        return self._look.language.moment(int(at))

    def _draw(
        self, painter: QPainter, plot: QRectF, marks: Scale, line: Line, points: Sequence[Point]
    ) -> None:
        theme, length = self._look.theme, self._end - self._begin
        drawn = QPolygonF()
        painter.setPen(QPen(theme.color("cinnabar"), 1.5))
        for at, value in points:
            share = (at - self._begin) / length if length else 1.0
            x = plot.left() + plot.width() * share
            if value is not None:
                if line.stepped and not drawn.isEmpty():
                    drawn.append(QPointF(x, drawn.last().y()))
                drawn.append(QPointF(x, plot.bottom() - marks.at(value, plot.height())))
                continue
            for way in (-_CROSS, _CROSS):
                low = plot.bottom() - 6
                painter.drawLine(QPointF(x - _CROSS, low - way), QPointF(x + _CROSS, low + way))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.color(line.token), 1.5, STROKES[line.stroke]))
        painter.drawPolyline(drawn)
        painter.setPen(QPen(theme.color(line.token), 1.5))
        painter.setBrush(theme.color(line.token))
        if not drawn.isEmpty():
            painter.drawEllipse(drawn.last(), _DOT, _DOT)

    def _in_words(self, line: Line, points: Sequence[Point]) -> str:
        """Return what a line shows, led by its name where it has one."""
        text, values = self._look.language.text, _values(points)
        if not values:
            return text("monitor-nothing")
        failed = len(points) - len(values)
        said = text(
            "monitor-range-failed" if failed else "monitor-range",
            last=self._say(values[-1]), least=self._say(min(values)),
            most=self._say(max(values)), failed=failed,
        )  # fmt: skip
        name = line.name_id
        return text("monitor-line", name=text(name), said=said) if name else said

    def _on_look_changed(self) -> None:
        text = self._look.language.text
        self.setAccessibleName(text(self._name_id))
        said = [self._in_words(*each) for each in zip(self._lines, self.drawn, strict=False)]
        if not any(self.drawn):
            said = [text("monitor-nothing")]
        self.setAccessibleDescription("\n".join(said))
        self.setFixedHeight(self._look.theme.px(_HEIGHT))
        self.update()


def _values(points: Sequence[Point]) -> list[float]:
    return [value for _, value in points if value is not None]
