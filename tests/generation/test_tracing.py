"""A token's way through the sampler: the definitions say what each step leaves, and nothing drawn
changes because somebody looks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.contract import SamplerStep, Sampling, SamplingOrder
from engine.generation.sampler import Drawn, Sampler, Vocabulary
from engine.generation.tracing import Traced
from tests.generation import definitions
from tests.generation.test_sampler import OFF, random_logits

SIZE = 300


def draw(sampling: Sampling, seed: int = 5, count: int = 6) -> Drawn:
    sampler = Sampler(sampling, Vocabulary(SIZE), alternatives=count, traces=True)
    return sampler.draw(random_logits(seed, SIZE))


def trace_of(drawn: Drawn) -> Traced:
    assert drawn.trace is not None
    return drawn.trace


def test_the_first_step_is_the_softmax_of_the_models_scores() -> None:
    logits = random_logits(5, SIZE)
    p = definitions.softmax(logits.tolist())
    drawn = draw(OFF)
    trace = trace_of(drawn)
    step, _, left, probabilities = trace.steps[0]
    assert (step, left) == (SamplerStep.SCORES, SIZE)
    assert probabilities == pytest.approx([p[id] for id in trace.ids], abs=1e-6)
    assert trace.logits == pytest.approx([float(logits[id]) for id in trace.ids])
    place = trace.ids.index(drawn.id)
    assert drawn.logprob == pytest.approx(np.log(probabilities[place]), abs=1e-4)


def test_all_probabilities_of_a_step_add_up_to_one() -> None:
    sampling = replace(OFF, top_k=40, top_p=0.9, temperature=0.7, repetition_penalty=1.3)
    for _, _, left, probabilities in trace_of(draw(sampling, count=SIZE)).steps:
        assert sum(probabilities) == pytest.approx(1, abs=1e-6)
        assert sum(p > 0 for p in probabilities) == left


@pytest.mark.parametrize("order", list(SamplingOrder))
def test_each_step_leaves_what_its_definition_leaves(order: SamplingOrder) -> None:
    sampling = replace(OFF, top_k=20, top_p=0.8, min_p=0.2, temperature=0.5, order=order)
    logits = random_logits(5, SIZE).tolist()
    by_name = {
        SamplerStep.TOP_K: lambda row: definitions.top_k(row, 20),
        SamplerStep.TOP_P: lambda row: definitions.top_p(row, 0.8),
        SamplerStep.MIN_P: lambda row: definitions.min_p(row, 0.2),
        SamplerStep.TEMPERATURE: lambda row: [x / 0.5 for x in row],
    }
    trace = trace_of(draw(sampling))
    names = [step for step, *_ in trace.steps[1:]]
    heats_first = order is SamplingOrder.TEMPERATURE_FIRST
    assert names[0 if heats_first else -1] is SamplerStep.TEMPERATURE
    for step, _, left, probabilities in trace.steps[1:]:
        logits = by_name[step](logits)
        p = definitions.softmax(logits)
        assert left == sum(x > -definitions.INF for x in logits)
        assert probabilities == pytest.approx([p[id] for id in trace.ids], abs=1e-5)


def test_the_random_number_lies_where_the_token_lies_among_what_was_left() -> None:
    for seed in range(30):
        drawn = draw(replace(OFF, top_k=6, seed=seed))
        trace = trace_of(drawn)
        ends = np.cumsum(trace.steps[-1][3])
        place = trace.ids.index(drawn.id)
        assert trace.draw is not None
        assert ends[place] - trace.steps[-1][3][place] - 1e-6 < trace.draw <= ends[place] + 1e-6


def test_a_token_that_is_none_of_the_likeliest_is_the_last_candidate() -> None:
    biased = replace(OFF, logit_bias=((7, 90.0),))
    trace = trace_of(draw(biased))
    assert (len(trace.ids), trace.ids[-1]) == (7, 7)
    assert [step for step, *_ in trace.steps] == [SamplerStep.SCORES, SamplerStep.LOGIT_BIAS]
    assert trace.steps[-1][3][-1] == pytest.approx(1)


def test_the_likeliest_alone_is_left_where_nothing_is_drawn() -> None:
    drawn = draw(replace(OFF, temperature=0))
    trace = trace_of(drawn)
    step, _, left, probabilities = trace.steps[-1]
    assert (step, left, probabilities[0], trace.draw) == (SamplerStep.GREEDY, 1, 1.0, None)


@pytest.mark.parametrize(
    "sampling",
    [
        Sampling(seed=3),
        Sampling(seed=3, xtc_probability=0.5, repetition_penalty=1.2, dry_multiplier=0.8),
        Sampling(seed=3, mirostat_tau=3.0),
        Sampling(temperature=0, min_tokens=5),
    ],
)
def test_looking_changes_no_draw(sampling: Sampling) -> None:
    vocabulary = Vocabulary(SIZE, end_ids=(0,))
    seen = Sampler(sampling, vocabulary, alternatives=5, traces=True)
    unseen = Sampler(sampling, vocabulary)
    for seed in range(40):
        logits = random_logits(seed, SIZE)
        assert seen.draw(logits).id == unseen.draw(logits).id


@pytest.mark.parametrize(
    "sampling", [Sampling(seed=3), Sampling(seed=3, mirostat_tau=3.0), Sampling(temperature=0)]
)
def test_following_what_was_drawn_finds_the_same_steps(sampling: Sampling) -> None:
    first = Sampler(sampling, Vocabulary(SIZE), alternatives=5, traces=True)
    second = Sampler(sampling, Vocabulary(SIZE), alternatives=5, traces=True)
    for seed in range(40):
        logits = random_logits(seed, SIZE)
        drawn = first.draw(logits)
        again = second.follow(logits, drawn.id)
        assert replace(again, trace=None) == replace(drawn, trace=None)
        assert replace(trace_of(again), draw=trace_of(drawn).draw) == trace_of(drawn)


def test_nothing_is_traced_unless_asked() -> None:
    sampler = Sampler(OFF, Vocabulary(SIZE), alternatives=5)
    assert sampler.draw(random_logits(1, SIZE)).trace is None
