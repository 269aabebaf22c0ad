"""What the server tells of itself: its state, and one record for each request. Never any text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.contract import Finished


class Phase(StrEnum):
    """What the server does."""

    STOPPED = "stopped"
    STARTING = "starting"
    RUNNING = "running"
    FAILED = "failed"


class Obstacle(StrEnum):
    """Why an address cannot be listened on."""

    TAKEN = "taken"  # by another program
    FORBIDDEN = "forbidden"  # to this user, as ports below 1024
    NO_ADDRESS = "no_address"  # of this machine
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ServerState:
    """The phase, and what belongs to it.

    Attributes:
        phase: what it does.
        address: while it runs.
        obstacle: why it failed.
        reason: the same in the system's own words.
        free_port: one that could be had where the port was the obstacle; 0: none was looked for.
    """

    phase: Phase = Phase.STOPPED
    address: str = ""
    obstacle: Obstacle | None = None
    reason: str = ""
    free_port: int = 0


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """One answered request.

    Attributes:
        at: when it came, seconds since the epoch.
        path: what was asked for.
        status: of the answer; 499 is a client that left.
        seconds: until the answer's end.
        streamed: whether it was answered piece by piece.
        cached: whether the reply came from the cache of replies.
        prompt_tokens, reused_tokens, generated_tokens: of all its choices.
        first_token_s: until the first token, queue included; None without one.
        tokens_per_second: of decode; None below two tokens.
    """

    at: float
    path: str
    status: int = 200
    seconds: float = 0.0
    streamed: bool = False
    cached: bool = False
    prompt_tokens: int = 0
    reused_tokens: int = 0
    generated_tokens: int = 0
    first_token_s: float | None = None
    tokens_per_second: float | None = None


def figures_of(ends: list[Finished]) -> dict[str, object]:
    """Return the fields of a record that the ends of a request's choices tell."""
    if not ends:
        return {}
    speeds = [s for end in ends if (s := end.timings.tokens_per_second) is not None]
    return {
        "prompt_tokens": sum(end.usage.prompt_tokens for end in ends),
        "reused_tokens": sum(end.usage.reused_tokens for end in ends),
        "generated_tokens": sum(end.usage.generated_tokens for end in ends),
        "first_token_s": min(end.timings.time_to_first_token_s for end in ends),
        "tokens_per_second": sum(speeds) / len(speeds) if speeds else None,
    }
