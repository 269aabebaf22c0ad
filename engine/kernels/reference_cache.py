"""The reference's KV cache: per layer one long row of slots, a page being ``page_size`` of them.

A slot holds one token's keys and values of one layer. The slot of a sequence's token ``j`` is
``pages[j // page_size] * page_size + j % page_size``, the same in every layer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from engine.kernels.batch import Batch, Span
from engine.kernels.groups import Groups
from engine.kernels.interface import CacheShape


class Slots(Protocol):
    """Rows of ``[heads, dim]``, one a token."""

    @property
    def nbytes(self) -> int:
        """Bytes of all slots."""
        ...

    def write(self, index: Tensor, x: Tensor) -> None:
        """Put ``x`` [tokens, heads, dim] into the slots ``index`` (int64 [tokens])."""
        ...

    def read(self, index: Tensor) -> Tensor:
        """The slots ``index`` as [tokens, heads, dim], a copy."""
        ...

    def copy(self, source: slice, target: slice) -> None:
        """Copy one range of slots over another."""
        ...


class FloatSlots:
    """Slots in the activations' dtype."""

    def __init__(self, slots: int, heads: int, dim: int, dtype: torch.dtype, device: torch.device):
        self.x = torch.zeros(slots, heads, dim, dtype=dtype, device=device)

    @property
    def nbytes(self) -> int:
        """Bytes of all slots."""
        return self.x.nbytes

    def write(self, index: Tensor, x: Tensor) -> None:
        """Put ``x`` [tokens, heads, dim] into the slots ``index`` (int64 [tokens])."""
        self.x[index] = x.to(self.x.dtype)

    def read(self, index: Tensor) -> Tensor:
        """The slots ``index`` as [tokens, heads, dim], a copy."""
        return self.x[index]

    def copy(self, source: slice, target: slice) -> None:
        """Copy one range of slots over another."""
        self.x[target] = self.x[source]


class ByteSlots:
    """Slots as signed bytes; each token and head has its own scale, max(|x|) / 127."""

    def __init__(self, slots: int, heads: int, dim: int, device: torch.device) -> None:
        self.codes = torch.zeros(slots, heads, dim, dtype=torch.int8, device=device)
        self.scale = torch.zeros(slots, heads, 1, dtype=torch.float32, device=device)

    @property
    def nbytes(self) -> int:
        """Bytes of all slots."""
        return self.codes.nbytes + self.scale.nbytes

    def write(self, index: Tensor, x: Tensor) -> None:
        """Put ``x`` [tokens, heads, dim] into the slots ``index`` (int64 [tokens])."""
        wide = x.float()
        scale = wide.abs().amax(-1, keepdim=True) / 127
        codes = torch.round(wide / scale.clamp_min(torch.finfo(torch.float32).tiny))
        self.codes[index] = codes.to(torch.int8)
        self.scale[index] = scale

    def read(self, index: Tensor) -> Tensor:
        """The slots ``index`` as float32 [tokens, heads, dim]."""
        return self.codes[index].float() * self.scale[index]

    def copy(self, source: slice, target: slice) -> None:
        """Copy one range of slots over another."""
        self.codes[target] = self.codes[source]
        self.scale[target] = self.scale[source]


@dataclass(frozen=True, slots=True)
class CacheLayer:
    """The keys and values of one layer; ``values`` is None where they are columns of the keys."""

    shape: CacheShape
    keys: Slots
    values: Slots | None

    @staticmethod
    def bytes_for(shape: CacheShape, slots: int, bits: int, dtype: torch.dtype) -> int:
        """Bytes that ``make`` would allocate."""
        dims = [shape.key_dim] if shape.values_in_keys else [shape.key_dim, shape.value_dim]
        scales = 4 * len(dims)
        per_head = sum(dims) + scales if bits == 8 else sum(dims) * dtype.itemsize
        return slots * shape.kv_heads * per_head

    @staticmethod
    def make(
        shape: CacheShape, slots: int, bits: int, dtype: torch.dtype, device: torch.device
    ) -> CacheLayer:
        """Allocate the slots of one layer."""

        def one(dim: int) -> Slots:
            if bits == 8:
                return ByteSlots(slots, shape.kv_heads, dim, device)
            return FloatSlots(slots, shape.kv_heads, dim, dtype, device)

        values = None if shape.values_in_keys else one(shape.value_dim)
        return CacheLayer(shape, one(shape.key_dim), values)

    @property
    def nbytes(self) -> int:
        """Bytes of all slots."""
        return self.keys.nbytes + (0 if self.values is None else self.values.nbytes)

    def write(self, index: Tensor, k: Tensor, v: Tensor) -> None:
        """Put the step's keys and values into their slots."""
        self.keys.write(index, k)
        if self.values is not None:
            self.values.write(index, v)

    def read(self, index: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of the slots ``index``: each [tokens, kv_heads, dim]."""
        keys = self.keys.read(index)
        if self.values is None:
            return keys, keys[..., : self.shape.value_dim]
        return keys, self.values.read(index)

    def copy(self, source: slice, target: slice) -> None:
        """Copy one range of slots over another."""
        self.keys.copy(source, target)
        if self.values is not None:
            self.values.copy(source, target)


class ReferenceCache:
    """The pool: see ``interface.CachePool``."""

    def __init__(self, layers: tuple[CacheLayer, ...], groups: Groups, page_size: int) -> None:
        self.layers = layers
        self.page_size = page_size
        self._groups = groups
        self._of: tuple[Batch, list[list[Tensor]]] | None = None

    @property
    def pages(self) -> tuple[int, ...]:
        """How many pages each group has."""
        return self._groups.pages

    @property
    def windows(self) -> tuple[int | None, ...]:
        """The window of each group."""
        return self._groups.windows

    def group_of(self, layer: int) -> int:
        """The group of pages that a layer lies in."""
        return self._groups.of_layer[layer]

    @property
    def nbytes(self) -> int:
        """Bytes of all pages of all layers."""
        return sum(layer.nbytes for layer in self.layers)

    def copy_page(self, source: int, target: int, group: int | None = None) -> None:
        """Copy one page of a group's layers, or of all layers."""
        size = self.page_size
        from_, to = (slice(p * size, (p + 1) * size) for p in (source, target))
        for layer in self._groups.touched(group):
            self.layers[layer].copy(from_, to)

    def slots(self, batch: Batch, layer: int) -> list[Tensor]:
        """For each span the slots of its tokens 0 … start + tokens in a layer."""
        if self._of is None or self._of[0] is not batch:
            device = batch.ids.device
            groups = range(len(self._groups.windows))
            made = [[self._slots(span, group, device) for span in batch.spans] for group in groups]
            self._of = (batch, made)
        return self._of[1][self._groups.of_layer[layer]]

    def _slots(self, span: Span, group: int, device: torch.device) -> Tensor:
        pages = torch.tensor(span.table(group), dtype=torch.int64, device=device)
        inside = torch.arange(self.page_size, device=device)
        slots = (pages.unsqueeze(1) * self.page_size + inside).flatten()
        return slots[: span.start + span.tokens]
