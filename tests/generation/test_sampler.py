"""Each sampling step against its definition, the chain's order, and the edges that broke others."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.contract import EngineError, FaultKind, Sampling, SamplingOrder
from engine.generation import penalties, truncation
from engine.generation.candidates import Candidates, best_indices, fewest_places, likely_prefix
from engine.generation.sampler import Sampler, Vocabulary
from tests.generation import definitions

OFF = Sampling(temperature=1.0, top_k=0, top_p=1.0)
SIZES = (5, 64, 700)


def random_logits(seed: int, size: int) -> NDArray[np.float32]:
    """Distinct logits: no definition says which of two equals stays at a border."""
    rng = np.random.default_rng(seed)
    return (rng.permutation(size) * (12 / size) + rng.normal(0, 0.001, size)).astype(np.float32)


def kept(candidates: Candidates) -> dict[int, float]:
    return {candidates.id_at(i): float(candidates.logits[i]) for i in range(len(candidates))}


def expected(logits: list[float]) -> dict[int, float]:
    return {i: x for i, x in enumerate(logits) if x > -math.inf}


def near(got: dict[int, float], wanted: dict[int, float]) -> bool:
    return got.keys() == wanted.keys() and all(abs(got[i] - wanted[i]) < 1e-4 for i in got)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("top_k", 1), ("top_k", 3), ("top_k", 40), ("top_k", 1000),
        ("top_p", 0.0), ("top_p", 0.3), ("top_p", 0.9), ("top_p", 0.99999),
        ("min_p", 0.02), ("min_p", 0.5), ("min_p", 1.0),
        ("typical_p", 0.2), ("typical_p", 0.95),
        ("top_n_sigma", 0.5), ("top_n_sigma", 2.0),
    ],
)  # fmt: skip
def test_a_truncation_keeps_what_its_definition_keeps(
    name: str, value: float, seed: int, size: int
) -> None:
    logits = random_logits(seed, size)
    wanted = expected(getattr(definitions, name)(logits.tolist(), value))
    step = getattr(truncation, name)(value)
    assert near(kept(step(Candidates(logits))), wanted)
    # The same on candidates that were sorted before, as after top-k.
    assert near(kept(step(Candidates(logits).best(size))), wanted)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("threshold", [0.01, 0.1, 0.3, 0.6])
def test_xtc_drops_all_but_the_least_likely_of_the_top_choices(size: int, threshold: float) -> None:
    logits = random_logits(3, size)
    wanted = expected(definitions.xtc(logits.tolist(), threshold))
    assert near(kept(truncation.xtc(1.0, threshold, Random(0))(Candidates(logits))), wanted)
    untouched = truncation.xtc(0.0, threshold, Random(0))(Candidates(logits))
    assert len(untouched) == size


def test_top_n_sigma_counts_finite_logits_only() -> None:
    logits = np.array([1, 2, 3, -np.inf, -np.inf], dtype=np.float32)
    wanted = expected(definitions.top_n_sigma(logits.tolist(), 1.0))
    assert near(kept(truncation.top_n_sigma(1.0)(Candidates(logits))), wanted)


def test_E27_the_repetition_penalty_pushes_negative_logits_down() -> None:
    scores = np.array([2, -2], dtype=np.float32)
    history = penalties.History([0, 1, 1], window=64)
    penalties.repetition(2.0, history)(scores)
    assert scores.tolist() == [1, -4]


@given(
    prompt=st.lists(st.integers(0, 6), max_size=12),
    generated=st.lists(st.integers(0, 6), max_size=30),
    window=st.sampled_from([-1, 0, 1, 4, 64]),
)
@settings(max_examples=150, deadline=None)
def test_penalties_follow_their_definitions(
    prompt: list[int], generated: list[int], window: int
) -> None:
    logits = random_logits(1, 8)
    history = penalties.History(prompt, window)
    for token in generated:
        history.add(token)
    ids = [*prompt, *generated]
    recent = ids if window < 0 else ids[max(len(ids) - window, 0) :]
    for apply, wanted in (
        (
            penalties.repetition(1.3, history),
            definitions.repetition(logits.tolist(), 1.3, recent),
        ),
        (
            penalties.frequency_and_presence(0.5, 0.25, history),
            definitions.frequency_and_presence(logits.tolist(), 0.5, 0.25, generated),
        ),
        (
            penalties.dry(0.8, 1.75, 2, {6}, history),
            definitions.dry(logits.tolist(), 0.8, 1.75, 2, {6}, ids),
        ),
    ):
        scores = logits.copy()
        apply(scores)
        assert np.allclose(scores, wanted, rtol=1e-4, atol=1e-4)


def test_dry_grows_with_the_length_of_the_repetition_and_breakers_reset_it() -> None:
    def penalty(ids: list[int], breakers: set[int]) -> float:
        scores = np.zeros(10, dtype=np.float32)
        penalties.dry(1.0, 2.0, 2, breakers, penalties.History(ids, -1))(scores)
        return float(scores[4])

    assert penalty([1, 2, 3, 4, 9, 3], set()) == 0
    assert penalty([1, 2, 3, 4, 9, 2, 3], set()) == -1
    assert penalty([1, 2, 3, 4, 9, 1, 2, 3], set()) == -2
    assert penalty([1, 2, 3, 4, 9, 1, 2, 3], {2}) == 0


@given(st.lists(st.floats(-30, 30, width=32), min_size=1, max_size=900), st.integers(1, 950))
@settings(max_examples=100, deadline=None)
def test_the_best_are_found_without_sorting_and_equals_keep_their_order(
    values: list[float], count: int
) -> None:
    array = np.array(values, dtype=np.float32)
    order = sorted(range(len(values)), key=lambda i: (-array[i], i))
    assert best_indices(array, count).tolist() == order[:count]


def test_the_prefix_of_a_large_flat_vocabulary_is_exact() -> None:
    """No logit stands out, so the prefix must grow past its first guesses."""
    logits = np.zeros(50_000, dtype=np.float32)
    assert len(likely_prefix(Candidates(logits), 0.5)) == 25_000


@pytest.mark.parametrize("exceeds", [False, True])
@pytest.mark.parametrize("enough", [0.0, 3.0, 1e9])
def test_the_fewest_places_are_those_of_a_full_sort(enough: float, exceeds: bool) -> None:
    rng = np.random.default_rng(0)
    keys = (rng.permutation(3000) * -0.01).astype(np.float32)
    weights = rng.integers(0, 2, 3000).astype(np.float32)
    weights[keys < -28] = 0
    places = fewest_places(keys, weights, enough, exceeds=exceeds)
    order = np.argsort(-keys)
    sums = np.cumsum(weights[order])
    reached = np.flatnonzero(sums > enough if exceeds else sums >= enough)
    count = reached[0] + 1 if len(reached) else np.flatnonzero(weights[order])[-1] + 1
    assert set(places) >= set(order[:count])
    assert places[-1] == order[count - 1] or enough == 1e9


def draws(sampling: Sampling, logits: NDArray[np.float32], count: int) -> Counter[int]:
    sampler = Sampler(replace(sampling, seed=7), Vocabulary(len(logits)))
    return Counter(sampler.draw(logits).id for _ in range(count))


def test_draws_have_the_distribution_that_the_chain_leaves() -> None:
    """Chi-square over 20,000 draws: 4 tokens are left, and a value over 24 has p < 1e-4.5."""
    logits = np.log(np.array([0.4, 0.3, 0.2, 0.06, 0.04], dtype=np.float32))
    counts = draws(replace(OFF, temperature=0.7, top_k=4), logits, 20_000)
    weights = np.exp(logits[:4] / 0.7)
    wanted = weights / weights.sum() * 20_000
    observed = np.array([counts[i] for i in range(4)])
    assert counts[4] == 0
    assert ((observed - wanted) ** 2 / wanted).sum() < 24


def test_without_any_cut_the_whole_vocabulary_can_be_drawn() -> None:
    logits = np.zeros(300, dtype=np.float32)
    counts = draws(OFF, logits, 12_000)
    assert len(counts) == 300  # each is missed with probability e**-40


def test_temperature_first_heats_before_the_cuts_and_last_after_them() -> None:
    logits = np.log(np.array([0.7, 0.15, 0.1, 0.05], dtype=np.float32))
    hot = replace(OFF, temperature=4.0, top_p=0.7)
    last = draws(replace(hot, order=SamplingOrder.TEMPERATURE_LAST), logits, 500)
    first = draws(replace(hot, order=SamplingOrder.TEMPERATURE_FIRST), logits, 500)
    assert set(last) == {0}  # cold, the first token alone holds 0.7
    assert set(first) == {0, 1, 2}  # hot, it takes three of them


@pytest.mark.parametrize("temperature", [0.0, -1.0])
def test_no_temperature_takes_the_best_and_the_lowest_id_of_equals(temperature: float) -> None:
    logits = np.array([0, 5, 1, 5], dtype=np.float32)
    greedy = replace(OFF, temperature=temperature, xtc_probability=1.0, top_k=3)
    assert set(draws(greedy, logits, 20)) == {1}


def test_the_same_seed_repeats_and_another_one_does_not() -> None:
    logits = random_logits(0, 500)
    chat = Sampling(seed=3)

    def reply(sampling: Sampling) -> list[int]:
        sampler = Sampler(sampling, Vocabulary(500))
        return [sampler.draw(logits).id for _ in range(40)]

    assert reply(chat) == reply(chat)
    assert reply(chat) != reply(replace(chat, seed=4))
    assert reply(replace(chat, seed=None)) != reply(replace(chat, seed=None))


def test_ids_past_the_tokenizer_are_never_drawn_whatever_a_bias_says() -> None:
    logits = np.array([0, 0, 50, 50], dtype=np.float32)
    biased = replace(OFF, logit_bias=((3, 100.0), (2, 1.0)))
    sampler = Sampler(biased, Vocabulary(2), alternatives=4)
    for _ in range(20):
        drawn = sampler.draw(logits)
        assert drawn.id < 2
        assert {id for id, _ in drawn.alternatives} == {0, 1}


def test_a_bias_is_added_first_and_minus_infinity_is_never() -> None:
    logits = np.array([5, 4, 0], dtype=np.float32)
    never = replace(OFF, logit_bias=((0, -math.inf), (2, 4.5)), temperature=0)
    assert set(draws(never, logits, 3)) == {2}


def test_the_end_waits_for_the_least_tokens() -> None:
    logits = np.array([0, 9], dtype=np.float32)
    sampler = Sampler(replace(OFF, temperature=0, min_tokens=3), Vocabulary(2, end_ids=(1,)))
    assert [sampler.draw(logits).id for _ in range(5)] == [0, 0, 0, 1, 1]


def test_figures_are_the_models_own_log_probabilities() -> None:
    logits = random_logits(5, 300)
    sampler = Sampler(replace(OFF, logit_bias=((7, 90.0),)), Vocabulary(300), alternatives=5)
    drawn = sampler.draw(logits)
    p = definitions.softmax(logits.tolist())
    assert drawn.id == 7
    assert drawn.logprob == pytest.approx(math.log(p[7]), abs=1e-4)
    assert [id for id, _ in drawn.alternatives] == definitions.by_rank(logits.tolist())[:5]
    for id, value in drawn.alternatives:
        assert value == pytest.approx(math.log(p[id]), abs=1e-4)


def test_mirostat_keeps_the_surprise_near_its_target() -> None:
    """Mean surprise over 3,000 draws from a Zipf vocabulary; without mirostat it is 7.2 bits."""
    logits = -np.log(np.arange(1, 2001, dtype=np.float32))
    p = definitions.softmax(logits.tolist())
    for tau in (2.0, 4.0):
        sampler = Sampler(replace(OFF, mirostat_tau=tau, seed=1), Vocabulary(2000))
        ids = [sampler.draw(logits).id for _ in range(3000)]
        kept_mass = sum(sorted(p, reverse=True)[: max(ids[1000:]) + 1])
        surprise = np.mean([-math.log2(p[id] / kept_mass) for id in ids[1000:]])
        assert abs(surprise - tau) < 0.4


def test_mirostat_drops_what_surprises_more_than_mu() -> None:
    logits = np.log(np.array([0.5, 0.25, 0.2, 0.05], dtype=np.float32))
    # mu0 = 2 tau = 2 bits: tokens with p >= 1/4 stay at the first draw
    first = {
        Sampler(replace(OFF, mirostat_tau=1.0, seed=seed), Vocabulary(4)).draw(logits).id
        for seed in range(60)
    }
    assert first == {0, 1}


def test_logits_that_are_no_numbers_are_a_named_fault_not_a_token() -> None:
    """Case E14: an overflow must never become "!!!!"."""
    for bad in (np.nan, np.inf):
        logits = np.array([0, bad, 1], dtype=np.float32)
        with pytest.raises(EngineError) as raised:
            Sampler(OFF, Vocabulary(3)).draw(logits)
        assert raised.value.fault.kind is FaultKind.INTERNAL


@pytest.mark.parametrize("field", ["temperature", "top_p", "min_p", "mirostat_tau", "dry_base"])
def test_not_a_number_is_refused_for_every_setting(field: str) -> None:
    with pytest.raises(EngineError) as raised:
        Sampler(replace(OFF, **{field: math.nan}), Vocabulary(3))
    assert raised.value.fault.figures["name"] == field
