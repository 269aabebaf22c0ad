"""How the Triton kernels are started: grids, tile sizes and the shapes that each of them takes.

Tile sizes are chosen for the shared memory of consumer cards (99 KiB a block on sm_86 and sm_89,
the least of those that matter); no GPU has tuned them yet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from engine.kernels.cuda import triton_linear, triton_parts
from engine.kernels.plan import Gate, NormPlan
from engine.kernels.reference_cache import ByteSlots, FloatSlots, Slots
from engine.weights import Grouped4, Grouped8

Launch = Callable[[Any, tuple[int, ...], tuple[Any, ...], dict[str, Any]], None]
"""Starts a kernel: (kernel, grid, arguments, constants and options)."""

MOST_VECTOR_ROWS = 8
"""Rows of an input up to which a product is a reduction; more go to the tensor cores."""


def start(
    kernel: Any, grid: tuple[int, ...], arguments: tuple[Any, ...], constants: dict[str, Any]
) -> None:
    """Start a kernel on the current stream of its first argument's device."""
    with torch.cuda.device_of(arguments[0]):  # type: ignore[no-untyped-call]
        kernel[grid](*arguments, **constants)


def power_of_two(count: int, least: int = 1) -> int:
    """The smallest power of two that is at least ``count`` and ``least``."""
    return max(least, 1 << (count - 1).bit_length())


def stored(slots: Slots) -> tuple[Tensor, Tensor | None]:
    """What a cache's slots keep: values, or codes and their scales."""
    if isinstance(slots, FloatSlots):
        return slots.x, None
    if isinstance(slots, ByteSlots):
        return slots.codes, slots.scale
    raise TypeError(f"a cache of other kernels: {type(slots).__name__}")


@dataclass(frozen=True, slots=True)
class Heads:
    """How a row of queries, keys and values is cut, and what happens to each head.

    Attributes:
        heads, kv_heads, dim: of the attention.
        norms: of one query head and one key head, or None.
        angles: cosine and sine, float32 [tokens, turning / 2], or None.
    """

    heads: int
    kv_heads: int
    dim: int
    norms: tuple[NormPlan, NormPlan] | None = None
    angles: tuple[Tensor, Tensor] | None = None


class Launches:
    """Starts kernels; every method returns new tensors, so a recording owns what it writes.

    Args:
        dtype: of the activations.
        processors: of the device, to be kept busy.
        launch: starts a kernel; tests record or compile instead.
    """

    def __init__(self, dtype: torch.dtype, processors: int, launch: Launch = start) -> None:
        self.dtype = dtype
        self.processors = processors
        self.launch = launch

    def linear(
        self,
        x: Tensor,
        weight: Grouped4 | Grouped8,
        bias: Tensor | None = None,
        dtype: torch.dtype | None = None,
    ) -> Tensor:
        """``x @ weight.T + bias``: [tokens, columns] -> [tokens, rows], of ``dtype`` if given."""
        x = x.to(self.dtype)
        if x.stride(1) != 1:
            x = x.contiguous()
        y = torch.empty(len(x), weight.shape[0], dtype=dtype or self.dtype, device=x.device)
        if len(x) > MOST_VECTOR_ROWS:
            self._matrix(x, weight, bias, y)
        elif len(x) and isinstance(weight, Grouped4):
            self._rows_4(x, weight, bias, y)
        elif len(x) and isinstance(weight, Grouped8):
            self._rows_8(x, weight, bias, y)
        return y

    def norm(
        self,
        x: Tensor,
        plan: NormPlan,
        added: Tensor | None = None,
        factor: float = 1.0,
        dtype: torch.dtype | None = None,
    ) -> Tensor:
        """The norm of ``x`` [rows, columns]; first ``x += added * factor`` where there is some."""
        y = torch.empty(x.shape, dtype=dtype or self.dtype, device=x.device)
        has_bias = plan.bias is not None
        arguments = (
            *(x, x if added is None else added, plan.weight, plan.bias if has_bias else x, y),
            *(x.shape[1], x.stride(0), y.stride(0), plan.eps, factor),
        )
        block = power_of_two(x.shape[1])
        constants = {
            "ADDS": added is not None,
            "CENTRED": plan.centred,
            "HAS_BIAS": has_bias,
            "BLOCK": block,
            "num_warps": 8 if block > 2048 else 4,
        }
        if len(x):
            self.launch(triton_parts.normalise, (len(x),), arguments, constants)
        return y

    def place_heads(
        self, qkv: Tensor, heads: Heads, slots: Tensor, keys: Slots, values: Slots
    ) -> Tensor:
        """Write keys and values into their slots; the queries as [tokens, heads, dim].

        Args:
            qkv: [tokens, (heads + 2 * kv_heads) * dim].
            heads: how to cut it.
            slots: int64 [tokens]; below 0 nothing is written.
            keys: of the layer.
            values: of the layer.
        """
        q = qkv.new_empty(len(qkv), heads.heads, heads.dim)
        (k, k_scale), (v, v_scale) = stored(keys), stored(values)
        cos, sin = heads.angles or (qkv, qkv)
        q_norm, k_norm = heads.norms or (None, None)
        arguments = (
            *(qkv, cos, sin, qkv if q_norm is None else q_norm.weight),
            *(qkv if k_norm is None else k_norm.weight, slots, q, k, v),
            *(k if k_scale is None else k_scale, v if v_scale is None else v_scale),
            *(qkv.stride(0), 0.0 if q_norm is None else q_norm.eps),
        )
        constants = {
            "HEADS": heads.heads,
            "KV_HEADS": heads.kv_heads,
            "DIM": heads.dim,
            "HALF": 0 if heads.angles is None else cos.shape[1],
            "NORMS": heads.norms is not None,
            "BYTES": k_scale is not None,
            "BLOCK": power_of_two(heads.dim),
            "num_warps": 1,
        }
        grid = (len(qkv), heads.heads + 2 * heads.kv_heads)
        if len(qkv):
            self.launch(triton_parts.place_heads, grid, arguments, constants)
        return q

    def gate(
        self, x: Tensor, kind: Gate, gated: bool, alpha: float = 0.0, limit: float = 0.0
    ) -> Tensor:
        """``kind(first half) * second half`` of [tokens, 2 * wide], or ``kind(x)``."""
        columns = x.shape[1] // 2 if gated else x.shape[1]
        y = x.new_empty(len(x), columns)
        block = min(1024, power_of_two(columns))
        constants = {"KIND": str(kind), "GATED": gated, "BLOCK": block}
        if len(x):
            grid = (len(x), -(-columns // block))
            self.launch(triton_parts.gate, grid, (x, y, columns, alpha, limit), constants)
        return y

    def _rows_4(self, x: Tensor, weight: Grouped4, bias: Tensor | None, y: Tensor) -> None:
        rows, columns = weight.shape
        m = power_of_two(len(x))
        block_n = 8 if m <= 2 else 4
        minimum = weight.scale if weight.minimum is None else weight.minimum
        arguments = (
            *(x, weight.codes, weight.scale, minimum, y if bias is None else bias, y),
            *(len(x), rows, columns, x.stride(0)),
        )
        constants = {
            "GROUP": weight.group,
            "HAS_MINIMUM": weight.minimum is not None,
            "HAS_BIAS": bias is not None,
            "M": m,
            "BLOCK_N": block_n,
            "BLOCK_K": min(512, power_of_two(columns, weight.group)),
        }
        self.launch(triton_linear.multiply_rows_4, (-(-rows // block_n),), arguments, constants)

    def _rows_8(self, x: Tensor, weight: Grouped8, bias: Tensor | None, y: Tensor) -> None:
        rows, columns = weight.shape
        m = power_of_two(len(x))
        block_n = 8 if m <= 2 else 4
        of_row = weight.group == columns
        arguments = (
            *(x, weight.codes, weight.scale, y if bias is None else bias, y),
            *(len(x), rows, columns, x.stride(0)),
        )
        constants = {
            "GROUP": 0 if of_row else weight.group,
            "HAS_BIAS": bias is not None,
            "M": m,
            "BLOCK_N": block_n,
            "BLOCK_K": min(256, power_of_two(columns, 1 if of_row else weight.group)),
        }
        self.launch(triton_linear.multiply_rows_8, (-(-rows // block_n),), arguments, constants)

    def _matrix(
        self, x: Tensor, weight: Grouped4 | Grouped8, bias: Tensor | None, y: Tensor
    ) -> None:
        rows, columns = weight.shape
        minimum = weight.minimum if isinstance(weight, Grouped4) else None
        block_m = min(64, power_of_two(len(x), 16))
        of_row = isinstance(weight, Grouped8) and weight.group == columns
        arguments = (
            *(x, weight.codes, weight.scale, weight.scale if minimum is None else minimum),
            *(y if bias is None else bias, y, len(x), rows, columns, x.stride(0), weight.group),
        )
        constants = {
            "BITS": 4 if isinstance(weight, Grouped4) else 8,
            "HAS_MINIMUM": minimum is not None,
            "HAS_BIAS": bias is not None,
            "BLOCK_M": block_m,
            "BLOCK_N": 64,
            "BLOCK_K": 64 if of_row else min(64, weight.group),
            "num_stages": 3,
        }
        grid = (-(-len(x) // block_m), -(-rows // 64))
        self.launch(triton_linear.multiply_matrix, grid, arguments, constants)
