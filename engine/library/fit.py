"""Whether a model fits this computer now: on the GPU, partly, by the processor, or not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.contract import ModelFacts
from engine.library.memory import MemoryNeed, cache_tokens, memory_needed, memory_taken

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
    """

    place: Place
    need: MemoryNeed
    free: int
    longest: int
    least: int

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
        return Fit(Place.UNKNOWN, least, memory, 0, least.total)
    if gpus >= least.total:
        place, free = Place.GPU, gpus
    elif gpus > _WORTH * least.weights and gpus + memory >= least.total:
        place, free = Place.PARTLY, gpus + memory
    else:
        place, free = Place.CPU if memory >= least.total else Place.NOWHERE, memory
    taken = memory_taken(facts, context, free, cache_bits)
    return Fit(place, taken, free, _longest(facts, least, free, cache_bits), least.total)


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
