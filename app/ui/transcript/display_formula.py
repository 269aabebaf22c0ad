"""A formula on a line of its own: painted in the middle of the column, its source on copy."""

from __future__ import annotations

from textwrap import wrap

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QMenu, QWidget

from app.rendering.blocks import DisplayFormula
from app.ui.transcript.formulas import Key
from app.ui.transcript.paper import Paper
from app.ui.transcript.selection import Whole
from app.ui.transcript.still_text import copy_data, offer_copying, selected_data

_AIR = 6  # px above and below
_SIDE = 12  # px beside the source
_SMALLEST = 0.5  # of its size; a wider formula is cut at the column's edge


class FormulaView(Whole):
    """One displayed formula; its source in code type until it is drawn, and where it cannot be."""

    def __init__(self, paper: Paper, parent: QWidget) -> None:
        super().__init__(parent)
        self._paper = paper
        self._formula = DisplayFormula("")
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
            lines = len(self._source_lines(width))
            return lines * self._paper.look.theme.line_height("code") + 2 * _AIR
        return round(sketch.height * self._scale(sketch.width, width)) + 2 * _AIR

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
            self._paint_source(painter)
            return
        scale = self._scale(sketch.width, self.width())
        wide, tall = sketch.width * scale, sketch.height * scale
        place = QRectF(max(0.0, (self.width() - wide) / 2), _AIR, wide, tall)
        ink = theme.color("onAccent" if self.is_taken() else "ink")
        self._paper.formulas.paint(painter, place, self._key(), ink)

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
        letter = QFontMetrics(self._paper.look.theme.font("code")).horizontalAdvance("0")
        room = max(8, (width - 2 * _SIDE) // letter)
        lines = self._formula.source.split("\n")
        return [part for line in lines for part in wrap(line, room, drop_whitespace=False) or [""]]

    def _key(self) -> Key:
        return Key(self._formula.source, self._paper.look.theme.px(18), display=True)

    def _scale(self, wide: float, width: int) -> float:
        return max(_SMALLEST, min(1.0, width / wide))
