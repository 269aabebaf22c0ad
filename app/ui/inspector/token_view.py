"""Tokens in lines, painted: only those in view, however many there are.

Arrows move over the tokens, Enter opens what belongs to one; the tooltip and the accessible name
say what the ground and the line below a token mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip

from app.ui.inspector.cells import Cell, Mark
from app.ui.inspector.flow import Flow
from app.ui.look import Look
from app.ui.words import escaped

_LINE, _PAD, _GAP = 26, 1.5, 1.0  # px
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class TokenView(QAbstractScrollArea):
    """A list of tokens with one of them chosen.

    Args:
        look: theme and language.
        name_id: what the tokens are, for screen readers.
        describe: says everything about one of them in words.
    """

    chosen = Signal(int)  # a token, by mouse or keyboard
    opened = Signal(int)  # Enter on a token, or a double click
    scrolled = Signal()

    def __init__(self, look: Look, name_id: str, describe: Callable[[int], str]) -> None:
        super().__init__()
        self._look, self._name_id, self._describe = look, name_id, describe
        self._cells: list[Cell] = []
        self._flow = Flow()
        self._known: dict[str, float] = {}  # text: width
        self.current = -1
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setAutoFillBackground(False)
        self.verticalScrollBar().valueChanged.connect(self.scrolled)
        look.follow(self._on_look_changed)

    @property
    def line_height(self) -> int:
        """The height of a line, at the user's text size."""
        return self._look.theme.px(_LINE)

    def sizeHint(self) -> QSize:
        """Return six lines."""
        return QSize(400, 6 * self.line_height)

    def minimumSizeHint(self) -> QSize:
        """Return three lines."""
        return QSize(120, 3 * self.line_height)

    def show_cells(self, cells: Sequence[Cell]) -> None:
        """Show other tokens, from their beginning."""
        self._cells = list(cells)
        self._lay_out()
        self.verticalScrollBar().setValue(0)
        self.choose(-1)

    def add_cells(self, cells: Sequence[Cell]) -> None:
        """Add tokens at the end; who reads the end goes on doing so."""
        bar = self.verticalScrollBar()
        at_end = bar.value() == bar.maximum()
        self._cells += cells
        self._flow.add(map(self._width, cells), _GAP)
        self._fit_bar()
        if at_end and self.current < 0:
            bar.setValue(bar.maximum())
        self.viewport().update()

    def choose(self, cell: int) -> None:
        """Choose a token, or none with -1, and bring it into view."""
        self.current = cell if cell < len(self._cells) else -1
        if self.current >= 0:
            self.bring_up(self.current)
        self._say()
        self.viewport().update()

    def bring_up(self, cell: int) -> None:
        """Scroll as little as shows a token's line."""
        top, bar = self._flow.line_of(cell) * self.line_height, self.verticalScrollBar()
        room = max(self.viewport().height() - self.line_height, 0)
        bar.setValue(min(max(bar.value(), top - room), top))

    def in_view(self) -> tuple[int, int]:
        """Return the first token in view and the one after the last."""
        if not self._cells:
            return 0, 0
        first, last = self._lines_in(0, self.viewport().height())
        return self._flow.starts[first], self._flow.cells_of(last).stop

    # --- mouse and keyboard -------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the token under the mouse."""
        cell = self.cell_under(event.position())
        if event.button() == Qt.MouseButton.LeftButton and cell >= 0:
            self._go_to(cell)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Nothing more: the press has chosen."""
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open the token under the mouse."""
        cell = self.cell_under(event.position())
        if cell >= 0:
            self.opened.emit(cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move over the tokens; Enter opens one."""
        key = event.key()
        target = self._target(Qt.Key(key))
        if key in _ENTER and self.current >= 0:
            self.opened.emit(self.current)
        elif target is not None and self._cells:
            self._go_to(min(max(target, 0), len(self._cells) - 1))
        else:
            super().keyPressEvent(event)

    def _target(self, key: Qt.Key) -> int | None:
        """Return where a key leads from the chosen token."""
        page = max(1, self.viewport().height() // self.line_height - 1)
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        lines = {
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_PageUp: -page,
            Qt.Key.Key_PageDown: page,
        }
        ends = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: len(self._cells) - 1}
        if key in steps:
            return self.current + steps[key]
        return self._lines_away(lines[key]) if key in lines else ends.get(key)

    def _lines_away(self, lines: int) -> int:
        if self.current < 0:
            return 0
        here = self._flow.line_of(self.current)
        line = min(max(here + lines, 0), len(self._flow.starts) - 1)
        if line == here:
            return 0 if lines < 0 else len(self._cells) - 1
        middle = self._flow.lefts[self.current] + self._flow.widths[self.current] / 2
        return self._flow.cell_at(line, middle)

    def _go_to(self, cell: int) -> None:
        self.choose(cell)
        self.chosen.emit(cell)

    def cell_under(self, place: QPointF) -> int:
        """Return the token at a place of the viewport, -1 where there is none."""
        line = int(place.y() + self.verticalScrollBar().value()) // self.line_height
        if not 0 <= line < len(self._flow.starts):
            return -1
        for cell in self._flow.cells_of(line):
            left = self._flow.lefts[cell]
            if left <= place.x() <= left + self._flow.widths[cell]:
                return cell
        return -1

    def rect_of(self, cell: int) -> QRectF:
        """Return where a token is painted in the viewport."""
        top = self._flow.line_of(cell) * self.line_height - self.verticalScrollBar().value()
        height = self.line_height - 4
        return QRectF(self._flow.lefts[cell], top + 2, self._flow.widths[cell], height)

    def viewportEvent(self, event: QEvent) -> bool:
        """Say in a tooltip what is known of the token under the mouse."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            cell = self.cell_under(QPointF(event.pos()))
            text = f"<p style='white-space:pre'>{escaped(self._describe(cell))}</p>"
            QToolTip.showText(event.globalPos(), text if cell >= 0 else "", self.viewport())
            return True
        return super().viewportEvent(event)

    # --- painting -----------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the lines anew."""
        super().resizeEvent(event)
        if self.viewport().width() != self._flow.width:
            self._lay_out()
        self._fit_bar()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the lines that the event shows."""
        if not self._cells:
            return
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._look.theme.font("code"))
        first, last = self._lines_in(event.rect().top(), event.rect().bottom())
        for line in range(first, last + 1):
            for cell in self._flow.cells_of(line):
                self._paint_cell(painter, cell)

    def _paint_cell(self, painter: QPainter, number: int) -> None:
        cell, theme, place = self._cells[number], self._look.theme, self.rect_of(number)
        if cell.heat:
            _fill(painter, place, theme.color(f"heat{cell.heat}"))
        painter.setPen(theme.color("ink" if cell.heat else cell.ink))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, cell.text)
        if cell.mark is not Mark.NONE:
            reused = cell.mark is Mark.REUSED
            style = Qt.PenStyle.DotLine if reused else Qt.PenStyle.SolidLine
            painter.setPen(QPen(theme.color("ink3" if reused else "azurite"), 1.5, style))
            painter.drawLine(place.bottomLeft(), place.bottomRight())
        if number == self.current:
            painter.setPen(QPen(theme.color("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(place.adjusted(0, 0, 0, 0), 4, 4)

    # --- inside -------------------------------------------------------------------------------

    def _lines_in(self, top: int, bottom: int) -> tuple[int, int]:
        offset, last = self.verticalScrollBar().value(), len(self._flow.starts) - 1
        first = min(max((top + offset) // self.line_height, 0), last)
        return first, min(max((bottom + offset) // self.line_height, first), last)

    def _lay_out(self) -> None:
        self._flow.clear(self.viewport().width())
        self._flow.add(map(self._width, self._cells), _GAP)
        self._fit_bar()
        self.viewport().update()

    def _width(self, cell: Cell) -> float:
        if cell.text not in self._known:
            metrics = QFontMetricsF(self._look.theme.font("code"))
            self._known[cell.text] = metrics.horizontalAdvance(cell.text) + 2 * _PAD
        return self._known[cell.text]

    def _fit_bar(self) -> None:
        height, bar = self.viewport().height(), self.verticalScrollBar()
        bar.setRange(0, max(0, len(self._flow.starts) * self.line_height - height))
        bar.setPageStep(height)
        bar.setSingleStep(self.line_height)

    def _say(self) -> None:
        name = self._look.language.text(self._name_id)
        said = f"{name}: {self._describe(self.current)}" if self.current >= 0 else name
        self.setAccessibleName(said)

    def _on_look_changed(self) -> None:
        self._known.clear()
        self._lay_out()
        self._say()


def _fill(painter: QPainter, place: QRectF, color: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawRoundedRect(place, 4, 4)
