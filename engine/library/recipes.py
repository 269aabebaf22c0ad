"""What a weight becomes: how many bits, how many columns share a scale, found by which method."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.contract import EngineError, FaultKind

GROUPS = (32, 64, 128)
BITS = (4, 8)


class Method(StrEnum):
    """How codes and scales are found."""

    NEAREST = "nearest"  # the largest value sets the scale; needs no text
    SEARCH = "search"  # scales and codes of the least error, by what the columns' inputs are
    AWQ = "awq"  # columns with large inputs are scaled up, norms down, then searched
    GPTQ = "gptq"  # each column's error is made good by the columns after it


@dataclass(frozen=True, slots=True)
class Scheme:
    """Bits and group of one weight: ``w = scale * q`` with signed integers q.

    Attributes:
        bits: 4 or 8.
        group: columns that share a scale.
    """

    bits: int
    group: int

    def __post_init__(self) -> None:
        if self.bits not in BITS:
            raise _invalid("bits", self.bits, BITS)
        if self.group not in GROUPS:
            raise _invalid("group", self.group, GROUPS)

    @property
    def bits_per_weight(self) -> float:
        """With the 16 bits of each scale."""
        return self.bits + 16 / self.group

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Whether a matrix of this shape can be stored so."""
        return len(shape) == 2 and shape[1] % self.group == 0


@dataclass(frozen=True, slots=True)
class Recipe:
    """What becomes of a whole model.

    Attributes:
        scheme: of the layers' matrices.
        method: how their codes are found.
        kept_share: of the layers' weights, those stored in 8 bits because they lose the most.
        head_bits: of a head of its own; one that is the embedding stays as it is.
    """

    scheme: Scheme
    method: Method = Method.SEARCH
    kept_share: float = 0.0
    head_bits: int = 8


PRESETS = {
    "8": Recipe(Scheme(8, 64), Method.NEAREST),
    "4": Recipe(Scheme(4, 32), Method.SEARCH, kept_share=0.06),
    "4-small": Recipe(Scheme(4, 64), Method.SEARCH),
}
"""The wizard's choices; 8 bits are so close to the source that searching gains nothing."""

EIGHT_BITS_BELOW = 3_000_000_000
"""Parameters; a smaller model loses too much at 4 bits to recommend them."""


def recommended(parameters: int) -> str:
    """The preset for a model of this size."""
    return "8" if parameters < EIGHT_BITS_BELOW else "4"


def expected_same_top(recipe: Recipe) -> float:
    """Share of tokens with the source's first choice, estimated for a model of 135 million.

    4 bits in groups of 32 by the nearest and by searching were measured on SmolLM2
    (``tests/bench/quality_bars.py``); GPTQ, wider groups and 8 bits are guesses from there. Larger
    models lose less.
    """
    if recipe.scheme.bits == 8:
        return _SAME_TOP_8
    by_group = _SAME_TOP_4[recipe.method if recipe.method is not Method.AWQ else Method.SEARCH]
    return by_group[GROUPS.index(recipe.scheme.group)]


_SAME_TOP_8 = 0.97
_SAME_TOP_4 = {  # groups of 32, 64, 128
    Method.NEAREST: (0.57, 0.52, 0.47),
    Method.SEARCH: (0.79, 0.74, 0.69),
    Method.GPTQ: (0.80, 0.76, 0.72),
}


def _invalid(name: str, value: int, allowed: tuple[int, ...]) -> EngineError:
    said = ", ".join(map(str, allowed))
    return EngineError(FaultKind.SETTING_INVALID, name=name, value=value, allowed=said)
