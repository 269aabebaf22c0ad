"""Whether a model fits this computer now: on the GPU, partly, by the processor, or not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from engine.contract import ModelFacts
from engine.library.memory import (
    MemoryNeed,
    cache_tokens,
    memory_needed,
    memory_taken,
    spare_of,
    spare_tokens,
)

_WORTH = 0.1  # of the weights: below, moving the hidden state costs more than a GPU gives
REACHED = 0.85  # of the memory's speed: what decoding reads (LOOK.md)


class Place(StrEnum):
    """Where a model would run."""

    GPU = "gpu"
    PARTLY = "partly"  # what the GPU does not hold is computed by the processor
    CPU = "cpu"
    NOWHERE = "nowhere"
    UNKNOWN = "unknown"  # the files do not say enough for an estimate


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes that could be taken now, other programs counted.

    Attributes:
        memory: of the computer.
        gpus: of all GPUs together.
        given_back: memory of the loaded model, which another one would replace.
    """

    memory: int
    gpus: int = 0
    given_back: int = 0


@dataclass(frozen=True, slots=True)
class Fit:
    """Where a model would run, what it would take of what, and the longest context there.

    Attributes:
        need: with the spare cache that a load takes where there is room for it.
        least: bytes without that.
        free: bytes of the place that was compared with; of both where it is ``PARTLY``.
        longest: tokens; 0 where not even the weights fit, or where no estimate can be made.
        context: tokens that were asked for.
        spare: tokens of the spare cache.
    """

    place: Place
    need: MemoryNeed
    free: int
    longest: int
    least: int
    context: int = 0
    spare: int = 0

    @property
    def is_tight(self) -> bool:
        """Whether the last tenth of the memory would be needed."""
        return self.place is not Place.NOWHERE and self.least > 0.9 * self.free


def can_estimate(facts: ModelFacts) -> bool:
    """Whether the files say enough: an unknown architecture may keep its sizes elsewhere."""
    return bool(facts.size_bytes and facts.layers and facts.cache_bytes_per_token)


def fit(facts: ModelFacts, context: int, room: Room, cache_bits: int = 16) -> Fit:
    """Compare what a model needs at a context with what is free."""
    least = memory_needed(facts, context, cache_bits)
    memory, gpus = room.memory + (0 if room.gpus else room.given_back), room.gpus
    gpus += room.given_back if room.gpus else 0
    if not can_estimate(facts):
        return Fit(Place.UNKNOWN, least, memory, 0, least.total, context)
    if gpus >= least.total:
        place, free = Place.GPU, gpus
    elif gpus > _WORTH * least.weights and gpus + memory >= least.total:
        place, free = Place.PARTLY, gpus + memory
    else:
        place, free = Place.CPU if memory >= least.total else Place.NOWHERE, memory
    spare = spare_of(facts, context, free, cache_bits)
    taken = memory_taken(facts, context, free, cache_bits)
    longest = _longest(facts, least, free, cache_bits)
    return Fit(place, taken, free, longest, least.total, context, spare)


def fit_of_shape(need: MemoryNeed, context: int, most: int, room: Room) -> Fit:
    """Compare with the computer's memory what a model will take whose files are not here yet.

    Args:
        need: with the cache for ``context`` tokens.
        context: tokens.
        most: tokens that the model can look back at.
        room: of which the memory counts, and what is given back.
    """
    free = room.memory + room.given_back
    place = Place.CPU if need.total <= free else Place.NOWHERE
    left = max(0, free - need.weights - need.workspace)
    affordable = left * context // need.cache if need.cache else most
    spare = spare_tokens(context, affordable)
    taken = replace(need, cache=need.cache + need.cache * spare // max(1, context))
    return Fit(place, taken, free, min(most, affordable), need.total, context, spare)


def expected_speed(facts: ModelFacts, bandwidth: float) -> float:
    """Tokens a second that the processor should write: 0.85 of what its memory delivers.

    Args:
        facts: of the model; experts that a token does not need are not read.
        bandwidth: bytes a second, measured; 0 where nothing was measured.
    """
    read = bytes_read(facts)
    return REACHED * bandwidth / read if read else 0.0


def bytes_read(facts: ModelFacts) -> float:
    """Bytes of weights that are read for each token: of experts only those that it needs."""
    share = facts.active_parameters / facts.parameters if facts.parameters else 1.0
    return (facts.weight_bytes or facts.size_bytes) * share


def _longest(facts: ModelFacts, need: MemoryNeed, free: int, cache_bits: int) -> int:
    room = free - need.weights - need.workspace
    if room <= 0:
        return 0
    return min(cache_tokens(facts, room, cache_bits), facts.context_length or 1 << 17)
