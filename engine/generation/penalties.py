"""The steps that change logits by what was said already. Each writes into the row it is given.

``History`` keeps what they look back on, so that a token costs the same however long the text is.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from engine.generation.candidates import Scores

Penalty = Callable[[Scores], None]

DRY_LONGEST = 50
"""Matches are followed no further: the penalty is beyond every logit long before."""


class History:
    """The prompt's ids and those that were sampled after it.

    Args:
        prompt: the prompt's token ids.
        window: how many of the last tokens ``recent`` covers; negative is all.
    """

    def __init__(self, prompt: Iterable[int], window: int) -> None:
        self.ids: list[int] = []
        self.generated: Counter[int] = Counter()
        self.recent: Counter[int] = Counter()
        self.places: defaultdict[int, list[int]] = defaultdict(list)
        self._window = window
        for token in prompt:
            self._append(token)

    def add(self, token: int) -> None:
        """Note a sampled token."""
        self.generated[token] += 1
        self._append(token)

    def _append(self, token: int) -> None:
        self.places[token].append(len(self.ids))
        self.ids.append(token)
        self.recent[token] += 1
        if 0 <= self._window < len(self.ids):
            old = self.ids[len(self.ids) - self._window - 1]
            self.recent[old] -= 1
            if self.recent[old] == 0:
                del self.recent[old]


def logit_bias(values: Iterable[tuple[int, float]], size: int) -> Penalty:
    """Add a value to the logits of given ids; ``-inf`` is never. Ids past ``size`` are ignored."""
    known = {token: value for token, value in values if 0 <= token < size}
    ids = np.fromiter(known, dtype=np.int64, count=len(known))
    bias = np.fromiter(known.values(), dtype=np.float32, count=len(known))

    def apply(scores: Scores) -> None:
        scores[ids] += bias

    return apply


def repetition(penalty: float, history: History) -> Penalty:
    """Every distinct id of the window once: ``l > 0 ? l / p : l * p`` (Keskar et al. 2019)."""

    def apply(scores: Scores) -> None:
        ids = _keys(history.recent, len(scores))
        seen = scores[ids]
        scores[ids] = np.where(seen > 0, seen / np.float32(penalty), seen * np.float32(penalty))

    return apply


def frequency_and_presence(frequency: float, presence: float, history: History) -> Penalty:
    """``l - count * f - (count > 0) * p`` over all generated tokens (OpenAI's definition)."""

    def apply(scores: Scores) -> None:
        ids = _keys(history.generated, len(scores))
        counts = np.fromiter((history.generated[int(i)] for i in ids), np.float32, len(ids))
        scores[ids] -= counts * np.float32(frequency) + np.float32(presence)

    return apply


def dry(
    multiplier: float, base: float, allowed: int, breakers: Collection[int], history: History
) -> Penalty:
    """``l -= multiplier * base ** (n - allowed)`` for tokens that would extend a repetition.

    A token extends a repetition of length n if the last n tokens stood before it somewhere earlier
    and n >= allowed (p-e-w, "DRY", 2024). Breakers are no part of a repetition.
    """

    def apply(scores: Scores) -> None:
        for token, length in _repetitions(history, breakers).items():
            if length >= allowed and token < len(scores):
                scores[token] -= np.float32(multiplier * base ** (length - allowed))

    return apply


def _repetitions(history: History, breakers: Collection[int]) -> Mapping[int, int]:
    """For each token that once followed the present ending, how long that ending was."""
    ids = history.ids
    if not ids or ids[-1] in breakers:
        return {}
    longest: dict[int, int] = {}
    for place in history.places[ids[-1]][:-1]:
        follower = ids[place + 1]
        if follower in breakers:
            continue
        length = 1
        while (
            length < min(DRY_LONGEST, place + 1)
            and ids[place - length] == ids[-1 - length]
            and ids[place - length] not in breakers
        ):
            length += 1
        longest[follower] = max(longest.get(follower, 0), length)
    return longest


def _keys(counter: Counter[int], size: int) -> NDArray[np.int64]:
    """The counted ids as an array, without those past the vocabulary."""
    ids = np.fromiter(counter, np.int64, len(counter))
    return ids[ids < size]
