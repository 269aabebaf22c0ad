"""Formulas on their way to the page: drawn in the background, kept, painted in the ink of the text.

Until a formula is drawn, and where it cannot be, its source is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QByteArray, QObject, QPointF, QRect, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QPainter,
    QPixmap,
    QPyTextObject,
    QTextCharFormat,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer

from app.rendering.formulas import Sketch, draw
from app.ui.background import Background

OBJECT = QTextFormat.ObjectTypes.UserObject.value + 1  # the kind of character a formula is
_SOURCE = QTextFormat.Property.UserProperty.value + 3
_SIZE = QTextFormat.Property.UserProperty.value + 4
_KEPT = 2_000  # formulas; about 10 kB each


@dataclass(frozen=True, slots=True)
class Key:
    """What is drawn."""

    source: str
    size: int
    display: bool


class Formulas(QObject):
    """Draws formulas in the background and keeps what has been drawn.

    Args:
        make_background: called when something has to be drawn; what it returns is closed as soon
            as nothing is left to do, so that no thread stays behind.
    """

    drawn = Signal()  # one or more that were asked for

    def __init__(self, make_background: Callable[[], Background], parent: QObject) -> None:
        super().__init__(parent)
        self._make_background = make_background
        self._background: Background | None = None
        self._sketches: dict[Key, Sketch | None] = {}
        self._asked: set[Key] = set()
        self._pictures: dict[tuple[Key, int, float], QPixmap] = {}

    def sketch(self, key: Key) -> Sketch | None:
        """Return a formula that has been drawn; otherwise None, and ``drawn`` may follow."""
        if key not in self._sketches and key not in self._asked:
            self._asked.add(key)
            if self._background is None:
                self._background = self._make_background()
            self._background.run(
                lambda: draw(key.source, key.size, display=key.display),
                lambda sketch: self._on_drawn(key, sketch),
                lambda fault: None,
            )
        return self._sketches.get(key)

    def expect(self) -> None:
        """A formula may come soon: begin to load what draws it, which takes 0.2 s."""
        self.sketch(Key("x", 16, display=False))

    def is_pending(self, key: Key) -> bool:
        """Tell whether a formula has been asked for and is not there yet."""
        return key in self._asked

    def paint(self, painter: QPainter, place: QRectF, key: Key, color: QColor) -> None:
        """Paint a formula in a colour into a rectangle of its proportions."""
        device = painter.device()
        ratio = device.devicePixelRatio() if device is not None else 1.0
        picture = self._picture(key, color, ratio, place.width() / self._width(key))
        picture.setDevicePixelRatio(ratio)
        left, top = round(place.left() * ratio) / ratio, round(place.top() * ratio) / ratio
        painter.drawPixmap(QPointF(left, top), picture)  # on whole pixels: sharp

    def forget_pictures(self) -> None:
        """The colours have changed."""
        self._pictures.clear()

    def _width(self, key: Key) -> float:
        sketch = self._sketches.get(key)
        return sketch.width if sketch is not None else 1.0

    def _on_drawn(self, key: Key, sketch: Sketch | None) -> None:
        self._asked.discard(key)
        if not self._asked and self._background is not None:
            self._background.close()
            self._background = None
        while len(self._sketches) >= _KEPT:
            del self._sketches[next(iter(self._sketches))]
        self._sketches[key] = sketch
        self.drawn.emit()

    def _picture(self, key: Key, color: QColor, ratio: float, scale: float) -> QPixmap:
        found = self._pictures.get((key, color.rgb(), ratio * scale))
        sketch = self._sketches.get(key)
        if found is not None or sketch is None:
            return found or QPixmap(1, 1)
        area = QRectF(0, 0, sketch.width * ratio * scale, sketch.height * ratio * scale)
        picture = QPixmap(ceil(area.width()), ceil(area.height()))
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        QSvgRenderer(QByteArray(sketch.svg)).render(painter, area)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
        painter.fillRect(picture.rect(), color)
        painter.end()
        if len(self._pictures) >= _KEPT:
            self._pictures.clear()
        self._pictures[key, color.rgb(), ratio * scale] = picture
        return picture


class InlineFormula(QPyTextObject):
    """Tells a document how large the formulas among its words are, and paints them.

    Qt puts the bottom of an inline object on the baseline. A formula that stays inside the line is
    given its height above the baseline and painted past it; a taller one is centred on the line's
    middle, with as much room above as below, and the line makes way.
    """

    def __init__(self, formulas: Formulas, parent: QObject) -> None:
        super().__init__(parent)
        self._formulas = formulas

    def intrinsicSize(self, document: QTextDocument, position: int, form: QTextFormat) -> QSizeF:
        """Return the room that a formula takes in its line."""
        sketch = self._formulas.sketch(key_of(form))
        if sketch is None:
            return QSizeF(1, 1)
        return QSizeF(sketch.width + 2, _room(sketch, form.toCharFormat()))

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
        character = form.toCharFormat()
        area = QRectF(rect)
        baseline = area.bottom()
        if character.verticalAlignment() is QTextCharFormat.VerticalAlignment.AlignMiddle:
            half = QFontMetricsF(character.font()).xHeight() / 2
            baseline = area.top() + (area.height() + half) / 2
        place = QRectF(area.left() + 1, baseline - sketch.ascent, sketch.width, sketch.height)
        self._formulas.paint(painter, place, key, character.foreground().color())


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
        form.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
    return form


def is_tall(sketch: Sketch, metrics: QFontMetricsF) -> bool:
    """Tell whether a formula reaches out of a line of its text."""
    return sketch.ascent > metrics.ascent() + 3 or sketch.descent > metrics.descent() + 2


def _room(sketch: Sketch, form: QTextCharFormat) -> float:
    if form.verticalAlignment() is not QTextCharFormat.VerticalAlignment.AlignMiddle:
        return sketch.ascent
    half = QFontMetricsF(form.font()).xHeight() / 2
    return max(2 * sketch.ascent - half, 2 * sketch.descent + half)
