"""What transformers has computed before, found by the token ids that it was computed from.

transformers keeps keys and values, or a recurrent state, in objects of its own; pages mean nothing
to it. A ``Past`` is such an object with the ids that it has seen. The scheduler says how far a
sequence has been computed; whether that past is still here is decided by ids alone, so that a
wrong one can never be taken, and a lost one costs time, never truth.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

KEPT = 24
"""Pasts kept: as many sequences as a step may have, and a few conversations that may go on."""

Ids = NDArray[np.int64]
Crop = Callable[[Any, int], Any | None]


@dataclass(slots=True, eq=False)
class Past:
    """A cache object of transformers and the ids that it has seen; None before the first."""

    ids: Ids
    state: Any

    @property
    def length(self) -> int:
        """Tokens that it has seen."""
        return len(self.ids)


class Pasts:
    """The pasts of a model, least recently used first.

    Args:
        crop: from a state and a number of tokens, a copy of the state as it was before its last
            tokens; None where that state cannot go back.
        kept: how many are kept.
    """

    def __init__(self, crop: Crop, kept: int = KEPT) -> None:
        self._crop = crop
        self._kept = kept
        self._pasts: list[Past] = []

    def __len__(self) -> int:
        return len(self._pasts)

    def take(self, wanted: Ids) -> Past:
        """Take out the past that covers most of the beginning of ``wanted``; an empty one if none.

        A past that has seen something else after it and can go back is copied, for another
        sequence may still need it.
        """
        whole: Past | None = None
        for past in self._pasts:
            fits = past.length <= len(wanted) and bool(
                np.array_equal(past.ids, wanted[: past.length])
            )
            if fits and (whole is None or past.length > whole.length):
                whole = past
        back = self._gone_back(wanted, 0 if whole is None else whole.length)
        if back is not None:
            return back
        if whole is None:
            return Past(wanted[:0], None)
        self._pasts.remove(whole)
        return whole

    def put(self, past: Past) -> None:
        """Keep a past, as the most recently used one."""
        self._pasts.append(past)
        del self._pasts[: -self._kept]

    def snapshot(self, past: Past) -> None:
        """Keep a copy of a past that is about to change."""
        self.put(Past(past.ids, copy.deepcopy(past.state)))

    def _gone_back(self, wanted: Ids, better_than: int) -> Past | None:
        """A copy of another past, cropped to what it shares with ``wanted``, if that is more."""
        best, source = better_than, None
        for past in self._pasts:
            shared = _shared(past.ids, wanted)
            if shared > best and shared < past.length:
                best, source = shared, past
        if source is None:
            return None
        state = self._crop(source.state, source.length - best)
        return None if state is None else Past(wanted[:best], state)


def _shared(a: Ids, b: Ids) -> int:
    """Length of the common beginning."""
    size = min(len(a), len(b))
    differ = np.flatnonzero(a[:size] != b[:size])
    return int(differ[0]) if len(differ) else size
