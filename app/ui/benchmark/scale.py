"""The scale of a chart: round ticks, and what is done with one value far above the others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_FAR = 2.5  # times the next largest value: beyond, a bar is broken instead of squeezing the rest


@dataclass(frozen=True, slots=True)
class Scale:
    """Values from 0 to ``top`` over a length; ``ticks`` are round numbers within."""

    top: float
    ticks: tuple[float, ...]

    def at(self, value: float, length: float) -> float:
        """Return where a value lies on a length, no further than its end."""
        return length * min(1.0, max(0.0, value / self.top)) if self.top else 0.0

    def holds(self, value: float) -> bool:
        """Return whether a value lies on the scale."""
        return value <= self.top


def scale(values: Sequence[float], ticks: int = 4, *, whole: bool = False) -> Scale:
    """Return a scale on which nearly all of the values lie; outliers far above are left off.

    ``whole`` leaves none off.
    """
    ordered = sorted((v for v in values if v > 0), reverse=True) or [1.0]
    while not whole and len(ordered) > 1 and ordered[0] > _FAR * ordered[1]:
        del ordered[0]
    top = ordered[0] * 1.04
    step = _round_step(top / ticks)
    return Scale(top, tuple(step * n for n in range(int(top / step) + 1)))


def _round_step(step: float) -> float:
    """Return the next of 1, 2, 5, 10, … that is no smaller."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(power * n for n in (1, 2, 5, 10) if power * n >= step * 0.999)
