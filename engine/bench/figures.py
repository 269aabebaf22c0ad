"""What a measurement gives; plain values that become JSON."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spread:
    """Figures of several rounds.

    Attributes:
        rounds: in the order they were run.
    """

    median: float
    least: float
    most: float
    rounds: tuple[float, ...]


def spread(rounds: Sequence[float]) -> Spread:
    """The spread of at least one figure."""
    return Spread(statistics.median(rounds), min(rounds), max(rounds), tuple(rounds))


@dataclass(frozen=True, slots=True)
class Side:
    """One engine's figures; times in seconds, rates in tokens a second.

    Attributes:
        name: the engine, with how it ran.
        load_s: from a closed file to the first request.
        time_to_first_token_cold_s: of a first question, nothing of it in the cache.
        time_to_first_token_second_turn_s: of a question after a reply.
        peak_bytes: the most memory that its process held; 0 if unknown.
    """

    name: str
    load_s: float
    prefill: Spread
    decode: Spread
    time_to_first_token_cold_s: float
    time_to_first_token_second_turn_s: float
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class Ratios:
    """Our rate over that of the peer's better variant, round by round."""

    prefill: Spread
    decode: Spread


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured; times in seconds, rates in tokens or bytes a second.

    Attributes:
        processor: which vector instructions compute, on a CPU.
        busy: other processes that computed meanwhile.
        second_turn_reused_tokens: of the second turn's prompt.
        second_turn_prompt_tokens: of which those were reused.
        decode_bytes_per_token: weights and cache that one token reads.
        decode_share_of_bandwidth: decode's rate over what the memory would allow.
    """

    model: str
    device: str
    processor: str
    threads: int
    busy: int
    prefill_tokens: int
    decode_tokens: int
    ours: Side
    peers: tuple[Side, ...]
    ratios: Ratios | None
    second_turn_prompt_tokens: int
    second_turn_reused_tokens: int
    file_bytes: int
    weight_bytes: int
    cache_bytes: int
    read_bytes_per_second: float
    decode_bytes_per_token: int
    decode_share_of_bandwidth: float


def ratios(ours: Side, peers: Sequence[Side]) -> Ratios | None:
    """Ours over the better of the peers; None without any."""
    if not peers:
        return None
    reads = max((peer.prefill for peer in peers), key=lambda rate: rate.median)
    writes = max((peer.decode for peer in peers), key=lambda rate: rate.median)
    return Ratios(_over(ours.prefill, reads), _over(ours.decode, writes))


def _over(ours: Spread, theirs: Spread) -> Spread:
    return spread([a / b for a, b in zip(ours.rounds, theirs.rounds, strict=True)])
