"""Layers on several devices: the hidden state visits them, weights and KV pages stay there.

What is handed from device to device is [tokens, hidden] and the batch's few numbers, once for each
change of device; each device has its own pool, in which layers of other devices take no room.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from torch import Tensor

from engine.kernels.interface import CachePool, CacheShape, Kernels
from engine.layers.attention import Mixer
from engine.layers.block import Block, ParallelBlock
from engine.layers.step import Step


@dataclass(frozen=True, slots=True)
class PlacedBlock:
    """A block on its own device.

    Attributes:
        block: whose weights lie there.
        kernels: that compute there.
        part: which part of a ``PlacedCache`` is that device's.
    """

    block: Block | ParallelBlock
    kernels: Kernels
    part: int

    @property
    def attention(self) -> Mixer:
        """The block's own."""
        return self.block.attention

    def __call__(self, x: Tensor, step: Step) -> Tensor:
        """float32 [tokens, hidden], on any device -> the same on this one."""
        here = step.at(self.part, self.kernels.device)
        return self.block(x.to(self.kernels.device), here)


def distinct(kernels: Sequence[Kernels]) -> list[Kernels]:
    """The same kernels once each, in the order of their first layers."""
    found: list[Kernels] = []
    for one in kernels:
        if not any(one is known for known in found):
            found.append(one)
    return found


def place_blocks(
    blocks: Sequence[Block | ParallelBlock], kernels: Sequence[Kernels]
) -> tuple[PlacedBlock, ...]:
    """Blocks with the kernels that they were built on; every device is one part of the cache."""
    order = {id(one): part for part, one in enumerate(distinct(kernels))}
    return tuple(
        PlacedBlock(block, own, order[id(own)]) for block, own in zip(blocks, kernels, strict=True)
    )


class PlacedCache:
    """A pool for each device, all with the same page numbers; see ``interface.CachePool``.

    Args:
        parts: the pools of the devices, in the order of ``distinct``.
    """

    def __init__(self, parts: Sequence[CachePool]) -> None:
        self.parts = tuple(parts)
        self.page_size = parts[0].page_size

    @staticmethod
    def make(
        layers: Sequence[CacheShape],
        kernels: Sequence[Kernels],
        pages: int | Sequence[int],
        page_size: int,
        bits: int,
    ) -> PlacedCache:
        """Allocate the pools: on each device room for its own layers.

        Args:
            layers: what each layer keeps of a token.
            kernels: of each layer.
            pages: of each group of layers, or one number for all groups.
            page_size: tokens a page.
            bits: of a value, 16 or 8.

        Raises:
            EngineError: OUT_OF_MEMORY.
        """
        parts = []
        for own in distinct(kernels):
            shapes = tuple(
                shape if of_layer is own else replace(shape, kv_heads=0)
                for shape, of_layer in zip(layers, kernels, strict=True)
            )
            parts.append(own.make_cache(shapes, pages, page_size, bits))
        return PlacedCache(parts)

    @property
    def pages(self) -> tuple[int, ...]:
        """How many pages each group has; the same on every device."""
        return self.parts[0].pages

    @property
    def windows(self) -> tuple[int | None, ...]:
        """The window of each group; the same on every device."""
        return self.parts[0].windows

    @property
    def nbytes(self) -> int:
        """Bytes of all pages on all devices."""
        return sum(part.nbytes for part in self.parts)

    def copy_page(self, source: int, target: int, group: int | None = None) -> None:
        """Copy one page of a group's layers, or of all layers, on every device."""
        for part in self.parts:
            part.copy_page(source, target, group)
