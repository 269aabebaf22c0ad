"""A formula on a line of its own: painted in the middle of the column, its source on copy."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRectF, Qt, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QMenu, QScrollBar, QWidget

from app.rendering.blocks import DisplayFormula
from app.ui.transcript.formulas import Key
from app.ui.transcript.paper import Paper
from app.ui.transcript.selection import Whole
from app.ui.transcript.still_text import copy_data, offer_copying, selected_data

_AIR = 6  # px above and below
_SIDE = 12  # px beside the source
_SMALLEST = 0.7  # of its size; a wider formula scrolls sideways
_BAR = 12  # px: its scroll bar


class FormulaView(Whole):
    """One displayed formula; its source in code type until it is drawn, and where it cannot be."""

    def __init__(self, paper: Paper, parent: QWidget) -> None:
        super().__init__(parent)
        self._paper = paper
        self._formula = DisplayFormula("")
        self._bar = QScrollBar(Qt.Orientation.Horizontal, self)
        self._bar.setSingleStep(20)
        self._bar.valueChanged.connect(self._on_scrolled)
        self._bar.hide()
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)

    def show_formula(self, formula: DisplayFormula) -> None:
        """Show a formula."""
        self._formula = formula
        self.setAccessibleName(formula.source)
        self.setToolTip("")
        self.update()

    def source(self) -> str:
        """Return the formula as it was written, its marks included."""
        opener, closer = self._formula.marks
        return f"{opener}\n{self._formula.source}\n{closer}".strip("\n")

    def fit(self, width: int) -> int:
        """Return the height for a width."""
        sketch = self._paper.formulas.sketch(self._key())
        if sketch is None:
            self._bar.hide()
            lines = len(self._source_lines(width))
            return lines * self._paper.look.theme.line_height("code") + 2 * _AIR
        scale = self._scale(sketch.width, width)
        tall = round(sketch.height * scale) + 2 * _AIR
        beyond = max(0, round(sketch.width * scale) - width)
        self._bar.setRange(0, beyond)
        self._bar.setPageStep(width)
        self._bar.setVisible(beyond > 0)
        self._bar.setGeometry(0, tall, width, _BAR)
        return tall + (_BAR if beyond else 0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll sideways where the formula is wider; up and down is the transcript's."""
        turned = event.angleDelta()
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        sideways = turned.x() or (turned.y() if is_shifted else 0)
        if sideways and not self._bar.isHidden():
            self._bar.setValue(self._bar.value() - sideways // 2)
        else:
            event.ignore()

    @Slot()
    def _on_scrolled(self) -> None:
        self.update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer the source, and what is selected around it."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self._paper.selection.selected():
            offer_copying(menu, self._paper)
        action = menu.addAction(self._paper.look.language.text("transcript-copy-formula"))
        action.triggered.connect(lambda: self._paper.copy(self.source()))
        menu.popup(event.globalPos())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a selection here; it takes the formula once the mouse is dragged."""
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            event.accept()
            self._paper.selection.begin(self)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Let the selection run on into other texts."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._paper.selection.drag(event.globalPosition().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the selection where it is."""
        self._paper.selection.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy what is selected, as a text does where a selection began there."""
        selected = self._paper.selection.selected()
        if selected and event.matches(QKeySequence.StandardKey.Copy):
            copy_data(selected_data(selected))
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the formula in ink, or its source."""
        painter = QPainter(self)
        theme = self._paper.look.theme
        if self.is_taken():
            painter.fillRect(self.rect(), theme.color("accent"))
        sketch = self._paper.formulas.sketch(self._key())
        if sketch is None:
            if not self._paper.formulas.is_awaited(self._key()):
                self._paint_source(painter)
            return
        scale = self._scale(sketch.width, self.width())
        wide, tall = sketch.width * scale, sketch.height * scale
        left = max(0.0, (self.width() - wide) / 2) - self._bar.value()
        place, taken = QRectF(left, _AIR, wide, tall), self.is_taken()
        ink = theme.color("onAccent" if taken else "ink")
        self._paper.formulas.paint(painter, place, self._key(), ink, taken=taken)

    def _paint_source(self, painter: QPainter) -> None:
        """Paint the source: on the ground of code where it is not a formula that can be drawn."""
        theme = self._paper.look.theme
        if not self.is_taken() and not self._paper.formulas.is_pending(self._key()):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("stone2"))
            painter.drawRoundedRect(QRectF(self.rect()), 6, 6)
        painter.setFont(theme.font("code"))
        painter.setPen(theme.color("onAccent" if self.is_taken() else "ink2"))
        line = theme.line_height("code")
        for number, text in enumerate(self._source_lines(self.width())):
            painter.drawText(_SIDE, _AIR + number * line + round(0.75 * line), text)

    def _source_lines(self, width: int) -> list[str]:
        """Return the source in lines that are not wider than the column."""
        metrics = QFontMetrics(self._paper.look.theme.font("code"))
        room = max(80, width - 2 * _SIDE)
        lines = self._formula.source.split("\n")
        return [part for line in lines for part in _broken(line, room, metrics)]

    def _key(self) -> Key:
        return Key(self._formula.source, self._paper.look.theme.px(18), display=True)

    def _scale(self, wide: float, width: int) -> float:
        return max(_SMALLEST, min(1.0, width / wide))


def _broken(line: str, room: int, metrics: QFontMetrics) -> Iterator[str]:
    """Yield a line in parts that are not wider than ``room`` pixels, broken at spaces if it can."""
    while metrics.horizontalAdvance(line) > room:
        end = next(
            n for n in range(len(line), 0, -1) if metrics.horizontalAdvance(line[:n]) <= room
        )
        end = line.rfind(" ", 0, end) + 1 or end
        yield line[:end]
        line = line[end:]
    yield line
