"""The steps of a sampling by name, in the order in which they run (see ``sampler``)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from random import Random
from typing import Generic, TypeVar

from engine.contract import SamplerStep, Sampling, SamplingOrder
from engine.generation import penalties, truncation
from engine.generation.penalties import History, Penalty
from engine.generation.truncation import Step

Applied = TypeVar("Applied")


@dataclass(frozen=True, slots=True)
class Named(Generic[Applied]):
    """A step with its name and the number that was chosen for it."""

    step: SamplerStep
    value: float
    apply: Applied


def penalty_steps(
    s: Sampling, size: int, breaker_ids: Collection[int], history: History
) -> list[Named[Penalty]]:
    """The steps that change scores.

    Args:
        s: the user's numbers.
        size: ids below this exist.
        breaker_ids: tokens that contain one of the DRY breakers.
        history: what they look back on.
    """
    steps: list[Named[Penalty]] = []
    if s.logit_bias:
        apply = penalties.logit_bias(s.logit_bias, size)
        steps.append(Named(SamplerStep.LOGIT_BIAS, 0.0, apply))
    if s.mirostat_tau > 0:
        return steps
    if s.repetition_penalty != 1:
        apply = penalties.repetition(s.repetition_penalty, history)
        steps.append(Named(SamplerStep.REPETITION_PENALTY, s.repetition_penalty, apply))
    if s.frequency_penalty != 0 or s.presence_penalty != 0:
        apply = penalties.frequency_and_presence(s.frequency_penalty, s.presence_penalty, history)
        value = s.frequency_penalty or s.presence_penalty
        steps.append(Named(SamplerStep.FREQUENCY_PENALTY, value, apply))
    if s.dry_multiplier > 0:
        breakers = frozenset(breaker_ids)
        apply = penalties.dry(s.dry_multiplier, s.dry_base, s.dry_allowed_length, breakers, history)
        steps.append(Named(SamplerStep.DRY, s.dry_multiplier, apply))
    return steps


def candidate_steps(s: Sampling, random: Random) -> list[Named[Step]]:
    """The truncations and the temperature; none where the likeliest token is taken.

    Args:
        s: the user's numbers.
        random: the request's generator; XTC draws from it.
    """
    if s.temperature <= 0:
        return []
    heat = []
    if s.temperature != 1:
        apply = truncation.temperature(s.temperature)
        heat.append(Named(SamplerStep.TEMPERATURE, s.temperature, apply))
    if s.mirostat_tau > 0:
        return heat
    cuts = _cuts(s)
    if s.xtc_probability > 0:
        xtc = truncation.xtc(s.xtc_probability, s.xtc_threshold, random)
        cuts.append(Named(SamplerStep.XTC, s.xtc_threshold, xtc))
    return [*heat, *cuts] if s.order is SamplingOrder.TEMPERATURE_FIRST else [*cuts, *heat]


def are_plain(steps: Iterable[Named[Step]]) -> bool:
    """Whether these are only the steps that kernels know, too."""
    plain = (SamplerStep.TOP_K, SamplerStep.TOP_P, SamplerStep.MIN_P, SamplerStep.TEMPERATURE)
    return all(each.step in plain for each in steps)


def _cuts(s: Sampling) -> list[Named[Step]]:
    cuts: list[Named[Step]] = []
    if s.top_n_sigma > 0:
        step = truncation.top_n_sigma(s.top_n_sigma)
        cuts.append(Named(SamplerStep.TOP_N_SIGMA, s.top_n_sigma, step))
    if s.top_k > 0:
        cuts.append(Named(SamplerStep.TOP_K, s.top_k, truncation.top_k(s.top_k)))
    if s.typical_p < 1:
        cuts.append(Named(SamplerStep.TYPICAL_P, s.typical_p, truncation.typical_p(s.typical_p)))
    if s.top_p < 1:
        cuts.append(Named(SamplerStep.TOP_P, s.top_p, truncation.top_p(s.top_p)))
    if s.min_p > 0:
        cuts.append(Named(SamplerStep.MIN_P, s.min_p, truncation.min_p(s.min_p)))
    return cuts
