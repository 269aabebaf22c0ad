"""What could be loaded instead: another model that is here, or the same with another context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.contract import ModelFacts
from engine.library.advice.facts import Facts
from engine.library.advice.findings import Action, Remedy
from engine.library.fit import fit

USUAL_CONTEXT = 8192  # tokens: what a model has to fit with to be proposed
_ALIKE = 0.05  # two files of one model differ by less of its parameters: heads that are tied
_HALF_BITS = 9.0  # bits a weight: above, a copy of 4 or 8 bits is worth making
_STEP = 256  # tokens
_ANSWER = 1024  # tokens that an answer may take beside what is asked


def smaller_here(facts: Facts, than: ModelFacts) -> Iterator[Action]:
    """The best model here that fits and is at most four fifths of another's size.

    The same model with fewer bits comes first, for its answers are the nearest; else the largest.
    """
    fitting = [
        model
        for model in facts.here
        if _is_usable(model) and model.size_bytes < 0.8 * than.size_bytes and _fits(facts, model)
    ]
    best = max(fitting, key=lambda m: (is_same(m, than), m.size_bytes), default=None)
    if best is not None:
        yield Action(Remedy.LOAD, str(best.path), best.name)


def better_here(facts: Facts, than: ModelFacts, *, same: bool) -> Iterator[Action]:
    """A model here that fits and answers better: the same with more bits, or one of more weights.

    Args:
        facts: what is here, and the room.
        than: the model that answers poorly.
        same: whether it must be the same model.
    """
    fitting = [
        model
        for model in facts.here
        if _is_usable(model)
        and model.has_template
        and (
            is_same(model, than) and model.bits_per_weight > than.bits_per_weight + 0.5
            if same
            else model.parameters > 1.5 * than.parameters
        )
        and _fits(facts, model)
    ]
    yield from _best(fitting)


def usable_here(facts: Facts) -> Iterator[Action]:
    """The best model of this computer that fits, for want of a server."""
    fitting = [each for each in facts.here if _is_chat(each) and _fits(facts, each)]
    yield from _best(fitting)


def roomier_here(facts: Facts, than: ModelFacts, tokens: int) -> Iterator[Action]:
    """The best model here, not this one, that fits with a context of more than so many tokens."""
    wanted = -(-(tokens + _ANSWER) // _STEP) * _STEP
    fitting = [
        each
        for each in facts.here
        if _is_chat(each)
        and each.path != than.path
        and each.context_length >= wanted
        and facts.fits(each, wanted)
    ]
    yield from _best(fitting)


def smaller_copy(model: ModelFacts) -> Iterator[Action]:
    """A copy of fewer bits, where the weights have enough to lose."""
    if model.bits_per_weight > _HALF_BITS and model.support.runs_here:
        yield Action(Remedy.MAKE_SMALLER, str(model.path), model.name)


def longer_context(facts: Facts) -> Iterator[Action]:
    """Twice the context of the loaded model, where model and memory have it."""
    running = facts.running
    if running is None or not running.model.support.runs_here:
        return
    wanted = min(2 * running.context, running.model.context_length or 2 * running.context)
    bits = running.settings.cache_bits
    if wanted >= 1.25 * running.context and facts.fits(running.model, wanted, bits):
        yield Action(Remedy.CONTEXT, wanted)


def longest_context(facts: Facts, model: ModelFacts, cache_bits: int) -> int:
    """Tokens of the longest context that fits now, in whole steps; 0 where none does."""
    return fit(model, _STEP, facts.room, cache_bits).longest // _STEP * _STEP


def is_same(one: ModelFacts, other: ModelFacts) -> bool:
    """Whether two files hold the same model: architecture and weights are as many."""
    near = abs(one.parameters - other.parameters) <= _ALIKE * max(other.parameters, 1)
    return one.architecture == other.architecture and near and one.path != other.path


def _is_usable(model: ModelFacts) -> bool:
    return model.support.runs_here


def _is_chat(model: ModelFacts) -> bool:
    return _is_usable(model) and model.has_template and not model.server


def _fits(facts: Facts, model: ModelFacts) -> bool:
    return facts.fits(model, min(USUAL_CONTEXT, model.context_length or USUAL_CONTEXT))


def _best(fitting: Sequence[ModelFacts]) -> Iterator[Action]:
    best = max(fitting, key=lambda m: (m.parameters, m.bits_per_weight), default=None)
    if best is not None:
        yield Action(Remedy.LOAD, str(best.path), best.name)
