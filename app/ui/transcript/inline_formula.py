"""Formulas among words: how much room each takes in its line, and how it is painted there."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, QRect, QRectF, QSizeF
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetricsF,
    QPainter,
    QPyTextObject,
    QTextCharFormat,
    QTextDocument,
    QTextFormat,
    QTransform,
)
from PySide6.QtWidgets import QWidget

from app.rendering.formula_lines import centre, place, room
from app.rendering.formulas import Sketch
from app.ui.transcript.formulas import Formulas, Key

OBJECT = QTextFormat.ObjectTypes.UserObject.value + 1  # the kind of character a formula is
_SOURCE = QTextFormat.Property.UserProperty.value + 3
_SIZE = QTextFormat.Property.UserProperty.value + 4
_SMALLEST = 0.4  # of its size; what is wider than a line even then is cut
_WASH = 0x822  # ObjectSelectionBrush, which Qt sets on what is selected and PySide has no name for


@dataclass(frozen=True, slots=True)
class _Taken:
    """A formula inside a selection, to be painted once Qt has done its part."""

    key: Key
    place: QRectF
    ink: QColor
    ground: QBrush
    transform: QTransform


class InlineFormula(QPyTextObject):
    """Tells a document how large the formulas among its words are, and paints them.

    One that is wider than the line is drawn smaller. Over a selected object Qt lays half of the
    selection's colour, so such formulas are kept for ``paint_taken``.
    """

    def __init__(self, formulas: Formulas, parent: QObject) -> None:
        super().__init__(parent)
        self._formulas = formulas
        self._taken: list[_Taken] = []

    def intrinsicSize(self, document: QTextDocument, position: int, form: QTextFormat) -> QSizeF:
        """Return the room that a formula takes in its line."""
        sketch = self._formulas.sketch(key_of(form))
        if sketch is None:
            return QSizeF(1, 1)
        fit = _fit(sketch, document)
        return QSizeF(sketch.width * fit + 2, room(sketch, form, fit))

    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        document: QTextDocument,
        position: int,
        form: QTextFormat,
    ) -> None:
        """Paint a formula on the baseline of its line."""
        key = key_of(form)
        sketch = self._formulas.sketch(key)
        if sketch is None:
            return
        area = place(sketch, form, QRectF(rect), _fit(sketch, document))
        ink = form.toCharFormat().foreground().color()
        if form.hasProperty(_WASH):
            ground = form.brushProperty(_WASH)
            self._taken.append(_Taken(key, area, ink, ground, painter.transform()))
        else:
            self._formulas.paint(painter, area, key, ink)

    def paint_taken(self, widget: QWidget) -> None:
        """Paint the formulas that are selected, over what Qt has painted of a widget."""
        if not self._taken:
            return
        painter = QPainter(widget)
        for each in self._taken:
            painter.setTransform(each.transform)
            painter.fillRect(each.place, each.ground)  # Qt's ends where its line does
            self._formulas.paint(painter, each.place, each.key, each.ink, taken=True)
        painter.end()
        self._taken.clear()


def key_of(form: QTextFormat) -> Key:
    """Return which formula a character stands for."""
    return Key(str(form.property(_SOURCE)), int(form.property(_SIZE)), display=False)


def formula_format(base: QTextCharFormat, key: Key, sketch: Sketch) -> QTextCharFormat:
    """Return the format of the one character that stands for a formula."""
    form = QTextCharFormat(base)
    form.setObjectType(OBJECT)
    form.setProperty(_SOURCE, key.source)
    form.setProperty(_SIZE, key.size)
    if is_tall(sketch, QFontMetricsF(base.font())):
        centre(form)
    return form


def is_tall(sketch: Sketch, metrics: QFontMetricsF) -> bool:
    """Tell whether a formula reaches out of a line of its text."""
    return sketch.ascent > metrics.ascent() + 3 or sketch.descent > metrics.descent() + 2


def _fit(sketch: Sketch, document: QTextDocument) -> float:
    """Return how much of its size a formula has room for in a line."""
    wide = document.textWidth() - 2
    return max(_SMALLEST, min(1.0, wide / sketch.width)) if wide > 0 else 1.0
