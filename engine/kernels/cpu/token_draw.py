"""Draws a token from logits in a few passes: temperature, top-k, top-p, min-p, compiled.

What is drawn is what ``engine.generation.sampler`` draws with the same number, up to roundings of
the sums: candidates in falling order, equal ones in order of their ids. Where a share of many
probabilities is wanted, they are added up in bins a sixteenth of a logit wide, then those of one
bin in bins a thousandth of that, and only what lies in one of these is sorted.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np
from numba import carray
from numpy.typing import NDArray

from engine.kernels.cpu.arithmetic import exponential
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.pointers import as_pointer, bits_to_float, floats, inner, numbers
from engine.kernels.cpu.tables import DRAW, PART, fill, float_bits
from engine.kernels.cpu.token_candidates import (
    BLOCK,
    block_maxima,
    keep_above,
    keep_best,
    keep_from,
    sort_few,
    tokens,
)
from engine.kernels.drawing import DrawRule

_BINS = 1024
_COARSE = np.float32(16)
"""Bins a logit."""
_FEW = 128
"""Candidates up to here are sorted by insertion."""
MOST_KEPT = 256
"""A larger top-k is left to the sampler's own steps."""

_ENTRY = ctypes.PYFUNCTYPE(None, ctypes.c_int64)


@inner
def doubles(address: int, count: int) -> Any:
    """The float64 array at an address."""
    return carray(as_pointer(address), (count,), np.float64)


@inner
def likelihood(logit: Any, largest: Any, factor: Any) -> Any:
    """Softmax's numerator; 0 where it is too small for a float32, as for what is forbidden."""
    distance = (logit - largest) * factor
    return exponential(distance) if distance > np.float32(-87) else np.float32(0)


@inner
def weigh(x: Any, factor: Any, largest: Any, weights: Any) -> Any:
    """Softmax's numerators; gives their sum."""
    total = 0.0
    for start in range(0, x.size, 1024):
        part: Any = np.float32(0)
        some, out = x[start : start + 1024], weights[start : start + 1024]
        for i in range(some.size):
            weight = likelihood(some[i], largest, factor)
            out[i] = weight
            part += weight
        total += part
    return total


@inner
def bin_of(x: Any, top: Any, scale: Any) -> Any:
    """The bin of a logit, the first one ending at ``top``."""
    return np.uint32(np.int32(max(np.float32(0), min((top - x) * scale, np.float32(_BINS - 1)))))


@inner
def edge_of(x: Any, weights: Any, top: Any, scale: Any, target: Any, sums: Any) -> Any:
    """The bin in which the weights, best first, reach ``target``; and the sum before it."""
    for i in range(4 * _BINS):
        sums[i] = 0.0
    for i in range(x.size):  # four sums a bin, so that none waits for the one before it
        sums[np.uint64((i & 3) * _BINS) + bin_of(x[i], top, scale)] += weights[i]
    before, last, last_before = 0.0, 0, 0.0
    for edge in range(_BINS):
        own = sums[edge] + sums[_BINS + edge] + sums[2 * _BINS + edge] + sums[3 * _BINS + edge]
        if own > 0.0:
            last, last_before = edge, before
            if before + own >= target:
                return edge, before
        before += own
    return last, last_before


@inner
def split(
    x: Any, ids: Any, top: Any, scale: Any, edge: int, a: Any, kept: int, keeps: bool
) -> tuple[int, int]:
    """Append what is before the edge's bin to the kept, gather that bin; gives both counts."""
    to_x, to_ids = floats(a.x, a.size), tokens(a.ids, a.size)
    edge_x, edge_ids = floats(a.edge_x, a.size), tokens(a.edge_ids, a.size)
    border = 0
    for i in range(x.size):
        place = bin_of(x[i], top, scale)
        if place == edge:
            edge_x[border], edge_ids[border] = x[i], ids[i]
            border += 1
        elif keeps and place < edge:
            to_x[kept], to_ids[kept] = x[i], ids[i]
            kept += 1
    return kept, border


@inner
def take_until(
    x: Any, ids: Any, count: int, a: Any, kept: int, so_far: Any, target: Any, given: Any
) -> int:
    """Sort a few, append them to the kept until the target is reached; gives the new count."""
    to_x, to_ids = floats(a.x, a.size), tokens(a.ids, a.size)
    sort_few(x, ids, count)
    end = kept
    for i in range(count):
        weight = likelihood(x[i], given[1], given[0])
        to_x[kept + i], to_ids[kept + i] = x[i], ids[i]
        if weight > np.float32(0):
            so_far += weight
            end = kept + i
        if so_far >= target:
            break
    return end + 1


@inner
def reach(x: Any, ids: Any, share: float, a: Any, factor: Any, largest: Any, keeps: bool) -> int:
    """Keep the fewest best whose probabilities add up to ``share``; the last one reaches it.

    ``x`` may be where they are kept; unless ``keeps``, those before the last are not. Gives the
    count.
    """
    count, given = x.size, (factor, largest)
    weights, sums = floats(a.weights, count), doubles(a.sums, 4 * _BINS)
    target = share * weigh(x, factor, largest, weights)
    edge_x, edge_ids = floats(a.edge_x, a.size), tokens(a.edge_ids, a.size)
    if count <= _FEW:
        for i in range(count):
            edge_x[i], edge_ids[i] = x[i], ids[i]
        return take_until(edge_x, edge_ids, count, a, 0, 0.0, target, given)
    edge, before = edge_of(x, weights, largest, _COARSE, target, sums)
    kept, count = split(x, ids, largest, _COARSE, edge, a, 0, keeps)
    if count > _FEW:  # the same within the bin
        top, scale = largest - np.float32(edge) / _COARSE, _COARSE * np.float32(_BINS)
        edge_x, weights = floats(a.edge_x, count), floats(a.weights, count)
        weigh(edge_x, factor, largest, weights)
        edge, more = edge_of(edge_x, weights, top, scale, target - before, sums)
        before += more
        kept, count = split(edge_x, edge_ids, top, scale, edge, a, kept, keeps)
    return take_until(edge_x, edge_ids, count, a, kept, before, target, given)


@inner
def largest_of(parts: int, count: int) -> Any:
    """The largest of what several threads found; NaN where one of them is."""
    largest = floats(parts, 1)[0]
    for part in range(1, count):
        other = floats(parts + part * PART, 1)[0]
        if other > largest or other != other:  # noqa: PLR0124 (NaN alone differs from itself)
            largest = other
    return largest


@operation
def draw_token(arguments: int) -> None:
    """Draw by a ``DRAW`` table into its ``token``; -1 where the logits are no numbers."""
    a = carray(as_pointer(arguments), (1,), DRAW)[0]
    size = a.size
    logits, every = floats(a.logits, size), tokens(a.every, size)
    maxima = floats(a.maxima, (size + BLOCK - 1) // BLOCK)
    x, ids = floats(a.x, size), tokens(a.ids, size)
    if a.part_count:
        largest = largest_of(a.parts, a.part_count)
    else:
        largest = block_maxima(a.logits, size, maxima)
    if not abs(largest) < np.float32(3e38):
        numbers(a.token, 1)[0] = -1
        return
    heat = bits_to_float(np.int32(a.factor_bits))
    factor = heat if a.hot_first else np.float32(1)
    least = largest + bits_to_float(np.int32(a.distance_bits)) / factor
    shares = doubles(a.shares, 2)
    cuts_share = shares[0] < 1.0
    count = -1  # all
    if a.top_k:
        count = keep_best(logits, maxima, min(a.top_k, size), x, ids)
    elif a.cuts_far and not cuts_share:
        count = keep_above(logits, maxima, least, x, ids)
    if cuts_share and count < 0:
        count = reach(logits, every, shares[0], a, factor, largest, True)
    elif cuts_share:
        count = reach(floats(a.x, count), ids, shares[0], a, factor, largest, True)
    if a.cuts_far:
        count = keep_from(x, ids, count, least)
    if count < 0:
        count = reach(logits, every, shares[1], a, heat, largest, False)
    else:
        count = reach(floats(a.x, count), ids, shares[1], a, heat, largest, False)
    numbers(a.token, 1)[0] = ids[count - 1]


class TokenDraw:
    """Draws by one rule, again and again, without a new array.

    Args:
        rule: whose top-k is at most ``MOST_KEPT``. Without a temperature it is the best one.

    Attributes:
        size: ids below this exist.
    """

    def __init__(self, rule: DrawRule) -> None:
        if rule.temperature <= 0:
            rule = DrawRule(1.0, 1, 1.0, 0.0, False, rule.size)
        self.size = size = rule.size
        self._shares = np.array([rule.top_p, 0.0])
        self._token = np.zeros(1, np.int64)
        room: dict[str, Any] = {
            "maxima": np.zeros(-(-size // BLOCK), np.float32), "x": np.zeros(size, np.float32),
            "ids": np.zeros(size, np.int32), "weights": np.zeros(size, np.float32),
            "edge_x": np.zeros(size, np.float32), "edge_ids": np.zeros(size, np.int32),
            "sums": np.zeros(4 * _BINS), "shares": self._shares, "token": self._token,
            "every": np.arange(size, dtype=np.int32),
        }  # fmt: skip
        distance = math.log(rule.min_p) if rule.min_p > 0 else 0.0
        figures = {name: int(held.ctypes.data) for name, held in room.items()} | {
            "size": size, "top_k": max(rule.top_k, 0), "hot_first": int(rule.temperature_first),
            "cuts_far": int(rule.min_p > 0),
            "factor_bits": float_bits(1 / rule.temperature), "distance_bits": float_bits(distance),
        }  # fmt: skip
        self._table = fill(DRAW, figures)
        self._address = int(self._table.ctypes.data)
        self._logits = self._table["logits"]
        self._draw = _ENTRY(draw_token.address)
        self._held = room

    def __call__(self, logits: NDArray[np.float32], uniform: float) -> int:
        """The token that a number in (0, 1] draws; -1 where the logits are no numbers.

        Args:
            logits: float32 [at least the rule's size], contiguous.
            uniform: decides.
        """
        self.read_from(logits.__array_interface__["data"][0], 0, 0)
        self._shares[1] = uniform
        self._draw(self._address)
        return int(self._token[0])

    @property
    def places(self) -> dict[str, int]:
        """The part of a ``BURST`` table that says how to draw."""
        return {
            "draw": draw_token.address, "draw_table": self._address,
            "shares": int(self._shares.ctypes.data), "token": int(self._token.ctypes.data),
        }  # fmt: skip

    def read_from(self, logits: int, parts: int, count: int) -> None:
        """Say where the logits of the next draws are, and the largest of so many parts of them."""
        self._logits[0], self._table["parts"], self._table["part_count"] = logits, parts, count


class TokenDraws:
    """What draws by rules; the last one is kept, for the next reply will often have the same."""

    def __init__(self) -> None:
        self._rule: DrawRule | None = None
        self._last: TokenDraw | None = None

    def by(self, rule: DrawRule) -> TokenDraw | None:
        """What draws by a rule, or None where a rule is the sampler's own to follow."""
        if rule.top_k > MOST_KEPT:
            return None
        if self._last is None or rule != self._rule:
            self._rule, self._last = rule, TokenDraw(rule)
        return self._last


def draws_by(rule: DrawRule) -> bool:
    """Whether one draw by this rule is quicker here; the likeliest token needs no drawing."""
    return rule.temperature > 0 and rule.top_k <= MOST_KEPT
