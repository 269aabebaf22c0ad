"""How long you wait: reading one page, then writing an answer, in seconds."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from app.store.benchmarks import Speed
from app.ui.benchmark.chart import ROW, Chart
from app.ui.benchmark.scale import scale
from app.ui.look import Look

PAGE_TOKENS, ANSWER_TOKENS = 650, 270  # a page of 500 words, an answer of 200 words
_FIGURES = 70


def waiting(speed: Speed) -> tuple[float, float]:
    """Return the seconds until a page is read, and until the answer is written."""
    read = PAGE_TOKENS / speed.prefill if speed.prefill else 0.0
    return read, ANSWER_TOKENS / speed.decode if speed.decode else 0.0


class WaitingChart(Chart):
    """Two bars in a row: prefill in azurite, decode in ink."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, "benchmark-waiting-title")

    def in_words(self, speed: Speed) -> str:
        """Return a row in words."""
        language = self.look.language
        read, write = waiting(speed)
        return language.text(
            "benchmark-waiting-row",
            name=speed.name,
            read=language.seconds(read),
            write=language.seconds(write),
        )

    def draw(self, painter: QPainter) -> None:
        """Paint the rows."""
        theme, language = self.look.theme, self.look.language
        left, bar, row = self.names_width(), theme.px(18), theme.px(ROW)
        length = max(40.0, self.width() - left - theme.px(_FIGURES))
        axis = scale([sum(waiting(each)) for each in self.speeds], whole=True)
        for number, speed in enumerate(self.speeds):
            y = number * row + (row - bar) / 2
            self.write(painter, QRectF(0, y, left - 12, bar), speed.name, "caption-bold")
            read, write = waiting(speed)
            whole = axis.at(read + write, length) - 2
            first = max(3.0, whole * read / (read + write))
            second = max(3.0, whole - first)
            self.fill(painter, QRectF(left, y, first, bar), self.color("azurite"), 2)
            self.fill(painter, QRectF(left + first + 2, y, second, bar), self.color("ink"), 2)
            told = language.seconds(read + write, whole=read + write >= 10)
            after = QRectF(left + first + second + 11, y, theme.px(_FIGURES), bar)
            self.write(painter, after, told, "caption-bold")
