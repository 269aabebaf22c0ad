"""A figure over time: a line of what was measured, crosses where requests failed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.ui.benchmark.scale import Scale, scale
from app.ui.look import Look

Point = tuple[float, float | None]  # Unix seconds, a value; None is a failure

_HEIGHT, _FOOT, _TOP = 148, 22, 10  # px at 100 %
_DOT, _CROSS = 2.5, 3
_DAY_S = 86_400
_NOTHING = ""


class OverTime(QWidget):
    """A painted line; its latest, least and greatest value are its accessible description.

    Args:
        look: colours, fonts and words.
        name_id: what the figure is called.
        say: a value in words.
        token: the line's colour.
        most: the top of the scale where that is fixed.
    """

    def __init__(
        self,
        look: Look,
        name_id: str,
        say: Callable[[float], str],
        token: str = "accent",
        most: float | None = None,
    ) -> None:
        super().__init__()
        self._look, self._name_id, self._say, self._token = look, name_id, say, token
        self._most = most
        self.points: tuple[Point, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        look.follow(self._on_look_changed)

    def show_points(self, points: Sequence[Point]) -> None:
        """Show what was measured."""
        self.points = tuple(sorted(points, key=lambda point: point[0]))
        self._on_look_changed()

    def sizeHint(self) -> QSize:
        """Return the height of the picture."""
        return QSize(300, self._look.theme.px(_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint axis, line and failures."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._look.theme.font("caption"))
        if not self.points:
            painter.setPen(self._look.theme.color("ink2"))
            text = self._look.language.text("monitor-nothing")
            painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), text)
            return
        values = self._values()
        marks = scale([*values, self._most] if self._most else values, 3, whole=True)
        told = {tick: self._say(tick) if values or self._most else _NOTHING for tick in marks.ticks}
        px, width_of = self._look.theme.px, QFontMetricsF(painter.font()).horizontalAdvance
        left = max(map(width_of, told.values())) + 8
        plot = QRectF(left, px(_TOP), self.width() - left - 6, self.height() - px(_TOP + _FOOT))
        self._axis(painter, plot, marks, told)
        self._line(painter, plot, marks)

    def _axis(self, painter: QPainter, plot: QRectF, marks: Scale, told: dict[float, str]) -> None:
        theme = self._look.theme
        half = theme.px(9)
        for tick, words in told.items():
            y = plot.bottom() - marks.at(tick, plot.height())
            painter.fillRect(QRectF(plot.left(), y, plot.width(), 1), theme.color("line"))
            painter.setPen(theme.color("ink2"))
            side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(0, y - half, plot.left() - 8, 2 * half), int(side), words)
        first, last = (self._when(self.points[at][0]) for at in (0, -1))
        foot = QRectF(plot.left(), plot.bottom() + 3, plot.width(), theme.px(_FOOT))
        painter.drawText(foot, int(Qt.AlignmentFlag.AlignRight), last)
        room = QFontMetricsF(painter.font()).horizontalAdvance(first + last)
        if first != last and room + 12 < plot.width():
            painter.drawText(foot, int(Qt.AlignmentFlag.AlignLeft), first)

    def _when(self, at: float) -> str:
        if self.points[-1][0] - self.points[0][0] < _DAY_S:
            return self._look.language.clock(datetime.fromtimestamp(at).astimezone())
        return self._look.language.moment(int(at))

    def _line(self, painter: QPainter, plot: QRectF, marks: Scale) -> None:
        theme = self._look.theme
        begin, length = self.points[0][0], self.points[-1][0] - self.points[0][0]
        line = QPolygonF()
        painter.setPen(QPen(theme.color("cinnabar"), 1.5))
        for at, value in self.points:
            x = plot.left() + (plot.width() * (at - begin) / length if length else plot.width())
            if value is not None:
                line.append(QPointF(x, plot.bottom() - marks.at(value, plot.height())))
                continue
            for way in (-_CROSS, _CROSS):
                low = plot.bottom() - 6
                painter.drawLine(QPointF(x - _CROSS, low - way), QPointF(x + _CROSS, low + way))
        painter.setPen(QPen(theme.color(self._token), 1.5))
        painter.drawPolyline(line)
        painter.setBrush(theme.color(self._token))
        if not line.isEmpty():
            painter.drawEllipse(line.last(), _DOT, _DOT)

    def _values(self) -> list[float]:
        return [value for _, value in self.points if value is not None]

    def _on_look_changed(self) -> None:
        text = self._look.language.text
        self.setAccessibleName(text(self._name_id))
        values, said = self._values(), text("monitor-nothing")
        if values:
            said = text(
                "monitor-range",
                last=self._say(values[-1]), least=self._say(min(values)),
                most=self._say(max(values)), failed=len(self.points) - len(values),
            )  # fmt: skip
        self.setAccessibleDescription(said)
        self.setFixedHeight(self._look.theme.px(_HEIGHT))
        self.update()
