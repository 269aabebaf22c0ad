"""Why it did not fit: the weights, the context, or who holds the memory."""

from __future__ import annotations

from engine.contract import FaultKind, NoticeKind
from engine.library.advice.choices import longest_context, smaller_copy, smaller_here
from engine.library.advice.facts import Facts, Refused
from engine.library.advice.findings import Action, Finding, Level, Remedy, Symptom
from engine.library.advice.rule import found
from engine.library.fit import can_estimate
from engine.library.memory import memory_needed

LEAST_CONTEXT = 2048
"""The engine does not load a model with less than this, or its own, if that is less."""
FAULTS = frozenset({FaultKind.MEMORY_SHORT, FaultKind.OUT_OF_MEMORY})
"""What these rules explain."""
_NAMED = 0.02
"""Of the memory, what another program must hold to be worth its name."""


def _short(facts: Facts) -> Refused | None:
    """The model that did not fit, where its files say enough."""
    refused = facts.refused
    is_short = refused is not None and refused.fault.kind in FAULTS
    return refused if is_short and refused is not None and can_estimate(refused.model) else None


def _least(refused: Refused) -> int:
    """Tokens of the shortest context that the engine would load it with."""
    own = refused.model.context_length or LEAST_CONTEXT
    return min(refused.settings.context or LEAST_CONTEXT, own, LEAST_CONTEXT)


def _room(facts: Facts) -> int:
    return facts.room.memory + facts.room.gpus + facts.room.given_back


class LargeWeights:
    """The weights and what running takes beside them are more than what is free."""

    name, symptom = "large-weights", Symptom.UNFIT

    def find(self, facts: Facts) -> Finding | None:
        """Compare without any context."""
        refused, free = _short(facts), _room(facts)
        if refused is None:
            return None
        need = memory_needed(refused.model, 0, refused.settings.cache_bits)
        if need.total <= free:
            return None
        model = refused.model
        actions = (*smaller_here(facts, model), *smaller_copy(model), Action(Remedy.MODELS))
        return found(
            self,
            *actions,
            name=model.name,
            weights_bytes=need.weights,
            beside_bytes=need.workspace,
            free_bytes=free,
        )


class LongContext:
    """The weights fit, and the shortest context that is worth it does not, or not in 16 bits."""

    name, symptom = "long-context", Symptom.UNFIT

    def find(self, facts: Facts) -> Finding | None:
        """Compare with the context; look for what would fit."""
        refused, free = _short(facts), _room(facts)
        if refused is None or LargeWeights().find(facts) is not None:
            return None
        model, bits, context = refused.model, refused.settings.cache_bits, _least(refused)
        need = memory_needed(model, context, bits)
        if need.total <= free:
            return None
        actions = []
        if bits == 16 and memory_needed(model, context, 8).total <= free:
            actions.append(Action(Remedy.CACHE_BITS, 8))
        longest = longest_context(facts, model, bits)
        if longest:
            actions.append(Action(Remedy.CONTEXT, longest))
        return found(
            self,
            *actions,
            *smaller_here(facts, model),
            Action(Remedy.MODELS),
            name=model.name,
            context=context,
            cache_bytes=need.cache,
            needed_bytes=need.total,
            free_bytes=free,
        )


class OthersHold:
    """The computer's memory would do, and other programs hold what is missing.

    The system itself keeps a tenth: above that no closing of programs helps.
    """

    name, symptom = "others-hold", Symptom.UNFIT
    most = 0.9

    def find(self, facts: Facts) -> Finding | None:
        """Compare the need with all memory; name who holds most."""
        refused, around = _short(facts), facts.around
        if refused is None:
            return None
        need = memory_needed(refused.model, _least(refused), refused.settings.cache_bits).total
        if not around.memory or need > self.most * around.memory or need <= _room(facts):
            return None
        large = [each for each in around.largest if each.held >= _NAMED * around.memory][:3]
        held = sum(each.held for each in large)
        return found(
            self,
            Action(Remedy.LOAD_AGAIN),
            needed_bytes=need,
            free_bytes=around.free,
            memory_bytes=around.memory,
            held_bytes=held,
            programs=", ".join(each.name for each in large),
        )


class FitsNow:
    """What was missing when it was loaded is free by now."""

    name, symptom = "fits-now", Symptom.UNFIT

    def find(self, facts: Facts) -> Finding | None:
        """Compare with what is free now."""
        refused, free = _short(facts), _room(facts)
        if refused is None or refused.fault.kind is not FaultKind.MEMORY_SHORT:
            return None
        need = memory_needed(refused.model, _least(refused), refused.settings.cache_bits).total
        if need > free:
            return None
        again = Action(Remedy.LOAD_AGAIN)
        return found(self, again, needed_bytes=need, free_bytes=free)


class GpuFull:
    """The GPU's memory ran out while the model was loaded."""

    name, symptom = "gpu-full", Symptom.UNFIT

    def find(self, facts: Facts) -> Finding | None:
        """Look at the fault's own figures."""
        refused = facts.refused
        if refused is None or refused.fault.kind is not FaultKind.OUT_OF_MEMORY:
            return None
        figures = refused.fault.figures
        device = str(figures.get("device", ""))
        if device == "cpu":
            return None
        needed, free = int(figures.get("needed", 0)), int(figures.get("free", 0))
        action = Action(Remedy.MODEL_SETTINGS)
        return found(self, action, device=device, needed_bytes=needed, free_bytes=free)


class ContextReduced:
    """The context is shorter than was asked for, for want of memory.

    Where nobody asked, the engine takes half of what is free and leaves the rest to other programs:
    that is no fault.
    """

    name, symptom = "context-reduced", Symptom.UNFIT

    def find(self, facts: Facts) -> Finding | None:
        """Look at the engine's notice."""
        running = facts.running
        said = running.notices.get(NoticeKind.CONTEXT_REDUCED) if running is not None else None
        if running is None or said is None:
            return None
        wanted, model = int(said.get("wanted", 0)), running.model
        is_own = bool(model.context_length) and wanted > model.context_length
        actions = []
        if not is_own and running.settings.cache_bits == 16:
            actions.append(Action(Remedy.CACHE_BITS, 8))
        is_asked = running.settings.context is not None
        return found(
            self,
            *actions,
            *(() if is_own else smaller_here(facts, model)),
            Action(Remedy.MODEL_SETTINGS),
            level=Level.CAUSE if is_asked else Level.NATURE,
            kind="own" if is_own else "memory",
            wanted=wanted,
            context=running.context,
        )
