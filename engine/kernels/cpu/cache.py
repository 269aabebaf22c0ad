"""The paged KV cache of the CPU kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.kernels.cpu.layout import TILE_ROWS
from engine.kernels.cpu.memory import Arena
from engine.kernels.interface import CacheShape


def _up(size: int) -> int:
    return -(-size // TILE_ROWS) * TILE_ROWS


@dataclass(frozen=True, slots=True)
class LayerCache:
    """One layer's pages.

    Attributes:
        shape: heads and dimensions.
        keys: float16 bits [pages, kv_heads, key_dim, tokens padded to 16].
        values: float16 bits [pages, kv_heads, tokens, value_dim padded to 16].
    """

    shape: CacheShape
    keys: Any
    values: Any


class PagedCache:
    """Pages of all layers."""

    def __init__(
        self, layers: tuple[CacheShape, ...], pages: int, page_size: int, arena: Arena
    ) -> None:
        self.pages = pages
        self.page_size = page_size
        self.page_tokens = _up(page_size)
        self.layers = [self._layer(shape, arena) for shape in layers]

    def _layer(self, shape: CacheShape, arena: Arena) -> LayerCache:
        keys = (self.pages, shape.kv_heads, shape.key_dim, self.page_tokens)
        values = (self.pages, shape.kv_heads, self.page_size, _up(shape.value_dim))
        return LayerCache(
            shape,
            arena.take(2 * int(np.prod(keys))).view(np.uint16).reshape(keys),
            arena.take(2 * int(np.prod(values))).view(np.uint16).reshape(values),
        )

    def figures(self, layer: int) -> dict[str, int]:
        """What an ``ATTEND`` table says of a layer's pages."""
        held = self.layers[layer]
        return {
            "keys": int(held.keys.ctypes.data),
            "values": int(held.values.ctypes.data),
            "page_size": self.page_size,
            "page_tokens": self.page_tokens,
            "value_padded": int(held.values.shape[-1]),
        }

    @property
    def nbytes(self) -> int:
        """Bytes of all pages of all layers."""
        return sum(int(layer.keys.nbytes + layer.values.nbytes) for layer in self.layers)

    def copy_page(self, source: int, target: int) -> None:
        """Copy one page of every layer."""
        for layer in self.layers:
            layer.keys[target] = layer.keys[source]
            layer.values[target] = layer.values[source]
