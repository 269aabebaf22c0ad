"""The sampling steps against transformers' own processors and warpers, alone and in both orders."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from numpy.typing import NDArray

from engine.contract import Sampling, SamplingOrder
from engine.generation.candidates import Candidates
from engine.generation.sampler import Sampler, Vocabulary
from engine.generation.tracing import Tracer
from tests.generation.test_sampler import OFF, near, random_logits

SIZE = 300
PROMPT = [3, 3, 250, 17, 0]
END = 299


class Recording(Sampler):
    """Keeps what the chain left for the draw: id -> logit."""

    left: dict[int, float]

    def _choose_by_chance(self, candidates: Candidates, tracer: Tracer | None) -> int:
        places = range(len(candidates))
        found = {candidates.id_at(i): float(candidates.logits[i]) for i in places}
        self.left = {id: logit for id, logit in found.items() if logit > -math.inf}
        return super()._choose_by_chance(candidates, tracer)


def ours(sampling: Sampling, logits: NDArray[np.float32]) -> dict[int, float]:
    sampler = Recording(replace(sampling, seed=1), Vocabulary(len(logits), (END,)), prompt=PROMPT)
    sampler.draw(logits)
    return sampler.left


def theirs(steps: Sequence[Any], logits: NDArray[np.float32]) -> dict[int, float]:
    scores = torch.from_numpy(logits.copy()).unsqueeze(0)
    for step in steps:
        scores = step(torch.tensor([PROMPT]), scores)
    return {i: x for i, x in enumerate(scores[0].tolist()) if x > -math.inf}


def processor(name: str, *values: Any) -> Any:
    found = getattr(transformers, name)(*values)
    assert callable(found)
    return found


STEPS: list[tuple[dict[str, Any], Any]] = [
    ({"temperature": 0.3}, processor("TemperatureLogitsWarper", 0.3)),
    ({"temperature": 2.5}, processor("TemperatureLogitsWarper", 2.5)),
    ({"top_k": 1}, processor("TopKLogitsWarper", 1)),
    ({"top_k": 40}, processor("TopKLogitsWarper", 40)),
    ({"top_k": 5000}, processor("TopKLogitsWarper", 5000)),
    ({"top_p": 0.2}, processor("TopPLogitsWarper", 0.2)),
    ({"top_p": 0.95}, processor("TopPLogitsWarper", 0.95)),
    ({"min_p": 0.05}, processor("MinPLogitsWarper", 0.05)),
    ({"min_p": 0.7}, processor("MinPLogitsWarper", 0.7)),
    ({"typical_p": 0.2}, processor("TypicalLogitsWarper", 0.2)),
    ({"typical_p": 0.9}, processor("TypicalLogitsWarper", 0.9)),
    (
        {"repetition_penalty": 1.3, "penalty_window": -1},
        processor("RepetitionPenaltyLogitsProcessor", 1.3),
    ),
    (
        {"repetition_penalty": 0.7, "penalty_window": -1},
        processor("RepetitionPenaltyLogitsProcessor", 0.7),
    ),
    (
        {"logit_bias": ((7, 4.0), (9, -2.5), (0, -math.inf))},
        processor("SequenceBiasLogitsProcessor", {(7,): 4.0, (9,): -2.5, (0,): -math.inf}),
    ),
    (
        {"min_tokens": 2},
        processor("MinNewTokensLengthLogitsProcessor", len(PROMPT), 2, torch.tensor([END])),
    ),
]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("settings", "step"), STEPS, ids=[str(s) for s, _ in STEPS])
def test_a_step_leaves_what_transformers_step_leaves(
    settings: dict[str, Any], step: Any, seed: int
) -> None:
    logits = random_logits(seed, SIZE) - 6  # of both signs, as the repetition penalty needs
    got, want = ours(replace(OFF, **settings), logits), theirs([step], logits)
    assert near(got, want)
    assert want != {i: float(x) for i, x in enumerate(logits)} or settings == {"top_k": 5000}


def test_E27_transformers_penalises_negative_logits_alike() -> None:
    logits = np.full(SIZE, -9, np.float32)
    logits[[3, 250]] = [2, -2]
    settings = replace(OFF, repetition_penalty=2.0, penalty_window=-1)
    got = ours(settings, logits)
    assert near(got, theirs([processor("RepetitionPenaltyLogitsProcessor", 2.0)], logits))
    assert (got[3], got[250]) == (1, -4)


CHAIN = replace(
    OFF,
    temperature=1.7,
    top_k=60,
    typical_p=0.97,
    top_p=0.9,
    min_p=0.03,
    repetition_penalty=1.2,
    penalty_window=-1,
    logit_bias=((11, 1.5),),
    min_tokens=1,
)
BEFORE = [
    processor("SequenceBiasLogitsProcessor", {(11,): 1.5}),
    processor("MinNewTokensLengthLogitsProcessor", len(PROMPT), 1, torch.tensor([END])),
    processor("RepetitionPenaltyLogitsProcessor", 1.2),
]
CUTS = [
    processor("TopKLogitsWarper", 60),
    processor("TypicalLogitsWarper", 0.97),
    processor("TopPLogitsWarper", 0.9),
    processor("MinPLogitsWarper", 0.03),
]
HEAT = processor("TemperatureLogitsWarper", 1.7)
ORDERS = {
    SamplingOrder.TEMPERATURE_LAST: [*BEFORE, *CUTS, HEAT],
    SamplingOrder.TEMPERATURE_FIRST: [*BEFORE, HEAT, *CUTS],
}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("order", SamplingOrder)
def test_a_chain_in_either_order_leaves_what_theirs_leaves(order: SamplingOrder, seed: int) -> None:
    logits = random_logits(seed, SIZE) - 6
    got = ours(replace(CHAIN, order=order), logits)
    assert near(got, theirs(ORDERS[order], logits))
    other = next(steps for which, steps in ORDERS.items() if which is not order)
    assert got.keys() != theirs(other, logits).keys(), "the orders must tell apart"


def test_temperature_first_is_the_order_in_which_generate_samples() -> None:
    """The list that ``generate`` builds from a generation_config.json, on the same logits."""
    from tests.families.test_dense import oracle_of

    settings = {"temperature": 1.7, "top_k": 60, "top_p": 0.9, "min_p": 0.03}
    config = transformers.GenerationConfig(do_sample=True, repetition_penalty=1.2, **settings)
    steps = oracle_of("Llama", {})._get_logits_processor(config, len(PROMPT), device="cpu")
    sampling = replace(
        OFF,
        **settings,
        repetition_penalty=1.2,
        penalty_window=-1,
        order=SamplingOrder.TEMPERATURE_FIRST,
    )
    for seed in range(6):
        logits = random_logits(seed, SIZE) - 6
        assert near(ours(sampling, logits), theirs(steps, logits))
