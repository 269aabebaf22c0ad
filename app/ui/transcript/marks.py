"""What stands left of blocks: bullets, numbers, check boxes, and the bars of quotes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.rendering.blocks import Block, Item, Note, Quote
from app.ui.transcript.paper import NOTE, Manner, Paper
from app.ui.transcript.place import Place
from app.ui.transcript.prose import Prose
from app.ui.transcript.spacing import NUMBER_RIGHT, indents, quotes_shared

_BAR = 2  # px
BELOW = 30  # px that a mark may reach above its block
_BULLETS = frozenset("•◦▪")


def paint_marks(
    column: QWidget, area: QRect, places: Sequence[Place], first: int, paper: Paper, manner: Manner
) -> None:
    """Paint the marks beside the blocks from ``first`` on that stand in an area of a column."""
    last = bisect_right(places, area.bottom() + BELOW, first, key=lambda place: place.top)
    marked = [index for index in range(first, last) if places[index].block.place]
    if not marked:
        return  # running text: there is none, and a painter costs as much as a line
    painter = QPainter(column)
    marks = MarkPainter(painter, paper, manner)
    for index in marked:
        place = places[index]
        before = places[index - 1].block if index else None
        where = QRectF(0, place.top, column.width(), place.height)
        marks.drop = place.row.drop() if isinstance(place.row, Prose) else 0.0
        marks.paint(before, place.block, where, place.gap)


class MarkPainter:
    """Paints the marks of blocks into a column.

    Attributes:
        drop: how much lower than usual the words stand: a tall formula moves those of its line.
    """

    def __init__(self, painter: QPainter, paper: Paper, manner: Manner) -> None:
        self._painter = painter
        self._paper, self._manner = paper, manner
        self._theme = paper.look.theme
        self.drop = 0.0
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def paint(self, before: Block | None, block: Block, area: QRectF, gap: int) -> None:
        """Paint the marks of one block.

        Args:
            before: the block above it.
            block: the block.
            area: where it stands; its left edge is the column's.
            gap: the space between the two.
        """
        edges = indents(block.place, partial(self._paper.typeset.advance, self._manner))
        shared = quotes_shared(before, block)
        for depth, container in enumerate(block.place):
            left = edges[depth - 1] if depth else 0
            match container:
                case Quote():
                    top = area.top() - (gap if depth < shared else 0)
                    bar = QRectF(left, top, _BAR, area.bottom() - top)
                    self._painter.fillRect(bar, self._theme.color("edge"))
                case Item(marker=marker, task=task) if marker:
                    self._item(marker, task, edges[depth], area.top() + self.drop)
                case Note(label=label) if label:
                    self._words(label, edges[depth], area.top() + self.drop, "ink3", NOTE)
                case _:
                    pass

    def _item(self, marker: str, task: bool | None, right: float, top: float) -> None:
        middle = QPointF(right - 12, top + self._paper.typeset.middle(self._manner))
        if task is not None:
            self._box(middle, checked=task)
        elif marker in _BULLETS:
            self._bullet(marker, middle)
        else:
            self._words(marker, right, top, self._manner.ink)

    def _bullet(self, marker: str, middle: QPointF) -> None:
        color = self._theme.color(self._manner.ink)
        size = self._theme.px(5)
        area = QRectF(middle.x() - size / 2, middle.y() - size / 2, size, size)
        self._painter.setPen(QPen(color, 1) if marker == "◦" else Qt.PenStyle.NoPen)
        self._painter.setBrush(Qt.BrushStyle.NoBrush if marker == "◦" else color)
        if marker == "▪":
            self._painter.drawRect(area)
        else:
            self._painter.drawEllipse(area)

    def _box(self, middle: QPointF, *, checked: bool) -> None:
        side = self._theme.px(14)
        area = QRectF(middle.x() - side / 2 - 1, middle.y() - side / 2, side, side)
        self._painter.setPen(QPen(self._theme.color("accent" if checked else "edge"), 1))
        self._painter.setBrush(self._theme.color("accent") if checked else Qt.BrushStyle.NoBrush)
        self._painter.drawRoundedRect(area, 3, 3)
        if checked:
            pen = QPen(self._theme.color("onAccent"), 1.6)
            self._painter.setPen(pen)
            x, y, unit = area.left(), area.top(), side / 14
            points = [(3.5, 7.2), (6, 9.7), (10.6, 4.6)]
            self._painter.drawPolyline([QPointF(x + a * unit, y + b * unit) for a, b in points])

    def _words(
        self, text: str, right: float, top: float, ink: str, manner: Manner | None = None
    ) -> None:
        font = self._paper.typeset.font(manner or self._manner)
        line = self._paper.typeset.line(manner or self._manner)
        metrics = QFontMetricsF(font)
        self._painter.setFont(font)
        self._painter.setPen(self._theme.color(ink))
        # a line of fixed height has its baseline at four fifths of it
        place = QPointF(right - NUMBER_RIGHT - metrics.horizontalAdvance(text), top + 0.8 * line)
        self._painter.drawText(place, text)
