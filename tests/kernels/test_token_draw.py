"""The compiled draw is the sampler's own: the same tokens for the same random numbers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.ahead import draw_rule
from engine.contract import EngineError, FaultKind, Sampling, SamplingOrder
from engine.generation.sampler import Sampler, Vocabulary
from engine.kernels.cpu.token_draw import TokenDraw, draws_by

PLAIN = Sampling(temperature=1.0, top_k=0, top_p=1.0, seed=3)
CHAINS = (
    PLAIN,
    replace(PLAIN, temperature=3.0),
    replace(PLAIN, temperature=0.8, top_k=40, top_p=0.95),
    replace(PLAIN, top_k=1),
    replace(PLAIN, top_k=256, temperature=0.1),
    replace(PLAIN, top_p=0.0),
    replace(PLAIN, top_p=0.9, temperature=2.0),
    replace(PLAIN, top_p=0.999, min_p=0.01),
    replace(PLAIN, min_p=0.05, temperature=1.5),
    replace(PLAIN, min_p=1.0),
    replace(PLAIN, top_k=64, top_p=0.95, min_p=0.02, temperature=0.6),
)


def samplers(sampling: Sampling, size: int) -> tuple[Sampler, Sampler]:
    """One that goes through the steps, one that draws by compiled code."""
    rule = draw_rule(sampling, size)
    assert draws_by(rule)
    known = Vocabulary(size)
    return Sampler(sampling, known), Sampler(sampling, known, drawing=TokenDraw(rule))


def logits_of(size: int, seed: int, step: float) -> NDArray[np.float32]:
    """Random logits, rounded to ``step`` so that many are equal; three more than exist."""
    spread = np.random.default_rng(seed).normal(0, 3, size + 3)
    return (np.round(spread / step) * step).astype(np.float32)


@pytest.mark.parametrize("order", SamplingOrder)
@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("size", [1, 7, 64, 129, 1000, 5003])
def test_both_ways_draw_the_same(chain: Sampling, order: SamplingOrder, size: int) -> None:
    slow, quick = samplers(replace(chain, order=order), size)
    for seed in range(12):
        logits = logits_of(size, seed, (1e-6, 0.01, 0.5)[seed % 3])
        assert quick.draw(logits).id == slow.draw(logits).id


@pytest.mark.parametrize("chain", CHAINS)
def test_what_is_forbidden_is_never_drawn(chain: Sampling) -> None:
    slow, quick = samplers(chain, 3000)
    for seed in range(20):
        logits = logits_of(3000, seed, 0.1)
        logits[np.random.default_rng(seed).permutation(3000)[: 2990 + seed % 10]] = -math.inf
        drawn = quick.draw(logits).id
        assert drawn == slow.draw(logits).id
        assert logits[drawn] > -math.inf


def test_the_largest_random_number_draws_the_last_that_has_a_chance() -> None:
    logits = np.zeros(500, np.float32)
    logits[400:] = -math.inf
    draw = TokenDraw(draw_rule(PLAIN, 500))
    assert draw(logits, 1.0) == 399
    assert draw(logits, 1e-12) == 0


@pytest.mark.parametrize("wrong", [math.nan, -math.nan, math.inf])
@pytest.mark.parametrize("place", [0, 63, 699])
def test_what_is_no_number_is_named(wrong: float, place: int) -> None:
    _, quick = samplers(PLAIN, 700)
    logits = logits_of(700, 0, 0.1)
    logits[place] = wrong
    with pytest.raises(EngineError) as raised:
        quick.draw(logits)
    assert raised.value.fault.kind is FaultKind.INTERNAL


def test_no_token_left_is_named() -> None:
    _, quick = samplers(PLAIN, 70)
    with pytest.raises(EngineError):
        quick.draw(np.full(70, -math.inf, np.float32))


def test_draws_follow_the_probabilities_of_a_large_vocabulary() -> None:
    """Where a number lies among the sums of sorted probabilities decides the token."""
    logits = logits_of(50_000, 1, 1e-6)[:50_000]
    order = np.argsort(-logits, kind="stable")
    weights = np.exp(logits[order].astype(np.float64) / 1.5)
    sums = np.cumsum(weights) / weights.sum()
    draw = TokenDraw(draw_rule(replace(PLAIN, temperature=1.5), 50_000))
    for uniform in np.random.default_rng(2).uniform(0.0001, 0.9999, 200):
        place = int(np.flatnonzero(order == draw(logits, float(uniform)))[0])
        before = sums[place - 1] if place else 0.0
        assert before - 1e-6 < uniform <= sums[place] + 1e-6


def test_the_likeliest_and_very_many_are_left_to_the_sampler() -> None:
    assert not draws_by(draw_rule(replace(PLAIN, temperature=0.0), 10))
    assert not draws_by(draw_rule(replace(PLAIN, top_k=257), 1000))
