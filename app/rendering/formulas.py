"""LaTeX to outlines: ziamath draws a formula as SVG, without a browser and without a network.

Importing ziamath takes some 150 ms and a formula 2 to 20 ms, so this runs off the window's thread;
``draw`` imports it when it is first called. It reads its font through one file with one position:
two threads that draw at once would read each other's glyphs, and keep what they read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from threading import Lock

from app.rendering.latex import can_be_drawn, is_whole, prepared
from app.rendering.mathml import mended

LONGEST = 1_200  # characters; a glyph costs up to a millisecond
_NAME = "inkstone"  # of the font, among those that ziamath has loaded
_UNSTROKED = re.compile(r"<(path|rect) (?![^>]*stroke=)")
_ONE_AT_A_TIME = Lock()
_VIEW_BOX = re.compile(r'viewBox="(\S+) (\S+) (\S+) (\S+)"')


@dataclass(frozen=True, slots=True)
class Sketch:
    """A formula that can be drawn: SVG, and where its baseline is, in pixels."""

    svg: bytes
    width: float
    ascent: float
    descent: float

    @property
    def height(self) -> float:
        """From the top to the bottom."""
        return self.ascent + self.descent


def draw(source: str, size: float, *, display: bool) -> Sketch | None:
    """Return a formula as it is drawn, None where the source is no LaTeX that can be drawn.

    Args:
        source: LaTeX without dollar signs.
        size: of the font, in pixels.
        display: on a line of its own, with limits above and below.
    """
    if len(source) > LONGEST or not source.strip():
        return None
    ready = prepared(source, display=display)
    if not can_be_drawn(ready):
        return None
    with _ONE_AT_A_TIME:
        return _drawn(ready, size, display=display)


def _drawn(ready: str, size: float, *, display: bool) -> Sketch | None:
    import ziamath  # noqa: PLC0415 (see the head of this file)

    ziamath.config.svg2 = False  # QtSvg knows no <use>
    try:
        mathml = ziamath.tex.tex2mml(ready, inline=not display)
        if not is_whole(ready, mathml):
            return None
        svg = ziamath.Math(mended(mathml), size=size, font=_font()).svg()
    except _failures():
        return None
    return _sketch(svg)


@cache
def _font() -> str:
    """Return the name under which ziamath finds the font that has Chinese behind it."""
    from ziamath import zmath  # noqa: PLC0415 (with ziamath, not before)

    from app.rendering import formula_nodes  # noqa: F401, PLC0415 (it teaches ziamath)
    from app.rendering.formula_font import FormulaFont  # noqa: PLC0415 (with ziamath)

    file = str(zmath.loadedfonts["default"].info.filename)
    zmath.loadedfonts[_NAME] = FormulaFont(file)
    return _NAME


def _sketch(svg: str) -> Sketch | None:
    found = _VIEW_BOX.search(svg)
    if found is None:
        return None
    _left, top, width, height = (float(number) for number in found.groups())
    if not 0 < width < 20_000 or not 0 < height < 20_000:
        return None
    svg = _UNSTROKED.sub(r'<\1 stroke-width="0" ', svg)  # in a PDF, QtSvg's pen thickens letters
    return Sketch(svg.encode(), width, -top, height + top)


@cache
def _failures() -> tuple[type[Exception], ...]:
    """Return what ziamath and its parser raise on what is not LaTeX.

    The parser's own errors have no base class in common, the drawing uses assertions; a fuzz test
    holds this list to what really comes.
    """
    from latex2mathml import exceptions  # noqa: PLC0415 (with ziamath, not before)

    own = tuple(
        each
        for each in vars(exceptions).values()
        if isinstance(each, type) and issubclass(each, Exception)
    )
    return (
        *own,
        AssertionError,
        StopIteration,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RecursionError,
        SyntaxError,  # of the MathML in between
    )
