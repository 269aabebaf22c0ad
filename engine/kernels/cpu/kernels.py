"""``CpuKernels``: the kernel interface on this machine's processor."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import psutil
import torch
from torch import Tensor

from engine.contract.faults import EngineError, FaultKind
from engine.kernels.batch import Batch
from engine.kernels.cpu.attention import attend_cache, attend_queries
from engine.kernels.cpu.bursts import draw_next, find_maxima
from engine.kernels.cpu.cache import PagedCache
from engine.kernels.cpu.cache_pages import store_cache
from engine.kernels.cpu.decoder_steps import angles, finish_logits, place_heads
from engine.kernels.cpu.embedding import embed
from engine.kernels.cpu.expert_program import mixes_in_tiles
from engine.kernels.cpu.expert_step import Mixture
from engine.kernels.cpu.fine_matrices import multiply_fine
from engine.kernels.cpu.matrices import multiply_float
from engine.kernels.cpu.matrix_tables import (
    Needs,
    Prepared,
    embedding_figures,
    float_table,
    quantized_table,
    working_bytes,
)
from engine.kernels.cpu.memory import Arena
from engine.kernels.cpu.native_library import NativeLibrary
from engine.kernels.cpu.norms import norm_rows, residual
from engine.kernels.cpu.packing import pack_float, pack_quantized
from engine.kernels.cpu.processor import Processor, this_processor
from engine.kernels.cpu.products import gated, prepare, product
from engine.kernels.cpu.program import await_programs, begin_turn, run_program
from engine.kernels.cpu.quantized_products import multiply_quantized
from engine.kernels.cpu.step_program import attention_scratch, score_figures, supported
from engine.kernels.cpu.step_runner import CompiledStep
from engine.kernels.cpu.step_tables import StepState
from engine.kernels.cpu.tables import (
    ATTEND,
    BARRIER,
    BARRIER_IF_SHARED,
    EMBED,
    NO_BARRIER,
    NORM,
    PREPARE,
    PRODUCT,
    RMS_NORM,
    fill,
    float_bits,
)
from engine.kernels.cpu.threads import Instruction, Program, Threads
from engine.kernels.cpu.token_draw import TokenDraw, TokenDraws, draw_token, draws_by
from engine.kernels.cpu.weights import (
    ELEMENTS,
    PackedFloat,
    PackedQuantized,
    pack_float_weight,
    pack_quantized_weight,
    packed_here,
    quantized_layout,
)
from engine.kernels.drawing import DrawRule
from engine.kernels.groups import Groups
from engine.kernels.interface import SLICE_FLOPS, AttentionRule, CachePool, CacheShape, Packed
from engine.kernels.interruption import Interruption, StepInterrupted
from engine.kernels.plan import DecoderPlan, MixturePlan, StepRunner
from engine.weights import PartDone, Weight

STEP_OPERATIONS = (
    run_program, begin_turn, await_programs, pack_quantized, pack_float, multiply_quantized,
    multiply_fine, multiply_float, embed, prepare, product, gated, attend_queries, attend_cache,
    angles, place_heads, residual, finish_logits, draw_token, find_maxima, draw_next,
)  # fmt: skip
"""What a decoder's step may be made of, and the draw after it."""
SHARED_WORK = 1 << 20
"""Multiplications from which waking the other threads pays."""


class CpuKernels:
    """Kernels in float32 with int8 activations in matrix products.

    Args:
        threads: how many threads compute.
        precise: multiply with float activations instead: slower, and free of their rounding.
        processor: whose instructions they are made of; None: this machine's best.
    """

    name = "cpu"
    device = torch.device("cpu")
    dtype = torch.float32

    def __init__(
        self, threads: int, *, precise: bool = False, processor: Processor | None = None
    ) -> None:
        self.precise = precise
        self.library = NativeLibrary(processor or this_processor())
        self.slice_flops = SLICE_FLOPS if precise else self.library.processor.slice_flops
        self.threads = Threads(threads)
        self.interruption = Interruption()
        self._arena = Arena()
        self._activations = np.zeros(0, np.uint8)
        self._mixtures: dict[int, Mixture] = {}
        self._state = StepState(threads)
        self._draws = TokenDraws()

    def warm_up(self, progress: Callable[[int, int], None]) -> None:
        """Compile every operation of a decoder's step that is not on disk yet.

        Args:
            progress: called with (done, all).
        """
        for done, made in enumerate(STEP_OPERATIONS):
            progress(done, len(STEP_OPERATIONS))
            made.compile()
        progress(len(STEP_OPERATIONS), len(STEP_OPERATIONS))

    def close(self) -> None:
        """End the threads."""
        self.threads.close()

    def compile_step(self, plan: DecoderPlan) -> StepRunner | None:
        """A whole step as one program, or None for shapes that only single operations do."""
        if not supported(plan):
            return None
        held = self.library, self.threads, self._draws, self.interruption
        return CompiledStep(plan, *held, precise=self.precise)

    def drawing(self, rule: DrawRule) -> TokenDraw | None:
        """What draws tokens by a rule; see ``DrawsHere``."""
        return self._draws.by(rule) if draws_by(rule) else None

    def pack(self, weight: Weight, part_done: PartDone = None) -> Packed:
        """Lay a matrix out in tiles of 16 rows."""
        if isinstance(weight, Tensor):
            weight = weight if weight.dtype in ELEMENTS else weight.float()
            data = pack_float_weight(weight, self._arena, self.threads, part_done)
            shape, element = (weight.shape[0], weight.shape[1]), ELEMENTS[weight.dtype]
            return PackedFloat(
                shape, element, data, float_table(shape, element, data, self.library)
            )
        layout = quantized_layout(weight)
        data = pack_quantized_weight(weight, layout, self._arena, self.threads)
        table = quantized_table(weight.shape, layout, data, self.library, precise=self.precise)
        return PackedQuantized(weight.shape, layout, data, table)

    def linear(self, x: Tensor, weight: Packed, bias: Tensor | None = None) -> Tensor:
        """``x @ weight.T + bias``."""
        held = packed_here(weight)
        x = _rows(x)
        y = torch.empty(len(x), held.shape[0])
        start = None if bias is None else bias.float().contiguous()
        needs = Needs.of([held], precise=self.precise)
        instructions: list[Instruction] = []
        source = {"x": x.data_ptr(), "x_step": x.stride(0) * 4, "private": 0}
        if not needs.floats:
            rows = needs.rows(len(x), self.threads.count)
            memory = self._need_activations(rows * (needs.block_step + needs.word_step))
            into = Prepared(needs, memory, 0, memory)
            source = into.source(int(held.table["kind"][0]), private=True)
            figures = into.preparing(self.library)
            figures |= {"x": x.data_ptr(), "x_step": x.stride(0) * 4, "columns": x.shape[1]}
            before = fill(PREPARE, figures)
            instructions.append((prepare, before.ctypes.data, BARRIER_IF_SHARED))
        figures = source | {
            "matrix": held.table.ctypes.data, "start": 0 if start is None else start.data_ptr(),
            "y": y.data_ptr(), "y_step": held.shape[0] * 4,
        }  # fmt: skip
        table = fill(PRODUCT, figures)
        instructions.append((product, table.ctypes.data, NO_BARRIER))
        self._state.need_scratch(working_bytes(held) + 8192)
        self._go(len(x), len(x) * held.shape[0] * held.shape[1], instructions)
        return y

    def mix(self, x: Tensor, plan: MixturePlan, picks: Tensor, weights: Tensor) -> Tensor | None:
        """Each token's experts, added up by their weights; None for shapes not of whole tiles."""
        if not mixes_in_tiles(plan):
            return None
        x, picks, weights = _rows(x), picks.contiguous(), weights.float().contiguous()
        known = self._mixtures.get(id(plan))
        if known is None or known.rows < len(x):
            known = Mixture(plan, self.library, self.threads.count, len(x), precise=self.precise)
            self._mixtures[id(plan)] = known
        y = torch.empty(len(x), x.shape[1])
        known.bind(x, picks, weights, y)
        self._state.need_scratch(known.scratch)
        work = sum(weight.shape[0] for weight in plan.experts[0].up.weights) * x.numel()
        self._go(len(x), work * plan.taken, known.instructions)
        return y

    def embed(self, ids: Tensor, weight: Packed) -> Tensor:
        """Rows of a packed weight."""
        held = packed_here(weight)
        ids = ids.contiguous()
        y = torch.empty(len(ids), held.shape[1])
        figures = embedding_figures(held) | {
            "y": y.data_ptr(), "y_step": held.shape[1] * 4, "scale_bits": float_bits(1.0)
        }  # fmt: skip
        table = fill(EMBED, figures)
        self._state.need_scratch(working_bytes(held))
        self._state.table["ids"] = ids.data_ptr()
        self._go(len(ids), 32 * y.numel(), [(embed, table.ctypes.data, NO_BARRIER)])
        return y

    def rms_norm(self, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        """``x / sqrt(mean(x²) + eps) * weight`` over the last dimension."""
        columns = x.shape[-1]
        x, scale = x.float().contiguous(), weight.float().contiguous()
        y = torch.empty_like(x)
        figures = {
            "x": x.data_ptr(), "x_step": columns * 4, "norm": RMS_NORM, "weight": scale.data_ptr(),
            "columns": columns, "y": y.data_ptr(), "y_step": columns * 4,
            "epsilon_bits": float_bits(eps),
        }  # fmt: skip
        table = fill(NORM, figures)
        rows = x.numel() // columns
        self._go(rows, 4 * x.numel(), [(norm_rows, table.ctypes.data, NO_BARRIER)])
        return y

    def make_cache(
        self,
        layers: tuple[CacheShape, ...],
        pages: int | Sequence[int],
        page_size: int,
        bits: int,
    ) -> PagedCache:
        """Allocate the pool."""
        if bits not in {8, 16}:
            raise EngineError(
                FaultKind.SETTING_INVALID, name="cache_bits", value=bits, allowed="8, 16"
            )
        groups = Groups.of(layers, pages)
        needed = PagedCache.size(layers, groups, page_size, bits)
        free = psutil.virtual_memory().available
        if needed > free:
            raise EngineError(FaultKind.OUT_OF_MEMORY, needed=needed, free=free, device="cpu")
        return PagedCache(layers, groups, page_size, bits, Arena(needed))

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
        sinks = None if rule.sinks is None else rule.sinks.float().contiguous()
        figures = cache.figures(layer) | score_figures(self.library, cache.element)
        figures |= {
            "q": q.data_ptr(), "q_step": q.stride(0) * 4, "k": k.data_ptr(),
            "k_step": k.stride(0) * 4, "v": v.data_ptr(), "v_step": v.stride(0) * 4,
            "y": y.data_ptr(), "y_step": y.stride(0) * 4, "heads": q.shape[1],
            "kv_heads": held.shape.kv_heads, "key_dim": held.shape.key_dim,
            "value_dim": held.shape.value_dim, "window": rule.window or 0,
            "scale_bits": float_bits(rule.scale), "softcap_bits": float_bits(rule.softcap or 0.0),
            "sinks": 0 if sinks is None else sinks.data_ptr(),
        }  # fmt: skip
        table = fill(ATTEND, figures)
        self._state.need_scratch(attention_scratch(cache))
        self._state.set_batch(batch, len(cache.windows))
        keys = sum(span.tokens * (span.start + span.tokens) for span in batch.spans)
        work = 4 * keys * q.shape[1] * held.shape.key_dim
        both: list[Instruction] = [
            (store_cache, table.ctypes.data, BARRIER),
            (attend_cache, table.ctypes.data, NO_BARRIER),
        ]
        self._go(len(q), work, both)
        return y

    def _need_activations(self, size: int) -> int:
        """The address of memory for quantized activations."""
        if self._activations.size < size:
            self._activations = np.zeros(size, np.uint8)
        return int(self._activations.ctypes.data)

    def _go(self, rows: int, work: int, instructions: list[Instruction]) -> None:
        if self.interruption.is_set:
            raise StepInterrupted
        self._state.need_scratch(8192)
        self._state.table["rows"] = rows
        threads = None if work >= SHARED_WORK else 1
        self.threads.run(Program(instructions), self._state.table, threads)


def _rows(x: Tensor) -> Tensor:
    """Rows of float32 whose columns are neighbours in memory."""
    x = x.float()
    return x if x.stride(-1) == 1 and x.stride(0) >= 0 else x.contiguous()
