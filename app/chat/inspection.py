"""What is known of how one reply came about: each token's way, the prompt, the time, the memory.

Plain data; it lives in memory only and goes with the program.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from engine.contract import (
    Candidate,
    Channel,
    Fault,
    Memory,
    PromptPage,
    PromptToken,
    Timings,
    TokenChoice,
    Usage,
)

PAGE = 512  # prompt tokens that are asked for and shown at once


class Sight(Enum):
    """What can be seen of a reply."""

    NONE = auto()  # nobody looked while it was made
    RUNNING = auto()  # it is being made, or computed once more
    WHOLE = auto()  # every token's figures are there
    TEXT_ONLY = auto()  # its model tells no figures of tokens
    BROKEN = auto()  # computing it once more failed


@dataclass(slots=True, eq=False)
class Inspection:
    """One reply, looked into.

    Attributes:
        turn: whose it is.
        request: of the engine, which the prompt is read by; 0 when the engine keeps it no more.
        is_again: its figures were computed once more, after it was made; the times are not its own.
        was_reused: of its prompt, when it was made, where that is known and ``is_again``.
        tokens: what came, with figures; ``channels`` says where each belongs.
        seed: that was asked for; None where each answer draws its own.
        total: tokens of the prompt, as far as it is known.
        reused: of them, how many were in the cache; None before that is known.
        read: of them, how many the cache holds by now.
        pages: what was read of the prompt, by the page's number.
    """

    turn: int
    request: int
    is_again: bool = False
    was_reused: int | None = None
    tokens: list[TokenChoice] = field(default_factory=list)
    channels: list[Channel] = field(default_factory=list)
    seed: int | None = None
    total: int = 0
    reused: int | None = None
    read: int = 0
    pages: dict[int, tuple[PromptToken, ...]] = field(default_factory=dict)
    usage: Usage | None = None
    timings: Timings | None = None
    memory: Memory | None = None
    fault: Fault | None = None
    is_over: bool = False
    has_text: bool = False

    @property
    def sight(self) -> Sight:
        """What can be seen."""
        if self.fault is not None and not self.tokens:
            return Sight.BROKEN
        if not self.is_over:
            return Sight.RUNNING
        return Sight.WHOLE if self.tokens else Sight.TEXT_ONLY if self.has_text else Sight.NONE

    @property
    def page_count(self) -> int:
        """Pages of the prompt."""
        return -(-self.total // PAGE)

    def add(self, channel: Channel, tokens: Sequence[TokenChoice]) -> None:
        """Take new tokens of a channel."""
        self.tokens += tokens
        self.channels += [channel] * len(tokens)

    def take_page(self, page: PromptPage) -> None:
        """Take a page of the prompt."""
        self.pages[page.first // PAGE] = page.tokens
        self.total = page.total
        self.take_reused(page.reused)

    def take_reused(self, tokens: int) -> None:
        """Take how many tokens of the prompt were in the cache this time."""
        self.reused = tokens if self.was_reused is None else self.was_reused

    def branch(self, place: int, candidate: int) -> Beginning:
        """Return how a reply begins that has another token at a place."""
        chosen = self.tokens[place]
        tokens = [*self.tokens[:place], _with_other(chosen, candidate)]
        return Beginning(tuple(tokens), tuple(self.channels[: place + 1]))


@dataclass(frozen=True, slots=True)
class Beginning:
    """How a reply begins, with what is known of each token: the model saw the same before them."""

    tokens: tuple[TokenChoice, ...]
    channels: tuple[Channel, ...]

    @property
    def ids(self) -> tuple[int, ...]:
        """The tokens as the engine wants them."""
        return tuple(token.id for token in self.tokens)


def probability(choice: TokenChoice) -> float:
    """Return how likely the model held a token, before any step of the sampler."""
    return math.exp(choice.logprob)


def candidates_of(choice: TokenChoice) -> tuple[Candidate, ...]:
    """Return the tokens that might have come; none where nothing was told."""
    return choice.trace.candidates if choice.trace is not None else ()


def _with_other(choice: TokenChoice, candidate: int) -> TokenChoice:
    """Return the choice as if this one of its candidates had come; nothing was drawn for it."""
    trace = choice.trace
    if trace is None:
        return choice
    other = trace.candidates[candidate]
    share = trace.steps[0].probabilities[candidate]
    return replace(
        choice,
        id=other.id,
        text=other.raw.decode("utf-8", "replace"),
        logprob=math.log(share) if share > 0 else -math.inf,
        trace=replace(trace, draw=None),
    )
