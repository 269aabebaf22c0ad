"""A formula on a line of its own: painted in the middle of the column, its source on copy."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QContextMenuEvent, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QWidget

from app.rendering.blocks import DisplayFormula
from app.ui.transcript.formulas import Key
from app.ui.transcript.paper import Paper

_AIR = 6  # px above and below
_SMALLEST = 0.5  # of its size; a wider formula is cut at the column's edge


class FormulaView(QWidget):
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
        return f"{opener}\n{self._formula.source}\n{closer}"

    def fit(self, width: int) -> int:
        """Return the height for a width."""
        sketch = self._paper.formulas.sketch(self._key())
        if sketch is None:
            lines = self._formula.source.count("\n") + 1
            return lines * self._paper.look.theme.line_height("code") + 2 * _AIR
        return round(sketch.height * self._scale(sketch.width, width)) + 2 * _AIR

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer the source."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        action = menu.addAction(self._paper.look.language.text("transcript-copy-formula"))
        action.triggered.connect(lambda: self._paper.copy(self.source()))
        menu.popup(event.globalPos())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the formula in ink, or its source."""
        painter = QPainter(self)
        sketch = self._paper.formulas.sketch(self._key())
        if sketch is None:
            self._paint_source(painter)
            return
        scale = self._scale(sketch.width, self.width())
        wide, tall = sketch.width * scale, sketch.height * scale
        place = QRectF(max(0.0, (self.width() - wide) / 2), _AIR, wide, tall)
        ink = self._paper.look.theme.color("ink")
        self._paper.formulas.paint(painter, place, self._key(), ink)

    def _paint_source(self, painter: QPainter) -> None:
        theme = self._paper.look.theme
        painter.setFont(theme.font("code"))
        painter.setPen(theme.color("ink2"))
        line, metrics = theme.line_height("code"), QFontMetrics(theme.font("code"))
        for number, text in enumerate(self._formula.source.split("\n")):
            elided = metrics.elidedText(text, Qt.TextElideMode.ElideRight, self.width())
            left = (self.width() - metrics.horizontalAdvance(elided)) // 2
            painter.drawText(left, _AIR + number * line + round(0.75 * line), elided)

    def _key(self) -> Key:
        return Key(self._formula.source, self._paper.look.theme.px(18), display=True)

    def _scale(self, wide: float, width: int) -> float:
        return max(_SMALLEST, min(1.0, width / wide))
