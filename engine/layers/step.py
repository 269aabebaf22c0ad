"""One step on its way through the layers: the batch, the cache, and what the layers share."""

from __future__ import annotations

from torch import Tensor

from engine.kernels.batch import Batch
from engine.kernels.interface import CachePool
from engine.layers.rotary import Rotary


class Step:
    """A batch and its cache; each rotary's tables are made once and serve all its layers."""

    __slots__ = ("_tables", "batch", "cache")

    def __init__(self, batch: Batch, cache: CachePool) -> None:
        self.batch = batch
        self.cache = cache
        self._tables: dict[Rotary, tuple[Tensor, Tensor]] = {}

    def angles(self, rotary: Rotary) -> tuple[Tensor, Tensor]:
        """Cosine and sine of the batch's positions: float32 [tokens, rotary_dim / 2]."""
        if rotary not in self._tables:
            positions = self.batch.positions.to(rotary.frequencies.device)
            self._tables[rotary] = rotary.tables(positions)
        return self._tables[rotary]
