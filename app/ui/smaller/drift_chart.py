"""How far the tokens of a text drift: a bar for each step of divergence, on a logarithmic scale."""

from __future__ import annotations

from collections.abc import Mapping
from math import floor, log10
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.ui.benchmark.chart import Chart
from app.ui.look import Look
from engine.library.copy_facts import LOWEST_DRIFT

_HEIGHT, _FOOT, _LINE, _ABOVE = 104, 20, 16, 2
_MOST_DIGITS = 5


class DriftChart(Chart):
    """Bars, with marks at the half and at 99 of 100 tokens."""

    def __init__(self, look: Look) -> None:
        self._counts: tuple[int, ...] = ()
        self._half = self._most = 0.0
        super().__init__(look, "smaller-drift")

    def show_likeness(self, likeness: Mapping[str, Any]) -> None:
        """Show what a report tells; nothing where an older one has no counts."""
        self._counts = tuple(int(count) for count in likeness.get("drift", ()))
        self._half, self._most = float(likeness["half_below"]), float(likeness["most_below"])
        self._on_look_changed()

    def wanted_height(self) -> int:
        """Return a fixed height."""
        return self.look.theme.px(_HEIGHT)

    def draw(self, painter: QPainter) -> None:
        """Paint bars, marks, and what they stand for."""
        if not self._counts:
            return
        line = self.look.theme.px(_LINE)
        foot = self.height() - self.look.theme.px(_FOOT)
        highest, step = foot - 2 * line - _ABOVE, self.width() / len(self._counts)
        rare = self._place(self._most)
        for number, count in enumerate(self._counts):
            high = highest * count / max(self._counts)
            token = "ochre" if (number + 0.5) * step > rare else "ink"
            bar = QRectF(number * step + 1, foot - high, step - 2, high)
            self.fill(painter, bar, self.color(token), 1)
        self.stroke(painter, QPointF(0, foot), QPointF(self.width(), foot), "edge")
        self._mark(painter, self._place(self._half), 0, line, "accent", self._half_words())
        painter.setPen(QPen(self.color("ochre"), 1.5, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(rare, 2 * line), QPointF(rare, foot))
        self._mark(painter, rare, line, line, "ochre", self._most_words())
        below, right = QRectF(0, foot + 3, self.width(), line), Qt.AlignmentFlag.AlignRight
        self.write(painter, below, short(10.0**LOWEST_DRIFT), "caption", "ink2")
        self.write(painter, below, "1", "caption", "ink2", right)

    def _mark(
        self, painter: QPainter, x: float, y: float, line: float, token: str, words: str
    ) -> None:
        """Write beside a short stroke, to its left where there is no room to its right."""
        self.stroke(painter, QPointF(x, y + 2), QPointF(x, y + line), token, 1.5)
        width = self.width_of(words) + 2
        left = x + 6 if x + 6 + width <= self.width() else max(0.0, x - 6 - width)
        self.write(painter, QRectF(left, y, width, line), words, "caption", token)

    def _place(self, value: float) -> float:
        """Where a divergence stands, in pixels."""
        share = 1 - log10(max(value, 10.0**LOWEST_DRIFT)) / LOWEST_DRIFT
        return min(max(share, 0.0), 1.0) * (self.width() - 2) + 1

    def _half_words(self) -> str:
        return self.look.language.text("smaller-drift-half", value=short(self._half))

    def _most_words(self) -> str:
        return self.look.language.text("smaller-drift-most", value=short(self._most))

    def _on_look_changed(self) -> None:
        super()._on_look_changed()
        if self._counts:
            self.setAccessibleDescription(f"{self._half_words()}; {self._most_words()}")


def short(value: float) -> str:
    """Return a divergence with two digits that count: 0.0041, 0.19, 1.8."""
    digits = 1 - floor(log10(value)) if value > 0 else 0
    return f"{value:.{min(max(digits, 0), _MOST_DIGITS)}f}"
