"""One step ahead: where the device can draw, the next step is queued before this one is read.

The host waits once a token, for the token, and the device is computing the next one by then. A step
that was queued for nothing (the reply ended, a draft came in between) is forgotten: it wrote only
where the next step writes, and its random numbers go back, so a seed draws the same tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch

from engine.contract import EngineError, FaultKind, Sampling, SamplingOrder
from engine.device import out_of_memory_named
from engine.families.model import Model
from engine.generation.candidates import Scores
from engine.generation.decode import Draws as Chooser
from engine.generation.sampler import Drawn, Sampler
from engine.generation.scheduler import Share, Step
from engine.kernels.drawing import DrawRule, Draws, NextToken
from engine.kernels.interface import CachePool


@dataclass(frozen=True, slots=True)
class _Queued:
    """A step that the device has, but the host has not asked for."""

    places: tuple[tuple[int, int], ...]  # (identity of the sequence, position) of each row
    read: Callable[[], list[int]]
    uniforms: tuple[float, ...]
    samplers: tuple[Sampler, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """Tokens that the device drew, in a sampler's place."""

    sampler: Sampler
    tokens: Iterator[int]

    def draw(self, logits: Scores) -> Drawn:
        """The next token; ``logits`` are empty.

        Raises:
            EngineError: INTERNAL where the logits were no numbers.
        """
        token = next(self.tokens)
        if token < 0:
            raise EngineError(FaultKind.INTERNAL, detail="the logits are no numbers")
        self.sampler.remember(token)
        return Drawn(token)


class Ahead:
    """Draws on the device, for models that can.

    Args:
        model: computes.
        cache: its pages.
        device: where.
    """

    def __init__(self, model: Model, cache: CachePool, device: torch.device) -> None:
        self._draws = model if isinstance(model, Draws) and model.most_rows else None
        self._cache = cache
        self._device = device
        self._queued: _Queued | None = None

    def draw(self, step: Step, chosen: Sequence[Chooser]) -> list[Known] | None:
        """One token for each share, or None where the host has to draw; then nothing was computed.

        Args:
            step: what the scheduler chose.
            chosen: what draws for each share.

        Raises:
            EngineError: OUT_OF_MEMORY.
        """
        shares = step.shares
        samplers = [one for one in chosen if isinstance(one, Sampler) and one.is_plain]
        if self._draws is None or not self._fits(step, len(samplers), self._draws.most_rows):
            self._forget()
            return None
        with out_of_memory_named(self._device), torch.inference_mode():
            places = tuple((id(share.sequence), share.start) for share in shares)
            queued = self._queued
            if queued is None or queued.places != places:
                self._forget()
                queued = self._queue(self._draws, shares, samplers, 0)
            self._queued = None
            if all(self._has_room(share) for share in shares):
                self._queued = self._queue(self._draws, shares, samplers, 1)
            tokens = queued.read()
        return [Known(sampler, iter([id])) for sampler, id in zip(samplers, tokens, strict=True)]

    def _fits(self, step: Step, plain: int, most: int) -> bool:
        is_decoding = all(len(share.ids) == share.wanted == 1 for share in step.shares)
        return 0 < plain == len(step.shares) <= most and not step.copies and is_decoding

    def _has_room(self, share: Share) -> bool:
        """Whether the sequence's pages hold one more token; the scheduler gives new ones."""
        size = self._cache.page_size
        return all(len(table.pages) * size > share.start + 1 for table in share.sequence.tables)

    def _queue(
        self, draws: Draws, shares: Sequence[Share], samplers: Sequence[Sampler], ahead: int
    ) -> _Queued:
        uniforms = tuple(sampler.uniform() for sampler in samplers)
        tokens = [
            NextToken(
                id=None if ahead else share.ids[0],
                start=share.start + ahead,
                tables=tuple(tuple(table.pages) for table in share.sequence.tables),
                rule=draw_rule(sampler.sampling, sampler.vocabulary.size),
                uniform=uniform,
            )
            for share, sampler, uniform in zip(shares, samplers, uniforms, strict=True)
        ]
        places = tuple((id(share.sequence), share.start + ahead) for share in shares)
        return _Queued(places, draws.queue(tokens, self._cache), uniforms, tuple(samplers))

    def _forget(self) -> None:
        if self._queued is not None:
            for sampler, uniform in zip(self._queued.samplers, self._queued.uniforms, strict=True):
                sampler.give_back(uniform)
            self._queued = None


def draw_rule(sampling: Sampling, size: int) -> DrawRule:
    """The plain steps of a sampling over ids below ``size``, in the kernels' terms."""
    s, first = sampling, sampling.order is SamplingOrder.TEMPERATURE_FIRST
    return DrawRule(s.temperature, s.top_k, s.top_p, s.min_p, first, size)
