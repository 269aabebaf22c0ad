"""The font of formulas, with the system's fonts behind it: Chinese words in a formula are drawn.

ziamath reads its glyphs from a file that has no Chinese, and draws a box for what it lacks. Here
such a character takes its outline from whatever font Qt finds for it.
"""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontMetricsF, QGuiApplication, QPainterPath
from ziafont.fonttypes import BBox
from ziafont.glyph import SimpleGlyph
from ziafont.svgpath import Cubic, Lineto, Moveto, Point
from ziamath.mathfont import MathFont

_OUTSIDE = 1 << 20  # glyph numbers from here on are none of the file's


class UndrawableError(ValueError):
    """No font here has a character of a formula."""


class OutsideGlyph(SimpleGlyph):
    """A character as Qt draws it, in the units of the formula's font."""

    def __init__(self, char: str, font: MathFont) -> None:
        units = font.info.layout.unitsperem
        drawn = QFont()
        drawn.setPixelSize(units)
        drawn.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        path = QPainterPath()
        path.addText(0, 0, drawn, char)
        if path.isEmpty() and not char.isspace():
            raise UndrawableError(char)
        box = path.boundingRect()
        edges = box.left(), box.right(), -box.bottom(), -box.top()
        self._advance = round(QFontMetricsF(drawn).horizontalAdvance(char))
        super().__init__(_OUTSIDE + ord(char), _operators(path), BBox(*edges), font)

    def advance(self, nextchr: SimpleGlyph | None = None) -> int:
        """Return how far the next character stands to the right, in units of the font."""
        return self._advance


class FormulaFont(MathFont):  # type: ignore[misc] # without types where it is followed
    """ziamath's own font; what it lacks comes from the system."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self._outside: dict[str, OutsideGlyph] = {}

    def glyph(self, char: str) -> SimpleGlyph:
        """Return the outline of a character.

        Raises:
            UndrawableError: no font has it.
        """
        if self.glyphindex(char):
            glyph: SimpleGlyph = super().glyph(char)
            return glyph
        if QGuiApplication.instance() is None:
            raise UndrawableError(char)
        if char not in self._outside:
            self._outside[char] = OutsideGlyph(char, self)
        return self._outside[char]

    def advance(self, glyph: int, glyph2: int | None = None) -> int:
        """Return how far the next glyph stands to the right; one from outside is not kerned."""
        inside = glyph2 if glyph2 is not None and glyph2 < _OUTSIDE else None
        advance: int = super().advance(glyph, inside)
        return advance


def _operators(path: QPainterPath) -> list[Moveto | Lineto | Cubic]:
    """Return a path as ziafont's own steps; its y points up."""
    steps: list[Moveto | Lineto | Cubic] = []
    points: list[Point] = []
    for index in range(path.elementCount()):
        element = path.elementAt(index)
        point = Point(element.x, -element.y)  # type: ignore[no-untyped-call]
        match element.type:
            case QPainterPath.ElementType.MoveToElement:
                steps.append(Moveto(point))
            case QPainterPath.ElementType.LineToElement:
                steps.append(Lineto(point))
            case _:
                points.append(point)
                if len(points) == 3:
                    steps.append(Cubic(*points))
                    points = []
    return steps
