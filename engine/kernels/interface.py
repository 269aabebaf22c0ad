"""The one interface that families and layers compute through; see ``reference.py`` for the truth.

Three implementations: ``reference`` (plain torch), ``cpu`` (numba) and ``cuda`` (Triton / ATen).
Activations are ``[tokens, features]`` in the implementation's ``dtype``. An implementation may
pack a weight in any layout that its own ``linear`` and ``embed`` understand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import torch
from torch import Tensor

from engine.kernels.batch import Batch
from engine.weights import PartDone, Weight


class Packed(Protocol):
    """A weight in an implementation's own layout."""

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns) of the matrix."""
        ...

    @property
    def nbytes(self) -> int:
        """Bytes that it holds."""
        ...


@dataclass(frozen=True, slots=True)
class CacheShape:
    """The KV cache of one layer.

    ``kv_heads`` keys of ``key_dim`` and values of ``value_dim`` a token. With ``values_in_keys``
    the values are the first ``value_dim`` columns of the keys and need no room of their own
    (multi-head latent attention). What lies further back than ``window`` tokens is never read.
    """

    kv_heads: int
    key_dim: int
    value_dim: int
    values_in_keys: bool = False
    window: int | None = None


class CachePool(Protocol):
    """Pages of keys and values for every layer, in an implementation's own layout.

    ``pages`` and ``windows`` are those of the groups of layers, see ``groups.py``.
    """

    page_size: int

    @property
    def pages(self) -> tuple[int, ...]:
        """How many pages each group has."""
        ...

    @property
    def windows(self) -> tuple[int | None, ...]:
        """The window of each group; None keeps everything."""
        ...

    @property
    def nbytes(self) -> int:
        """Bytes of all pages of all layers."""
        ...

    def copy_page(self, source: int, target: int, group: int | None = None) -> None:
        """Copy one page of a group's layers, or of all layers.

        This is what makes a shared, half-filled page one's own.
        """
        ...


@dataclass(frozen=True, slots=True)
class AttentionRule:
    """How one layer attends.

    Attributes:
        scale: factor on ``q @ k``.
        window: keys that a token sees, itself included (token i sees j with i - j < window); None
            is all.
        softcap: ``cap * tanh(score / cap)`` before the mask; None is off.
        sinks: float32 [heads]: a score that each head gives to nothing, beside its keys; it takes
            its share of the softmax and adds no value (gpt-oss). None is off.
    """

    scale: float
    window: int | None = None
    softcap: float | None = None
    sinks: Tensor | None = field(default=None, compare=False)


SLICE_FLOPS = 10e9
"""Of kernels that nothing else is known of: at 300 Gop/s on one thread a slice takes 33 ms."""


class Kernels(Protocol):
    """What an implementation provides. Nothing here changes its arguments except the cache.

    Attributes:
        slice_flops: arithmetic (two for each weight and token) of a part of a prompt for each
            thread, after which a cancel may take effect: some 30 to 70 milliseconds.
    """

    name: str
    slice_flops: float
    device: torch.device
    dtype: torch.dtype

    def pack(self, weight: Weight, part_done: PartDone = None) -> Packed:
        """Lay a matrix out for ``linear`` and ``embed``; the source may be freed afterwards.

        Args:
            weight: the matrix.
            part_done: see ``PartDone``; who needs no parts does not call it.
        """
        ...

    def linear(self, x: Tensor, weight: Packed, bias: Tensor | None = None) -> Tensor:
        """``x @ weight.T + bias``: [tokens, columns] -> [tokens, rows]."""
        ...

    def embed(self, ids: Tensor, weight: Packed) -> Tensor:
        """Rows of ``weight`` for int64 ``ids`` [tokens] -> [tokens, columns]."""
        ...

    def rms_norm(self, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        """``x / sqrt(mean(x²) + eps) * weight``, last dimension, in float32 (RMSNorm, eq. 4)."""
        ...

    def make_cache(
        self,
        layers: tuple[CacheShape, ...],
        pages: int | Sequence[int],
        page_size: int,
        bits: int,
    ) -> CachePool:
        """Allocate the pool, or raise ``EngineError(OUT_OF_MEMORY)``.

        Args:
            layers: what each layer keeps of a token.
            pages: of each group of layers, or one number for all groups.
            page_size: tokens a page.
            bits: of a value, 16 or 8.
        """
        ...

    def attend(
        self,
        layer: int,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        cache: CachePool,
        batch: Batch,
        rule: AttentionRule,
    ) -> Tensor:
        """Write the step's keys and values into the pages, then attend causally over them.

        Args:
            layer: which layer of the pool.
            q: [tokens, heads, key_dim]; heads is a multiple of kv_heads (grouped-query attention).
            k: [tokens, kv_heads, key_dim].
            v: [tokens, kv_heads, value_dim].
            cache: the pool.
            batch: which rows belong to which sequence and pages.
            rule: scale, window, soft cap.

        Returns:
            [tokens, heads, value_dim].
        """
        ...

    def warm_up(self, progress: Callable[[int, int], None]) -> None:
        """Compile what a step needs and no earlier start has left on disk.

        Args:
            progress: called with (done, all).
        """
        ...

    def close(self) -> None:
        """End what computes besides the calling thread; nothing is computed afterwards."""
        ...
