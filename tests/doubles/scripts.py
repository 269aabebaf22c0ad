"""What a scripted engine is told to say: replies, loads and the facts of a model that is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.contract import (
    Channel,
    Fault,
    FinishReason,
    Memory,
    ModelFacts,
    Notice,
    Support,
)

CONTEXT = 2048
MEMORY = Memory(weights=98_000_000, cache=45_000_000, workspace=8_000_000, peak=250_000_000)


def model_facts(path: Path = Path("scripted.gguf")) -> ModelFacts:
    """Facts of a model that does not exist."""
    return ModelFacts(
        path=path,
        name=path.stem,
        format="gguf",
        architecture="llama",
        support=Support.FAST,
        size_bytes=98_362_432,
        parameters=134_515_008,
        active_parameters=134_515_008,
        bits_per_weight=5.85,
        quantization="Q4_1",
        context_length=CONTEXT,
        layers=30,
        vocabulary=49_152,
        cache_bytes_per_token=23_040,
        has_template=True,
        license="apache-2.0",
    )


@dataclass(frozen=True, slots=True)
class Reply:
    """What one ``Generate`` or ``Complete`` answers.

    Attributes:
        text: the answer; cut into words, each a delta. Pieces can be given instead.
        pieces: (channel, text) deltas, sent before ``text``.
        reason: how it ends.
        fault: raised after the text, as the engine raises it.
        bug: raised after the text, as a bug would be.
        prefill: prompt tokens in slices of 16 before the first text; the first ``reused`` are
            there already.
        reused: see ``prefill``.
        endless: after its text it says "… " until it is cancelled. On a thread of its own it needs
            ``tokens_per_second``: some 30,000 events a second come faster than a window takes
            them, and what waits in its queue is heard long after the end.
        lingers: after its text it says nothing, and ends when it is cancelled.
        notices: told in the finished event.
        left_out_turns: oldest turns that "did not fit".
        is_traced: whether the engine can tell its tokens' traces; a remote model may not.
    """

    text: str = ""
    pieces: Sequence[tuple[Channel, str]] = ()
    reason: FinishReason = FinishReason.END_OF_TURN
    fault: Fault | None = None
    bug: Exception | None = None
    prefill: int = 12
    reused: int = 0
    endless: bool = False
    lingers: bool = False
    notices: tuple[Notice, ...] = ()
    left_out_turns: int = 0
    is_traced: bool = True


@dataclass(frozen=True, slots=True)
class LoadScript:
    """How a ``Load`` goes: ``steps`` of reading, then ready, or a fault."""

    steps: int = 3
    fault: Fault | None = None
    can_think: bool = False
    notices: tuple[Notice, ...] = ()
