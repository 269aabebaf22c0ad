"""Formulas among printed words: one character each, drawn as outlines where it stands."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QObject, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QFont,
    QPainter,
    QPyTextObject,
    QTextCharFormat,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer

from app.rendering.formula_lines import centre, place, room
from app.rendering.formulas import Sketch

OBJECT = QTextFormat.ObjectTypes.UserObject.value + 7
"""The kind of character a formula is."""
_NUMBER = QTextFormat.Property.UserProperty.value + 7  # which formula it is
_FIT = QTextFormat.Property.UserProperty.value + 8  # how much of its size there is room for
_WHOLE = QTextFormat.Property.UserProperty.value + 9  # its line makes room above and below

_INSIDE = 0.45  # of the type's size: what hangs down no farther needs no room of its own


class PrintedFormulas(QPyTextObject):
    """The formulas of one document."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._sketches: list[Sketch] = []

    def keep(
        self, sketch: Sketch, font: QFont, fit: float = 1.0, *, whole: bool = False
    ) -> QTextCharFormat:
        """Return the format of the one character that stands for a formula.

        Args:
            sketch: the formula.
            font: of the words around it.
            fit: how much smaller it has to be drawn, up to 1.
            whole: whether its line makes room for all of it, or only above the baseline.
        """
        form = QTextCharFormat()
        form.setFont(font)
        form.setObjectType(OBJECT)
        form.setProperty(_NUMBER, len(self._sketches))
        form.setProperty(_FIT, fit)
        form.setProperty(_WHOLE, whole)
        if not whole and sketch.descent > font.pixelSize() * _INSIDE:
            centre(form)
        self._sketches.append(sketch)
        return form

    def intrinsicSize(self, document: QTextDocument, position: int, form: QTextFormat) -> QSizeF:
        """Return the room that a formula takes in its line; Qt puts its bottom on the baseline."""
        sketch, fit = self._sketches[int(form.property(_NUMBER))], float(form.property(_FIT))
        tall = sketch.height * fit if form.property(_WHOLE) else room(sketch, form, fit)
        return QSizeF(sketch.width * fit + 2, tall)

    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        document: QTextDocument,
        position: int,
        form: QTextFormat,
    ) -> None:
        """Draw a formula; what hangs below the baseline is drawn past the room it was given."""
        sketch, fit = self._sketches[int(form.property(_NUMBER))], float(form.property(_FIT))
        area = QRectF(rect)
        if form.property(_WHOLE):
            area.setHeight(sketch.ascent * fit)  # of all the room, what is above the baseline
        painter.save()
        painter.setPen(Qt.PenStyle.NoPen)  # outlines are filled; the words' pen would embolden them
        QSvgRenderer(QByteArray(sketch.svg)).render(painter, place(sketch, form, area, fit))
        painter.restore()
