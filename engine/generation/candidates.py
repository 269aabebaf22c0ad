"""The tokens that may still be drawn, and the sorted prefixes that every truncation asks for.

A vocabulary has 49,000 to 262,000 tokens, and the few likely ones are all that matters, so nothing
here sorts it whole. numpy on one thread, measured for 262,144 logits: a full sort of indices takes
20 ms, ``argpartition`` 0.35 ms, the block maxima of ``best_indices`` 0.1 ms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]
Ids = NDArray[np.int64]
Drawing = Callable[[Scores, float], int]
"""A quick way through temperature, top-k, top-p and min-p: the id that a number in (0, 1] draws."""

_BLOCKS = 64
_FIRST_PREFIX = 128
_BINS = 1024


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Tokens with their logits.

    Attributes:
        logits: float32 [tokens].
        ids: int64 [tokens]; None is the whole vocabulary in order of ids.
        is_sorted: best first; equal logits in order of ids.
    """

    logits: Scores
    ids: Ids | None = None
    is_sorted: bool = False

    def __len__(self) -> int:
        """How many there are."""
        return len(self.logits)

    def pick(self, index: NDArray[np.intp], *, is_sorted: bool) -> Candidates:
        """The candidates at these places, in this order."""
        ids = index.astype(np.int64) if self.ids is None else self.ids[index]
        return Candidates(self.logits[index], ids, is_sorted)

    def best(self, count: int) -> Candidates:
        """The ``count`` best, best first."""
        if self.is_sorted:
            return self.pick(np.arange(min(count, len(self))), is_sorted=True)
        return self.pick(best_indices(self.logits, count), is_sorted=True)

    def keep(self, mask: NDArray[np.bool_]) -> Candidates:
        """Those where ``mask`` holds, in the order that they have."""
        return self.pick(np.flatnonzero(mask), is_sorted=self.is_sorted)

    def probabilities(self) -> NDArray[np.float64]:
        """Softmax over these candidates alone."""
        weights = np.exp(self.logits - self.logits.max(), dtype=np.float32)
        p: NDArray[np.float64] = weights / weights.sum(dtype=np.float64)
        return p

    def id_at(self, place: int) -> int:
        """The token id at a place."""
        return place if self.ids is None else int(self.ids[place])


def best_indices(values: Scores, count: int) -> NDArray[np.intp]:
    """Places of the ``count`` largest values, largest first, equal ones in their order.

    The vocabulary is cut into strides of 64; at least ``count`` values reach the ``count``-th
    largest of the strides' maxima, so only values from there on are sorted.
    """
    strides = len(values) // _BLOCKS
    if count * 4 <= strides:
        maxima = values[: strides * _BLOCKS].reshape(_BLOCKS, strides).max(axis=0)
        threshold = np.partition(maxima, strides - count)[strides - count]
        places = np.flatnonzero(values >= threshold)
    elif count < len(values):
        threshold = np.partition(values, len(values) - count)[len(values) - count]
        places = np.flatnonzero(values >= threshold)
    else:
        places = np.arange(len(values))
    order = np.argsort(-values[places], kind="stable")
    return places[order[:count]]


def likely_prefix(candidates: Candidates, share: float) -> Candidates:
    """The fewest best candidates whose probabilities add up to ``share``; at least one.

    Summed in float64. The last one is the candidate that reaches the share; it always has a
    probability. Large prefixes are not sorted before it.
    """
    logits = candidates.logits
    weights = np.exp(logits - logits.max(), dtype=np.float32)
    share_of_weights = share * float(weights.sum(dtype=np.float64))
    if len(candidates) > _FIRST_PREFIX:
        best = candidates.best(_FIRST_PREFIX)
        sums = np.cumsum(np.exp(best.logits - best.logits[0]), dtype=np.float64)
        if sums[-1] < share_of_weights:
            places = fewest_places(logits, weights, share_of_weights)
            return candidates.pick(places, is_sorted=False)
    else:
        best = candidates.best(len(candidates))
        sums = np.cumsum(np.exp(best.logits - best.logits[0]), dtype=np.float64)
    reached = min(share_of_weights, float(sums[-1]))
    return best.best(int(np.searchsorted(sums, reached, side="left")) + 1)


def fewest_places(
    keys: Scores, weights: Scores, enough: float, *, exceeds: bool = False
) -> NDArray[np.intp]:
    """Places in falling order of ``keys`` until their ``weights`` add up to ``enough``.

    The keys are sorted into bins a sixteenth wide, and only the bin in which the sum is reached is
    sorted itself: linear in the vocabulary, however many places it takes.

    Args:
        keys: float32 [places].
        weights: float32 [places], not negative.
        enough: the sum that ends it.
        exceeds: whether the sum must be larger than ``enough`` instead of reaching it.

    Returns:
        The places; the one that reached the sum is the last, those before it are in no order.
    """
    side: Literal["left", "right"] = "right" if exceeds else "left"
    bins = np.minimum((keys.max() - keys) * np.float32(16), np.float32(_BINS - 1)).astype(np.int16)
    sums = np.cumsum(np.bincount(bins, weights, _BINS))
    last = int(np.searchsorted(sums, sums[-1]))  # behind it nothing has a weight
    edge = min(int(np.searchsorted(sums, enough, side=side)), last)
    border = np.flatnonzero(bins == edge)
    border = border[np.argsort(-keys[border], kind="stable")]
    sums_inside = np.cumsum(weights[border], dtype=np.float64) + (sums[edge - 1] if edge else 0.0)
    end = np.searchsorted(sums_inside, min(enough, sums_inside[-1]), side=side) + 1
    return np.concatenate((np.flatnonzero(bins < edge), border[:end]))
