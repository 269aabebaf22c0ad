"""Reading speed: how many tokens of one's own text a second, a thin bar and its figure."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from app.store.benchmarks import Speed
from app.ui.benchmark.chart import ROW, Chart, peer_words
from app.ui.benchmark.scale import scale
from app.ui.look import Look
from app.ui.words import in_a_row

_FIGURES = 64
_DASH, _GAP = 10, 3


class ReadingChart(Chart):
    """A bar too long for the scale is dashed."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, "benchmark-reading-title")

    def in_words(self, speed: Speed) -> str:
        """Return a row in words."""
        language = self.look.language
        figure = language.speed(speed.prefill)
        said = language.text("benchmark-reading-row", name=speed.name, speed=figure)
        return in_a_row(said, peer_words(speed.peer, speed.peer_prefill, language))

    def draw(self, painter: QPainter) -> None:
        """Paint the rows, a hairline below each."""
        theme, language = self.look.theme, self.look.language
        left, row = self.names_width(), theme.px(ROW)
        length = max(30.0, self.width() - left - theme.px(_FIGURES))
        axis = scale([rate for s in self.speeds for rate in (s.prefill, s.peer_prefill)])
        right = Qt.AlignmentFlag.AlignRight
        for number, speed in enumerate(self.speeds):
            y = number * row
            cell = QRectF(0, y, left - 12, row - 1)
            self.write(painter, cell, speed.name, "caption", "ink2")
            middle, width = y + row / 2 - 3, axis.at(speed.prefill, length)
            bars = [QRectF(left, middle, width, 6)]
            if not axis.holds(speed.prefill):
                count = int(width / (_DASH + _GAP))
                bars = [QRectF(left + n * (_DASH + _GAP), middle, _DASH, 6) for n in range(count)]
            for each in bars:
                self.fill(painter, each, self.color("azurite"), 2 if len(bars) > 1 else 3)
            thick = QRectF(left, middle, length, 6)
            self.draw_peer(painter, speed.peer_prefill, axis, thick)
            figure = QRectF(self.width() - theme.px(_FIGURES), y, theme.px(_FIGURES), row - 1)
            self.write(painter, figure, language.speed(speed.prefill), "caption-bold", align=right)
            if number + 1 < len(self.speeds):
                at = y + row - 0.5
                self.stroke(painter, QPointF(0, at), QPointF(self.width(), at), "line")
