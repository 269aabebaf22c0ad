"""Phosphor icons, painted as glyph outlines in a colour of the theme, at any pixel ratio.

The font and its table of names come with qtawesome, but qtawesome is not imported: that costs
240 ms of process time (it star-imports all of Qt through qtpy), reading its two files 15 ms.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPainterPath, QPixmap, QRawFont

_FONT = "phosphor-1.3.0.ttf"
_NAMES = "phosphor-charmap-1.3.0.json"
_DESIGN_SIZE = 256.0  # the outline is taken once at this size and scaled: no hinting, no rounding


class GlyphEngine(QIconEngine):
    """Paints one outline; a disabled icon takes the disabled colour."""

    def __init__(self, outline: QPainterPath, color: QColor, disabled: QColor) -> None:
        super().__init__()
        self._outline, self._color, self._disabled = outline, color, disabled

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        """Fill the outline into the rectangle."""
        off = mode == QIcon.Mode.Disabled
        paint_outline(painter, QRectF(rect), self._outline, self._disabled if off else self._color)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        """Return the icon as a picture of ``size`` device pixels."""
        picture = QPixmap(size)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        self.paint(painter, QRect(0, 0, size.width(), size.height()), mode, state)
        painter.end()
        return picture

    def clone(self) -> QIconEngine:
        """Return a copy, as Qt asks for when an icon is changed."""
        return GlyphEngine(self._outline, self._color, self._disabled)


def paint_outline(painter: QPainter, rect: QRectF, outline: QPainterPath, color: QColor) -> None:
    """Fill an outline of the unit square, centred in ``rect``, with a colour."""
    side = min(rect.width(), rect.height())
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(rect.center() - QPointF(side / 2, side / 2))
    painter.scale(side, side)
    painter.fillPath(outline, color)
    painter.restore()


class Outlines:
    """The outlines of all icons by name, read from the font when first asked for."""

    def __init__(self) -> None:
        self._font: QRawFont | None = None
        self._codes: dict[str, str] = {}
        self._paths: dict[str, QPainterPath] = {}

    def outline(self, name: str) -> QPainterPath:
        """Return the outline of an icon, scaled to the unit square.

        Raises:
            KeyError: the set has no icon of this name.
        """
        if name not in self._paths:
            self._paths[name] = self._read(name)
        return self._paths[name]

    def _read(self, name: str) -> QPainterPath:
        if self._font is None:
            folder = _font_folder()
            self._codes = json.loads((folder / _NAMES).read_text(encoding="utf-8"))
            self._font = QRawFont(str(folder / _FONT), _DESIGN_SIZE)
        glyph = self._font.glyphIndexesForString(chr(int(self._codes[name], 16)))[0]
        outline = self._font.pathForGlyph(glyph)
        outline.translate(0, self._font.ascent())
        outline.setFillRule(Qt.FillRule.WindingFill)
        return _scaled(outline, self._font.ascent() + self._font.descent())


def _scaled(outline: QPainterPath, side: float) -> QPainterPath:
    """Return an outline of a square of ``side`` brought to the unit square."""
    unit = QPainterPath(outline)
    for index in range(unit.elementCount()):
        element = unit.elementAt(index)
        unit.setElementPositionAt(index, element.x / side, element.y / side)
    return unit


def _font_folder() -> Path:
    """Return where qtawesome keeps its fonts, without importing it."""
    spec = importlib.util.find_spec("qtawesome")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("qtawesome is not installed")
    return Path(spec.origin).parent / "fonts"
