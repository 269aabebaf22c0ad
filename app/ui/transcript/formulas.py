"""Formulas on their way to the page: drawn in the background, kept, painted in the ink of the text.

Until a formula is drawn, and where it cannot be, its source is shown. In a chat that has just been
opened the source only keeps room for a moment: most formulas are drawn within it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QByteArray, QObject, QPointF, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.rendering.formulas import Sketch, draw
from app.ui.background import Background

_KEPT = 2_000  # formulas; about 10 kB each
_PATIENCE = 300  # ms: what loads and draws within is not seen as a change of the text
_INK = re.compile(r'(fill|stroke)="([^"]*)"')


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
        pigment: returns the colour for one that a formula asks for by name.
    """

    drawn = Signal()  # one or more that were asked for, or they take too long to be waited for

    def __init__(
        self,
        make_background: Callable[[], Background],
        pigment: Callable[[str], QColor],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._pigment = pigment
        self._make_background = make_background
        self._background: Background | None = None
        self._sketches: dict[Key, Sketch | None] = {}
        self._asked: set[Key] = set()
        self._pictures: dict[tuple[Key, int, float, bool], QPixmap] = {}
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE)
        self._patience.timeout.connect(self._on_patience_ended)

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

    @property
    def is_drawing(self) -> bool:
        """Whether anything that was asked for is still to come."""
        return bool(self._asked)

    def wait(self) -> None:
        """Another chat is shown: for a moment its formulas are waited for, their sources unseen."""
        self._patience.start()

    def is_awaited(self, key: Key) -> bool:
        """Tell whether a formula is waited for, so that nothing is to be seen in its place."""
        return key in self._asked and self._patience.isActive()

    def paint(
        self, painter: QPainter, place: QRectF, key: Key, ink: QColor, *, taken: bool = False
    ) -> None:
        """Paint a formula into a rectangle of its proportions.

        Args:
            painter: of a widget.
            place: where the formula stands.
            key: the formula.
            ink: the colour of what has no colour of its own.
            taken: the formula is selected, and has no colours then: all of it is in ink.
        """
        device = painter.device()
        ratio = device.devicePixelRatio() if device is not None else 1.0
        picture = self._picture(key, ink, ratio, place.width() / self._width(key), taken=taken)
        picture.setDevicePixelRatio(ratio)
        left, top = round(place.left() * ratio) / ratio, round(place.top() * ratio) / ratio
        painter.drawPixmap(QPointF(left, top), picture)  # on whole pixels: sharp

    def forget_pictures(self) -> None:
        """The colours have changed."""
        self._pictures.clear()

    def _width(self, key: Key) -> float:
        sketch = self._sketches.get(key)
        return sketch.width if sketch is not None else 1.0

    @Slot()
    def _on_patience_ended(self) -> None:
        if self._asked:
            self.drawn.emit()

    def _on_drawn(self, key: Key, sketch: Sketch | None) -> None:
        self._asked.discard(key)
        if not self._asked and self._background is not None:
            self._background.close()
            self._background = None
        while len(self._sketches) >= _KEPT:
            del self._sketches[next(iter(self._sketches))]
        self._sketches[key] = sketch
        self.drawn.emit()

    def _picture(
        self, key: Key, ink: QColor, ratio: float, scale: float, *, taken: bool
    ) -> QPixmap:
        known = key, ink.rgb(), ratio * scale, taken
        found, sketch = self._pictures.get(known), self._sketches.get(key)
        if found is not None or sketch is None:
            return found or QPixmap(1, 1)
        area = QRectF(0, 0, sketch.width * ratio * scale, sketch.height * ratio * scale)
        picture = QPixmap(ceil(area.width()), ceil(area.height()))
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        svg = _INK.sub(lambda it: self._inked(it, ink, taken=taken), sketch.svg.decode())
        QSvgRenderer(QByteArray(svg.encode())).render(painter, area)
        painter.end()
        if len(self._pictures) >= _KEPT:
            self._pictures.clear()
        self._pictures[known] = picture
        return picture

    def _inked(self, found: re.Match[str], ink: QColor, *, taken: bool) -> str:
        """Return an attribute of an outline in the colour in which it is to be seen."""
        name = found[2]
        if name == "none":
            return found[0]
        color = ink if taken or name == "black" else self._pigment(name)
        return f'{found[1]}="{color.name()}"'
