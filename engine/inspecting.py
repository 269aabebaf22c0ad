"""What a curious person may ask about a reply: its prompt by pages, and its figures once more."""

from __future__ import annotations

from collections import OrderedDict
from typing import Protocol

from engine.contract import (
    EngineError,
    FaultKind,
    Generate,
    Inspect,
    Priority,
    PromptPage,
    PromptToken,
    ReadPrompt,
)
from engine.generation.candidates import Scores
from engine.generation.decode import Draws
from engine.generation.sampler import Drawn, Sampler
from engine.generation.scheduler import Sequence
from engine.loaded import Tokens

_KEPT = 8
"""Prompts that can be read; a whole context of 100,000 ids takes under a megabyte."""

MOST_TOKENS = 1024
"""Of one page: more would keep the engine from its steps and the window from its frames."""

_AT_ONCE = 32
"""Known tokens a step; their logits are in memory together (1 MB each for 262,000 tokens)."""


class SeenPrompts:
    """The prompts of the last requests that asked for traces.

    Args:
        tokens: says what an id spells.
    """

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._kept: OrderedDict[int, tuple[Sequence, int]] = OrderedDict()

    def keep(self, request: int, sequence: Sequence, prompt_tokens: int) -> None:
        """Keep the prompt of a request; the oldest one goes. One in the background is not kept."""
        if sequence.priority is Priority.BACKGROUND:
            return
        self._kept[request] = (sequence, prompt_tokens)
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)

    def page(self, command: ReadPrompt) -> PromptPage:
        """Read a stretch of a prompt, at most ``MOST_TOKENS``.

        Raises:
            EngineError: PROMPT_FORGOTTEN.
        """
        if command.of not in self._kept:
            raise EngineError(FaultKind.PROMPT_FORGOTTEN, of=command.of)
        sequence, total = self._kept[command.of]
        first = min(max(command.first, 0), total)
        end = min(first + min(max(command.count, 0), MOST_TOKENS), total)
        tokens = tuple(self._token(id) for id in sequence.ids[first:end])
        reused = min(sequence.reused, total)
        return PromptPage(command.request, command.of, first, total, reused, tokens)

    def _token(self, id: int) -> PromptToken:
        return PromptToken(id, self._tokens.token_bytes(id), self._tokens.is_control(id))


def asked_again(command: Inspect) -> Generate:
    """Return the question of a reply as it was asked."""
    return Generate(
        command.request,
        command.messages,
        command.settings,
        command.thinking,
        command.tools,
        template=command.template,
    )


class ReplyDraws(Draws, Protocol):
    """Where a reply's tokens come from."""

    def remember(self, token: int) -> None:
        """Take a token as one of the reply without drawing it."""
        ...

    def constrain(self) -> None:
        """Let a constraint hold from the next token on."""
        ...


class Guesses(Protocol):
    """What may come next, to be computed in one step with the token before it."""

    def propose(self, ids: list[int], room: int) -> list[int]:
        """Guesses for the tokens after ``ids``, at most ``room``."""
        ...

    @property
    def quiet_tokens(self) -> int:
        """So many tokens may come, at least one, before it is worth asking again."""
        ...

    def observe(self, step_s: float, guesses: int, gained: int) -> None:
        """Note a decode step, or some in a row: time, guesses, and the tokens that came."""
        ...


class Retracer:
    """Draws what was drawn before; as its guesses are all true, a step computes many of them.

    Args:
        sampler: gives the figures.
        ids: what came, in order.
    """

    def __init__(self, sampler: Sampler, ids: tuple[int, ...]) -> None:
        self._sampler = sampler
        self._ids = ids
        self._place = 0

    def draw(self, logits: Scores) -> Drawn:
        """The token that came, with its figures."""
        self._place += 1
        return self._sampler.follow(logits, self._ids[self._place - 1])

    def remember(self, token: int) -> None:
        """Take a token as one of the reply."""
        self._sampler.remember(token)

    def constrain(self) -> None:
        """Let a constraint hold from the next token on."""
        self._sampler.constrain()

    def propose(self, ids: list[int], room: int) -> list[int]:
        """The tokens that came next."""
        return list(self._ids[self._place : self._place + min(room, _AT_ONCE)])

    @property
    def quiet_tokens(self) -> int:
        """Never more than one: there is a guess for every step."""
        return 1

    def observe(self, step_s: float, guesses: int, gained: int) -> None:
        """Nothing is learnt: every guess is true."""
