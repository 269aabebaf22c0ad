"""``CpuKernels``: the kernel interface on this machine's processor."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.contract.faults import EngineError, FaultKind
from engine.kernels.batch import Batch
from engine.kernels.cpu.attention import CHUNK, QUERIES, attend_cache, store_cache
from engine.kernels.cpu.cache import PagedCache
from engine.kernels.cpu.float_tile import Element
from engine.kernels.cpu.layout import ACTIVATION_BYTES, BLOCK, TILE_ROWS
from engine.kernels.cpu.memory import Arena
from engine.kernels.cpu.native_library import NativeLibrary
from engine.kernels.cpu.norms import rms_norm
from engine.kernels.cpu.processor import this_processor
from engine.kernels.cpu.products import embed, float_product, product, quantize
from engine.kernels.cpu.tables import (
    ATTEND,
    BARRIER,
    BARRIER_IF_SHARED,
    EMBED,
    FLOAT_PRODUCT,
    NO_BARRIER,
    NORM,
    PRODUCT,
    QUANTIZE,
    SPAN,
    STEP,
)
from engine.kernels.cpu.threads import Instruction, Program, Threads
from engine.kernels.cpu.weights import (
    ELEMENTS,
    PackedFloat,
    PackedQuantized,
    pack_float_weight,
    pack_quantized_weight,
)
from engine.kernels.interface import AttentionRule, CachePool, CacheShape, Packed
from engine.weights import Weight

SHARED_WORK = 1 << 20
"""Multiplications from which waking the other threads pays."""


def _bits(value: float) -> int:
    """The bits of a float32."""
    return int(struct.unpack("<i", struct.pack("<f", value))[0])


def fill(kind: Any, figures: Mapping[str, int]) -> Any:
    """A table of ``kind`` with these figures."""
    table = np.zeros(1, kind)
    for name, value in figures.items():
        table[name] = value
    return table


class CpuKernels:
    """Kernels in float32 with int8 activations in matrix products.

    Args:
        threads: how many threads compute.
        precise: multiply with float activations instead: slower, and free of their rounding.
    """

    name = "cpu"
    device = torch.device("cpu")
    dtype = torch.float32

    def __init__(self, threads: int, *, precise: bool = False) -> None:
        self.precise = precise
        self.library = NativeLibrary(this_processor())
        self.threads = Threads(threads)
        self._arena = Arena()
        self._scratch = np.zeros(0, np.uint8)
        self._activations = np.zeros(0, np.uint8)
        self._step = np.zeros(1, STEP)

    def close(self) -> None:
        """End the threads."""
        self.threads.close()

    def pack(self, weight: Weight) -> Packed:
        """Lay a matrix out in tiles of 16 rows."""
        if not isinstance(weight, Tensor):
            return pack_quantized_weight(weight, self._arena, self.threads)
        if weight.dtype not in ELEMENTS:
            weight = weight.float()
        return pack_float_weight(weight, self._arena, self.threads)

    def linear(self, x: Tensor, weight: Packed, bias: Tensor | None = None) -> Tensor:
        """``x @ weight.T + bias``."""
        x = _rows(x)
        y = torch.empty(x.shape[0], weight.shape[0])
        start = None if bias is None else bias.float().contiguous()
        if isinstance(weight, PackedQuantized) and not self.precise:
            self._quantized(x, weight, start, y)
        elif isinstance(weight, PackedQuantized | PackedFloat):
            self._float(x, weight, start, y)
        else:
            raise TypeError(f"not packed by these kernels: {type(weight).__name__}")
        return y

    def _quantized(
        self, x: Tensor, weight: PackedQuantized, start: Tensor | None, y: Tensor
    ) -> None:
        blocks = weight.padded_columns // BLOCK
        step = blocks * ACTIVATION_BYTES
        private = step * x.shape[0]
        self._need_activations(private * self.threads.count)
        base = self._activations.ctypes.data
        table = fill(
            QUANTIZE,
            {
                "function": self.library.quantize_row(), "x": x.data_ptr(),
                "x_step": x.stride(0) * 4, "columns": x.shape[1], "padded": blocks, "out": base,
                "out_step": step, "private_step": private,
            },
        )  # fmt: skip
        functions = self.library.products(weight.layout)
        figures = {
            "function1": functions[1], "function2": functions[2], "function4": functions[4],
            "function8": functions[8], "w": weight.address, "tiles": weight.tiles,
            "records": weight.records, "tile_bytes": weight.tile_bytes, "x": base, "x_step": step,
            "private_step": private, "start": 0 if start is None else start.data_ptr(),
            "y": y.data_ptr(), "y_step": weight.shape[0] * 4, "outputs": weight.shape[0],
        }  # fmt: skip
        multiply = fill(PRODUCT, figures)
        work = x.shape[0] * weight.shape[0] * weight.shape[1]
        self._go(
            x.shape[0],
            work,
            [
                (quantize, table.ctypes.data, BARRIER_IF_SHARED),
                (product, multiply.ctypes.data, NO_BARRIER),
            ],
        )

    def _float(
        self, x: Tensor, weight: PackedQuantized | PackedFloat, start: Tensor | None, y: Tensor
    ) -> None:
        quantized = isinstance(weight, PackedQuantized)
        element = weight.element if isinstance(weight, PackedFloat) else Element.F32
        functions = self.library.float_products(element)
        figures = {
            "function1": functions[1], "function2": functions[2], "function4": functions[4],
            "w": weight.address, "tiles": weight.tiles, "tile_bytes": weight.tile_bytes,
            "depth": weight.shape[1], "depth_step": TILE_ROWS * element.nbytes,
            "x": x.data_ptr(), "x_step": x.stride(0) * 4,
            "start": 0 if start is None else start.data_ptr(), "y": y.data_ptr(),
            "y_step": weight.shape[0] * 4, "outputs": weight.shape[0],
            "w_tile_bytes": weight.tile_bytes,
        }  # fmt: skip
        if isinstance(weight, PackedQuantized):
            figures["unpack"] = self.library.unpack(weight.layout)
            figures["records"] = weight.records
            self._need_scratch((weight.padded_columns + 1) * TILE_ROWS * 4)
        table = fill(FLOAT_PRODUCT, figures)
        work = x.shape[0] * weight.shape[0] * weight.shape[1] * (4 if quantized else 2)
        self._go(x.shape[0], work, [(float_product, table.ctypes.data, NO_BARRIER)])

    def embed(self, ids: Tensor, weight: Packed) -> Tensor:
        """Rows of a packed weight."""
        ids = ids.contiguous()
        y = torch.empty(ids.shape[0], weight.shape[1])
        figures = {
            "ids": ids.data_ptr(), "columns": weight.shape[1], "y": y.data_ptr(),
            "y_step": weight.shape[1] * 4,
        }  # fmt: skip
        if isinstance(weight, PackedQuantized):
            figures |= {
                "w": weight.address, "tile_bytes": weight.tile_bytes, "records": weight.records,
                "unpack": self.library.unpack(weight.layout),
            }  # fmt: skip
            self._need_scratch(weight.padded_columns * TILE_ROWS * 4)
        elif isinstance(weight, PackedFloat):
            kinds = {Element.F32: 1, Element.F16: 2, Element.BF16: 3}
            figures |= {
                "w": weight.address, "tile_bytes": weight.tile_bytes,
                "element": kinds[weight.element],
            }  # fmt: skip
        else:
            raise TypeError(f"not packed by these kernels: {type(weight).__name__}")
        table = fill(EMBED, figures)
        self._go(ids.shape[0], 32 * y.numel(), [(embed, table.ctypes.data, NO_BARRIER)])
        return y

    def rms_norm(self, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        """``x / sqrt(mean(x²) + eps) * weight`` over the last dimension."""
        columns = x.shape[-1]
        x = x.float().contiguous()
        scale = weight.float().contiguous()
        y = torch.empty_like(x)
        figures = {
            "x": x.data_ptr(), "x_step": columns * 4, "weight": scale.data_ptr(),
            "columns": columns, "y": y.data_ptr(), "y_step": columns * 4,
            "epsilon_bits": _bits(eps),
        }  # fmt: skip
        table = fill(NORM, figures)
        rows = x.numel() // columns
        self._go(rows, 4 * x.numel(), [(rms_norm, table.ctypes.data, NO_BARRIER)])
        return y

    def make_cache(
        self, layers: tuple[CacheShape, ...], pages: int, page_size: int, bits: int
    ) -> PagedCache:
        """Allocate the pool."""
        if bits != 16:
            raise EngineError(
                FaultKind.SETTING_INVALID, name="cache_bits", value=bits, allowed="16"
            )
        return PagedCache(layers, pages, page_size, self._arena)

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
        """Write the step's keys and values, then attend causally over the pages."""
        if not isinstance(cache, PagedCache):
            raise TypeError(f"not a cache of these kernels: {type(cache).__name__}")
        held = cache.layers[layer]
        q, k, v = (part.float().contiguous() for part in (q, k, v))
        y = torch.empty(q.shape[0], q.shape[1], held.shape.value_dim)
        padded = held.values.shape[-1]
        functions = self.library.float_products(Element.F16)
        figures = {
            "q": q.data_ptr(), "q_step": q.stride(0) * 4, "k": k.data_ptr(),
            "k_step": k.stride(0) * 4, "v": v.data_ptr(), "v_step": v.stride(0) * 4,
            "y": y.data_ptr(), "y_step": y.stride(0) * 4, "heads": q.shape[1],
            "kv_heads": held.shape.kv_heads, "key_dim": held.shape.key_dim,
            "value_dim": held.shape.value_dim, "keys": held.keys.ctypes.data,
            "values": held.values.ctypes.data, "page_size": cache.page_size,
            "page_tokens": cache.page_tokens, "value_padded": padded, "window": rule.window or 0,
            "scale_bits": _bits(rule.scale), "softcap_bits": _bits(rule.softcap or 0.0),
            "score1": functions[1], "score2": functions[2], "score4": functions[4],
        }  # fmt: skip
        table = fill(ATTEND, figures)
        self._need_scratch(QUERIES * 4 * (CHUNK + cache.page_tokens + padded + 2))
        keep = self._set_spans(batch)
        keys = sum(span.tokens * (span.start + span.tokens) for span in batch.spans)
        work = 2 * keys * q.shape[1] * (held.shape.key_dim + padded)
        self._go(
            q.shape[0],
            work,
            [
                (store_cache, table.ctypes.data, BARRIER),
                (attend_cache, table.ctypes.data, NO_BARRIER),
            ],
        )
        del keep
        return y

    def _set_spans(self, batch: Batch) -> list[Any]:
        """Point the step at the batch's spans; the result must outlive the step."""
        pages = [np.array(span.pages, np.int64) for span in batch.spans]
        spans = np.zeros(len(batch.spans), SPAN)
        for row, (span, numbers) in enumerate(zip(batch.spans, pages, strict=True)):
            spans[row] = (span.first, span.tokens, span.start, numbers.ctypes.data)
        self._step["spans"], self._step["span_count"] = spans.ctypes.data, len(spans)
        return [*pages, spans]

    def _need_scratch(self, size: int) -> None:
        """Have ``size`` bytes for each thread."""
        size = -(-max(size, 4096) // 128) * 128
        if self._step["scratch_step"][0] < size:
            self._scratch = np.zeros(size * self.threads.count + 128, np.uint8)
            self._step["scratch"] = -(-self._scratch.ctypes.data // 128) * 128
            self._step["scratch_step"] = size

    def _need_activations(self, size: int) -> None:
        if self._activations.size < size:
            self._activations = np.zeros(size, np.uint8)

    def _go(self, rows: int, work: int, instructions: list[Instruction]) -> None:
        self._need_scratch(4096)
        self._step["rows"] = rows
        threads = None if work >= SHARED_WORK else 1
        self.threads.run(Program(instructions), self._step, threads)


def _rows(x: Tensor) -> Tensor:
    """Rows of float32 whose columns are neighbours in memory."""
    x = x.float()
    return x if x.stride(-1) == 1 and x.stride(0) >= 0 else x.contiguous()
