"""The steps that drop unlikely tokens, each a closure built once a request.

Every step takes candidates and returns those that stay, at least one, in the order that they had.
Probabilities are always a softmax over what the steps before left.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

import numpy as np

from engine.generation.candidates import Candidates, fewest_places, likely_prefix

Step = Callable[[Candidates], Candidates]


def temperature(value: float) -> Step:
    """``l / T`` for T > 0."""
    factor = np.float32(1 / value)
    return lambda c: Candidates(c.logits * factor, c.ids, c.is_sorted)


def top_k(count: int) -> Step:
    """The ``count`` most likely tokens."""
    return lambda c: c.best(count)


def top_p(share: float) -> Step:
    """The smallest sorted prefix with cumulative probability >= p (Holtzman et al. 2019)."""
    return lambda c: likely_prefix(c, share)


def min_p(fraction: float) -> Step:
    """Tokens with ``p >= m * p_max``, that is ``l >= l_max + ln m`` (Nguyen et al. 2024)."""
    distance = np.float32(math.log(fraction))
    return lambda c: c.keep(c.logits >= c.logits.max() + distance)


def top_n_sigma(count: float) -> Step:
    """Tokens with ``l >= l_max - n * std``, over finite logits only (Tang et al. 2024)."""

    def step(c: Candidates) -> Candidates:
        deviation = float(c.logits[np.isfinite(c.logits)].std(dtype=np.float64))
        return c.keep(c.logits >= c.logits.max() - np.float32(count * deviation))

    return step


def typical_p(share: float) -> Step:
    """Tokens closest to the entropy, until their probabilities exceed p (Meister et al. 2022)."""

    def step(c: Candidates) -> Candidates:
        p = c.probabilities()
        with np.errstate(divide="ignore", invalid="ignore"):
            surprise = -np.log(p)
            entropy = float(np.nansum(p * surprise))
        nearness = -np.abs(surprise - entropy).astype(np.float32)
        places = fewest_places(nearness, p.astype(np.float32), share, exceeds=True)
        return c.pick(np.sort(places), is_sorted=c.is_sorted)

    return step


def xtc(probability: float, threshold: float, random: Random) -> Step:
    """With a chance, drop every token with ``p >= threshold`` but the least likely of them."""

    def step(c: Candidates) -> Candidates:
        if random.random() >= probability:
            return c
        above = np.flatnonzero(c.probabilities() >= threshold)
        if len(above) < 2:
            return c
        best_first = above[np.argsort(-c.logits[above], kind="stable")]
        mask = np.ones(len(c), dtype=np.bool_)
        mask[best_first[:-1]] = False
        return c.keep(mask)

    return step
