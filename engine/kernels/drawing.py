"""Drawing on the device: what kernels that can do it take, so that no logits go to the host."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from engine.kernels.interface import CachePool


@dataclass(frozen=True, slots=True)
class DrawRule:
    """The sampler's plain steps as numbers; off is as in ``engine.contract.Sampling``.

    Attributes:
        temperature: 0 or less takes the most likely token.
        top_k, top_p, min_p: the truncations, in this order.
        temperature_first: the temperature comes before them.
        size: ids below this exist.
    """

    temperature: float
    top_k: int
    top_p: float
    min_p: float
    temperature_first: bool
    size: int


@dataclass(frozen=True, slots=True)
class NextToken:
    """One sequence's share of a step that ends in a drawn token.

    Attributes:
        id: the token to compute; None is the one that the step queued before drew in this row.
        start: its position.
        tables: the sequence's page numbers for each group of layers.
        rule: how to draw the next.
        uniform: in (0, 1], decides the draw.
    """

    id: int | None
    start: int
    tables: tuple[tuple[int, ...], ...]
    rule: DrawRule
    uniform: float


@runtime_checkable
class Draws(Protocol):
    """A model that can draw."""

    def queue(self, tokens: Sequence[NextToken], cache: CachePool) -> Callable[[], list[int]]:
        """Queue a step without waiting for it.

        Args:
            tokens: at most ``most_rows``; their ids are all known or all None.
            cache: the pool; it holds the tokens afterwards.

        Returns:
            What waits for the step and gives the drawn ids, -1 where the logits are no numbers.
        """
        ...

    @property
    def most_rows(self) -> int:
        """Sequences in one step; 0 where nothing can be drawn."""
        ...


@dataclass(frozen=True, slots=True)
class Burst:
    """Steps of one sequence, one token each: the first is known, the others are drawn.

    Attributes:
        id: the first token to compute.
        start: its position.
        tables: the sequence's page numbers for each group of layers; they cover all steps. A
            reference, not a copy.
        rule: how to draw.
        uniforms: in (0, 1], one for each step.
        ends: ids after which no step follows.
        early: so many of the first draws cannot be one of ``ends``.
    """

    id: int
    start: int
    tables: tuple[Sequence[int], ...]
    rule: DrawRule
    uniforms: tuple[float, ...]
    ends: Collection[int]
    early: int


@runtime_checkable
class DrawsBursts(Protocol):
    """A model that can go on by itself for some steps."""

    def longest_burst(self, rule: DrawRule) -> int:
        """Steps that take a moment now, drawing by this rule; below 2 there is nothing to gain."""
        ...

    def burst(self, burst: Burst, cache: CachePool) -> list[int]:
        """Run the steps; the cache holds the known token and all drawn ones but the last.

        Returns:
            What was drawn: fewer than steps were wanted if the last is an end, or -1 where the
            logits were no numbers.
        """
        ...


@runtime_checkable
class DrawsHere(Protocol):
    """Kernels that draw from logits on the host faster than numpy does."""

    def drawing(self, rule: DrawRule) -> Callable[[NDArray[np.float32], float], int] | None:
        """What draws by a rule: from float32 logits and a number in (0, 1], the token's id.

        The id is -1 where the logits are no numbers. None: not by this rule.
        """
        ...
