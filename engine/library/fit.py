"""Whether a model fits this computer now: on the GPU, partly, by the processor, or not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.contract import ModelFacts
from engine.library.memory import MemoryNeed, cache_tokens, memory_needed

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
        free: bytes of the place that was compared with; of both where it is ``PARTLY``.
        longest: tokens; 0 where not even the weights fit, or where no estimate can be made.
    """

    place: Place
    need: MemoryNeed
    free: int
    longest: int

    @property
    def is_tight(self) -> bool:
        """Whether the last tenth of the memory would be needed."""
        return self.place is not Place.NOWHERE and self.need.total > 0.9 * self.free


def can_estimate(facts: ModelFacts) -> bool:
    """Whether the files say enough: an unknown architecture may keep its sizes elsewhere."""
    return bool(facts.size_bytes and facts.layers and facts.cache_bytes_per_token)


def fit(facts: ModelFacts, context: int, room: Room, cache_bits: int = 16) -> Fit:
    """Compare what a model needs at a context with what is free."""
    need = memory_needed(facts, context, cache_bits)
    memory, gpus = room.memory + (0 if room.gpus else room.given_back), room.gpus
    gpus += room.given_back if room.gpus else 0
    if not can_estimate(facts):
        return Fit(Place.UNKNOWN, need, memory, 0)
    if gpus >= need.total:
        return Fit(Place.GPU, need, gpus, _longest(facts, need, gpus, cache_bits))
    if gpus > _WORTH * need.weights and gpus + memory >= need.total:
        free = gpus + memory
        return Fit(Place.PARTLY, need, free, _longest(facts, need, free, cache_bits))
    place = Place.CPU if memory >= need.total else Place.NOWHERE
    return Fit(place, need, memory, _longest(facts, need, memory, cache_bits))


def expected_speed(facts: ModelFacts, bandwidth: float) -> float:
    """Tokens a second that the processor should write: 0.85 of what its memory delivers.

    Args:
        facts: of the model; experts that a token does not need are not read.
        bandwidth: bytes a second, measured; 0 where nothing was measured.
    """
    share = facts.active_parameters / facts.parameters if facts.parameters else 1.0
    read = (facts.weight_bytes or facts.size_bytes) * share
    return REACHED * bandwidth / read if read else 0.0


def _longest(facts: ModelFacts, need: MemoryNeed, free: int, cache_bits: int) -> int:
    room = free - need.weights - need.workspace
    if room <= 0:
        return 0
    return min(cache_tokens(facts, room, cache_bits), facts.context_length or 1 << 17)
