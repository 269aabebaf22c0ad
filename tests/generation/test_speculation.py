"""Guesses change the speed and nothing else (case E30), and stop where they do not pay."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.contract import Sampling
from engine.generation.decode import draw_tokens
from engine.generation.pages import Group
from engine.generation.sampler import Sampler, Vocabulary
from engine.generation.scheduler import Scheduler, Sequence, Share
from engine.generation.speculation import PromptLookup, Speculation
from tests.doubles.models import MockCache, MockModel
from tests.generation.steps import run_step

VOCABULARY = 6


def rule(ids: NDArray[np.int64] | list[int]) -> NDArray[np.float32]:
    """Opinions that depend on the last two ids: texts over six tokens soon repeat themselves."""
    seed = int(ids[-1]) * 7 + (int(ids[-2]) if len(ids) > 1 else 0)
    return np.random.default_rng(seed).normal(0, 2, VOCABULARY).astype(np.float32)


def generate(sampling: Sampling, tokens: int, guess: bool) -> tuple[list[int], int, int]:
    """Generate through scheduler, cache and draws; (ids, steps, guesses that were right)."""
    scheduler, cache = Scheduler([Group(40)], 4), MockCache(40, 4)
    model = MockModel(rule=rule)
    sequence = Sequence([0, 1, 2], 3)
    scheduler.add(sequence)
    sampler = Sampler(sampling, Vocabulary(VOCABULARY))
    lookup, steps, right = PromptLookup(), 0, 0
    while len(sequence.ids) < tokens:
        if guess and len(sequence.ids) > 3:
            sequence.drafts = lookup.propose(sequence.ids, 4)
        share, logits = run_step(scheduler, model, cache)
        before = len(sequence.ids)
        kept = draw_tokens(share, logits, sampler, lambda _: len(sequence.ids) < tokens)
        scheduler.computed(share, kept)
        right += len(sequence.ids) - before - 1
        steps += 1
    return sequence.ids, steps, right


@pytest.mark.parametrize(
    "sampling",
    [
        Sampling(temperature=0),
        Sampling(temperature=0, repetition_penalty=1.2),
        Sampling(temperature=0.7, top_k=0, top_p=1.0, min_p=0.1, seed=5),
        Sampling(seed=9, top_k=3),
    ],
)
def test_E30_the_same_tokens_come_with_and_without_guesses(sampling: Sampling) -> None:
    """The mock model reads its cache: a draft that stays behind there would change what follows."""
    with_guesses, steps, right = generate(sampling, 120, guess=True)
    without, plain_steps, _ = generate(sampling, 120, guess=False)
    assert with_guesses == without
    assert right > 0
    assert steps == plain_steps - right


def test_draws_over_guesses_have_the_distribution_of_draws_without() -> None:
    """Chi-square over 20,000 draws: 5 outcomes, and a value over 40 has p < 1e-7."""
    logits = np.log(np.array([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]], dtype=np.float32))
    pairs: Counter[tuple[int, ...]] = Counter()
    sampler = Sampler(Sampling(temperature=1, top_k=0, top_p=1, seed=1), Vocabulary(3))
    singles = 0
    for _ in range(20_000):
        share = Share(Sequence([0], 1), [0, 1], 0, 2)  # the draft is 1
        draw_tokens(share, logits, sampler, lambda _: True)
        drawn = tuple(share.sequence.ids[1:])
        pairs[drawn] += 1
        singles += len(drawn) == 1
    outcomes = {(0,): 0.5, (2,): 0.2, (1, 0): 0.06, (1, 1): 0.06, (1, 2): 0.18}
    assert set(pairs) == set(outcomes)
    value = sum((pairs[o] - p * 20_000) ** 2 / (p * 20_000) for o, p in outcomes.items())
    assert value < 40


def test_what_followed_the_last_time_is_guessed() -> None:
    lookup = PromptLookup()
    assert lookup.propose([1, 2, 3, 4, 5, 1, 2, 3], 3) == [4, 5, 1]
    assert lookup.propose([1, 2, 3, 4, 5, 1, 2, 3, 9], 3) == []
    assert lookup.propose([1, 2, 3, 4, 5, 1, 2, 3, 9, 1, 2, 3], 2) == [9, 1]
    assert lookup.propose([1, 2, 3, 9, 1, 2, 3, 9, 1, 2], 0) == []
    assert PromptLookup().propose([1, 2], 4) == []
    assert PromptLookup().propose([7, 8, 9, 7, 8, 9], 7) == [7, 8, 9, 7, 8, 9, 7]  # a loop goes on


def speculate(plain_s: float, guessed_s: float, gained: int, steps: int) -> tuple[int, int]:
    """A text that repeats itself; (steps with guesses, guesses in the last of them)."""
    speculation, ids = Speculation(), [1, 2, 3] * 10
    with_guesses, last = 0, 0
    for _ in range(steps):
        guesses = speculation.propose(ids, 8)
        if guesses:
            with_guesses, last = with_guesses + 1, len(guesses)
            speculation.observe(guessed_s, len(guesses), min(gained, len(guesses) + 1))
        else:
            speculation.observe(plain_s, 0, 1)
        ids.append(ids[-3])
    return with_guesses, last


def test_guessing_goes_on_while_it_pays_and_grows() -> None:
    assert speculate(1.0, 1.5, 99, 100) == (96, 8)


def test_guessing_stops_where_it_does_not_pay_and_is_tried_again_ever_more_rarely() -> None:
    with_guesses, last = speculate(1.0, 2.0, 1, 1000)
    assert last == 2
    assert 12 <= with_guesses <= 24
    # Right guesses do not help a machine on which a step of five costs five steps.
    assert speculate(1.0, 12.0, 99, 200)[0] < 20


def test_no_guess_goes_past_the_room_that_is_left() -> None:
    speculation = Speculation()
    for _ in range(4):
        speculation.observe(1.0, 0, 1)
    assert speculation.propose([1, 2, 3, 1, 2, 3], 2) == [1, 2]
    assert speculation.propose([1, 2, 3, 1, 2, 3], 0) == []
