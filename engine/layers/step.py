"""One step on its way through the layers: the batch, the cache, and what the layers share."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from engine.kernels.batch import Batch
from engine.kernels.interface import CachePool
from engine.layers.rotary import Rotary


@runtime_checkable
class PartedCache(Protocol):
    """A cache that has a pool for each device."""

    parts: tuple[CachePool, ...]


class Step:
    """A batch and its cache; each rotary's tables are made once and serve all its layers.

    Args:
        batch: the new tokens.
        cache: the pool.
        device: where the tables are wanted; None: where the rotaries are.
    """

    __slots__ = ("_device", "_elsewhere", "_tables", "batch", "cache")

    def __init__(self, batch: Batch, cache: CachePool, device: torch.device | None = None) -> None:
        self.batch = batch
        self.cache = cache
        self._device = device
        self._tables: dict[Rotary, tuple[Tensor, Tensor]] = {}
        self._elsewhere: dict[int, Step] = {}

    def angles(self, rotary: Rotary) -> tuple[Tensor, Tensor]:
        """Cosine and sine of the batch's positions: float32 [tokens, rotary_dim / 2]."""
        if rotary not in self._tables:
            positions = self.batch.positions.to(rotary.frequencies.device)
            cosine, sine = rotary.tables(positions)
            device = cosine.device if self._device is None else self._device
            self._tables[rotary] = cosine.to(device), sine.to(device)
        return self._tables[rotary]

    def at(self, part: int, device: torch.device) -> Step:
        """The same step on another device, with that part of a ``PlacedCache``."""
        if part not in self._elsewhere:
            if not isinstance(self.cache, PartedCache):
                raise TypeError(f"a cache of one device: {type(self.cache).__name__}")
            batch = replace(
                self.batch,
                ids=self.batch.ids.to(device),
                positions=self.batch.positions.to(device),
                logit_rows=self.batch.logit_rows.to(device),
            )
            self._elsewhere[part] = Step(batch, self.cache.parts[part], device)
        return self._elsewhere[part]
