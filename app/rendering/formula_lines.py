"""How a formula stands in its line, on the screen and on paper.

Qt puts the bottom of an inline object on the baseline. A formula that stays inside its line is
given its height above the baseline and painted past it; a taller one is centred on the line's
middle, with as much room above as below, and the line makes way.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QTextCharFormat, QTextFormat

from app.rendering.formulas import Sketch

_CENTRED = QTextCharFormat.VerticalAlignment.AlignMiddle


def centre(form: QTextCharFormat) -> None:
    """Let the line make way for a formula, above and below."""
    form.setVerticalAlignment(_CENTRED)


def is_centred(form: QTextFormat) -> bool:
    """Tell whether the line makes way for a formula, above and below."""
    return form.toCharFormat().verticalAlignment() is _CENTRED


def room(sketch: Sketch, form: QTextFormat, fit: float) -> float:
    """Return how tall a formula is for its line, in pixels.

    Args:
        sketch: the formula.
        form: of the character that stands for it.
        fit: how much of its size it is drawn at, up to 1.
    """
    ascent, descent = sketch.ascent * fit, sketch.descent * fit
    if not is_centred(form):
        return ascent
    half = _half(form)
    return max(2 * ascent - half, 2 * descent + half)


def place(sketch: Sketch, form: QTextFormat, area: QRectF, fit: float) -> QRectF:
    """Return where a formula is painted, of which Qt gave a part as ``area``."""
    baseline = area.bottom()
    if is_centred(form):
        baseline = area.top() + (area.height() + _half(form)) / 2
    top = baseline - sketch.ascent * fit
    return QRectF(area.left() + 1, top, sketch.width * fit, sketch.height * fit)


def _half(form: QTextFormat) -> float:
    """Return how far the middle of the type is above its baseline."""
    return QFontMetricsF(form.toCharFormat().font()).xHeight() / 2
