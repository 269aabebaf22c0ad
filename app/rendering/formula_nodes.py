r"""What the drawing library leaves out: lines inside an array, air inside a frame.

Importing this module teaches the library: it finds a node by the name of its element.
"""

from __future__ import annotations

from collections.abc import Sequence

from ziafont.fonttypes import BBox
from ziamath import drawable
from ziamath.nodes.mrow import Mrow
from ziamath.nodes.mtable import Mtable

_AIR = 0.25  # em: between lines around something and what they hold


class Roomy(Mrow, tag="roomy"):  # type: ignore[misc,call-arg] # untyped where followed
    """A row with air on all sides."""

    bbox: BBox

    def _setup(self, **kwargs: object) -> None:
        super()._setup(**kwargs)
        air, box = self.size_px(f"{_AIR}em"), self.bbox
        self.nodexy[:] = [(x + air, y) for x, y in self.nodexy]
        self.bbox = BBox(box.xmin, box.xmax + 2 * air, box.ymin - air, box.ymax + air)
        self._xadvance = self.bbox.xmax


class RuledTable(Mtable, tag="mtable"):  # type: ignore[misc,call-arg] # untyped where followed
    r"""An array with the lines that ``|`` and ``\hline`` ask for."""

    bbox: BBox

    def _setup(self, **kwargs: object) -> None:
        columns, rows = (self.element.get(k, "").split() for k in ("columnlines", "rowlines"))
        is_ruled = "solid" in columns or "solid" in rows
        if is_ruled:
            self.element.set("columnspacing", "0.8em")
            self.element.set("rowspacing", "0.45em")
        super()._setup(**kwargs)
        if is_ruled and self.nodes:
            self._rule(columns, rows, kwargs)

    def _rule(self, columns: list[str], rows: list[str], kwargs: dict[str, object]) -> None:
        air = self.size_px(f"{_AIR}em")
        thin = self.units_to_points(self.font.math.consts.radicalRuleThickness)
        box = self.bbox
        left, right, top, bottom = -air, box.xmax + air, -box.ymax - air, -box.ymin + air
        across, down = self._gaps()
        lines = [
            (drawable.HLine(right - left, thin, style=self.style, **kwargs), (left, y))
            for y in _places(rows, down, top, bottom)
        ]
        lines += [
            (drawable.VLine(bottom - top, thin, style=self.style, **kwargs), (x, top))
            for x in _places(columns, across, left, right)
        ]
        for line, place in lines:
            self.nodes.append(line)
            self.nodexy.append(place)
        self.nodexy[:] = [(x + air, y) for x, y in self.nodexy]
        self.bbox = BBox(0, right + air, -bottom, -top)

    def _gaps(self) -> tuple[list[float], list[float]]:
        """Return the middles between columns and between rows."""
        lefts: dict[int, float] = {}
        rights: dict[int, float] = {}
        tops: list[float] = []
        bottoms: list[float] = []
        cells = iter(zip(self.nodes, self.nodexy, strict=True))
        for row in self.element:
            own = [next(cells) for _ in row]
            tops.append(min((y - node.bbox.ymax for node, (_, y) in own), default=0.0))
            bottoms.append(max((y - node.bbox.ymin for node, (_, y) in own), default=0.0))
            for column, (node, (x, _)) in enumerate(own):
                lefts[column] = min(lefts.get(column, x), x)
                end = x + node.bbox.xmax - node.bbox.xmin
                rights[column] = max(rights.get(column, end), end)
        across = [(rights[k] + lefts[k + 1]) / 2 for k in range(len(lefts) - 1)]
        return across, _middles(bottoms, tops[1:])


def _middles(ends: Sequence[float], starts: Sequence[float]) -> list[float]:
    return [(end + start) / 2 for end, start in zip(ends, starts, strict=False)]


def _places(kinds: list[str], inner: list[float], first: float, last: float) -> list[float]:
    """Return where lines stand: one kind for each gap, with those around the array or without."""
    edges = [first, *inner, last]
    if len(kinds) <= len(inner):
        edges = inner
    elif len(kinds) == len(inner) + 1:
        edges = [*inner, last]
    return [edge for kind, edge in zip(kinds, edges, strict=False) if kind == "solid"]
