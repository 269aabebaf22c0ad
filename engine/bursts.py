"""Several steps of a reply that runs alone, drawn by the kernels without Python in between.

What comes is treated as drafts that all proved right: the reply takes one token after the other,
and where it ends (a stop string), the rest does not count and is written over. The random numbers
are the sampler's own, in its order, so a seed draws the same tokens as step by step.
"""

from __future__ import annotations

import torch

from engine.ahead import Known, draw_rule
from engine.device import out_of_memory_named
from engine.families.model import Model
from engine.generation.decode import Draws
from engine.generation.sampler import Sampler
from engine.generation.scheduler import Share, Step
from engine.kernels.drawing import Burst, DrawsBursts
from engine.kernels.interface import CachePool


class Bursts:
    """Draws several tokens at once, for models that can.

    Args:
        model: computes.
        cache: its pages.
        device: where.
    """

    def __init__(self, model: Model, cache: CachePool, device: torch.device) -> None:
        self._draws = model if isinstance(model, DrawsBursts) else None
        self._cache = cache
        self._device = device

    def draw(self, step: Step, chosen: Draws, most: int) -> tuple[Share, Known] | None:
        """Go on from a step's only share, or None where that is not for the kernels alone.

        Args:
            step: what the scheduler chose.
            chosen: what draws for its share.
            most: steps that may be run.

        Returns:
            A share of all that was computed, each token of it wanted, and what was drawn.

        Raises:
            EngineError: OUT_OF_MEMORY.
        """
        (share,) = step.shares
        is_decoding = len(share.ids) == share.wanted == 1 and not step.copies
        if self._draws is None or not is_decoding:
            return None
        if not isinstance(chosen, Sampler) or not chosen.is_ruled:
            return None
        rule = draw_rule(chosen.sampling, chosen.vocabulary.size)
        steps = min(most, self._room(share), self._draws.longest_burst(rule))
        if steps < 2:
            return None
        uniforms = tuple(chosen.uniform() for _ in range(steps))
        burst = Burst(
            id=share.ids[0],
            start=share.start,
            tables=tuple(table.pages for table in share.sequence.tables),
            rule=rule,
            uniforms=uniforms,
            ends=chosen.vocabulary.end_ids,
            early=chosen.early_tokens,
        )
        with out_of_memory_named(self._device), torch.inference_mode():
            drawn = self._draws.burst(burst, self._cache)
        for uniform in reversed(uniforms[len(drawn) :]):
            chosen.give_back(uniform)
        whole = Share(share.sequence, [burst.id, *drawn[:-1]], share.start, len(drawn))
        return whole, Known(chosen, iter(drawn))

    def _room(self, share: Share) -> int:
        """Tokens that the sequence's pages hold from here on; the scheduler gives new ones."""
        pages = min(len(table.pages) for table in share.sequence.tables)
        return pages * self._cache.page_size - share.start
