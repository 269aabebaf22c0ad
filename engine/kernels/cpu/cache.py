"""The paged KV cache of the CPU kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.kernels.cpu.float_tile import Element
from engine.kernels.cpu.layout import TILE_ROWS
from engine.kernels.cpu.memory import Arena
from engine.kernels.groups import Groups
from engine.kernels.interface import CacheShape

ELEMENTS = {8: Element.I8, 16: Element.F16}


def _up(size: int) -> int:
    return -(-size // TILE_ROWS) * TILE_ROWS


def head_bytes(shape: CacheShape, page_size: int, bits: int) -> tuple[int, int]:
    """Bytes of a page of one head's keys, and of its values: scales included, in cache lines.

    Values that are columns of the keys take none.
    """
    scales = 4 * page_size if bits == 8 else 0
    keys, values = (-(-(size + scales) // 64) * 64 for size in _scales_at(shape, page_size, bits))
    return keys, 0 if shape.values_in_keys else values


def _scales_at(shape: CacheShape, page_size: int, bits: int) -> tuple[int, int]:
    """Bytes of the elements of such pages: behind them stand the scales."""
    values = page_size * _token_values(shape)
    keys = values if shape.values_in_keys else shape.key_dim * _up(page_size)
    return keys * bits // 8, values * bits // 8


def _token_values(shape: CacheShape) -> int:
    """Elements from one token's values to the next one's."""
    return _up(shape.key_dim if shape.values_in_keys else shape.value_dim)


@dataclass(frozen=True, slots=True)
class LayerCache:
    """One layer's pages, as ``cache_pages.py`` describes them.

    Attributes:
        shape: heads and dimensions.
        keys, values: uint8 [pages, kv_heads, bytes of a page of one head]; both the same where
            values are columns of the keys.
    """

    shape: CacheShape
    keys: Any
    values: Any

    @property
    def nbytes(self) -> int:
        """Bytes of all pages."""
        both = (self.keys,) if self.shape.values_in_keys else (self.keys, self.values)
        return sum(int(part.nbytes) for part in both)

    @staticmethod
    def make(shape: CacheShape, pages: int, page_size: int, bits: int, arena: Arena) -> LayerCache:
        """Allocate the pages of one layer."""
        keys, values = (
            arena.take(pages * shape.kv_heads * size).reshape(pages, shape.kv_heads, size)
            for size in head_bytes(shape, page_size, bits)
        )
        return LayerCache(shape, keys, keys if shape.values_in_keys else values)


class PagedCache:
    """Pages of all layers.

    Args:
        layers: what each keeps of a token.
        groups: of the layers, with the pages of each.
        page_size: tokens of a page.
        bits: 16 or 8 a value.
        arena: where the memory comes from.
    """

    def __init__(
        self,
        layers: tuple[CacheShape, ...],
        groups: Groups,
        page_size: int,
        bits: int,
        arena: Arena,
    ) -> None:
        self._groups = groups
        self.page_size = page_size
        self.page_tokens = _up(page_size)
        self.element = ELEMENTS[bits]
        self.layers = [
            LayerCache.make(shape, pages, page_size, bits, arena)
            for shape, pages in _paged(layers, groups)
        ]

    @staticmethod
    def size(layers: tuple[CacheShape, ...], groups: Groups, page_size: int, bits: int) -> int:
        """Bytes that such a cache takes."""
        return sum(
            pages * shape.kv_heads * sum(head_bytes(shape, page_size, bits))
            for shape, pages in _paged(layers, groups)
        )

    @property
    def pages(self) -> tuple[int, ...]:
        """How many pages each group has."""
        return self._groups.pages

    @property
    def windows(self) -> tuple[int | None, ...]:
        """The window of each group."""
        return self._groups.windows

    def figures(self, layer: int) -> dict[str, int]:
        """What an ``ATTEND`` table says of a layer's pages."""
        held = self.layers[layer]
        bits = 8 * self.element.nbytes
        key_scales, value_scales = _scales_at(held.shape, self.page_size, bits)
        return {
            "joined": int(held.shape.values_in_keys),
            "key_scales_at": key_scales,
            "value_scales_at": value_scales,
            "token_values": _token_values(held.shape),
            "keys": int(held.keys.ctypes.data),
            "values": int(held.values.ctypes.data),
            "key_bytes": int(held.keys.shape[-1]),
            "value_bytes": int(held.values.shape[-1]),
            "element_bytes": self.element.nbytes,
            "page_size": self.page_size,
            "page_tokens": self.page_tokens,
            "value_padded": _up(held.shape.value_dim),
            "group": self._groups.of_layer[layer],
        }

    @property
    def widest(self) -> int:
        """The most float32 that a query's sums, and the query itself if padded, take."""
        shapes = [layer.shape for layer in self.layers]
        return max(
            _up(shape.value_dim) + (_token_values(shape) if shape.values_in_keys else 0)
            for shape in shapes
        )

    @property
    def nbytes(self) -> int:
        """Bytes of all pages of all layers."""
        return sum(layer.nbytes for layer in self.layers)

    def copy_page(self, source: int, target: int, group: int | None = None) -> None:
        """Copy one page of a group's layers, or of all layers."""
        for number in self._groups.touched(group):
            layer = self.layers[number]
            layer.keys[target] = layer.keys[source]
            layer.values[target] = layer.values[source]


def _paged(layers: tuple[CacheShape, ...], groups: Groups) -> list[tuple[CacheShape, int]]:
    """Each layer with the pages that it has."""
    return [(shape, groups.pages[g]) for shape, g in zip(layers, groups.of_layer, strict=True)]
