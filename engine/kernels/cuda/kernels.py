"""The interface on an NVIDIA GPU: what Triton does well over the reference's cache and weights.

Weights and pages have the reference's layout, so whatever has no kernel here (latent attention,
heads wider than 256, odd groups) runs as the reference does, on the same tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from engine.kernels.batch import Batch
from engine.kernels.cuda.attending import Slices, attend, can_attend, slices_of
from engine.kernels.cuda.graphs import MOST_ROWS, DecodeGraphs
from engine.kernels.cuda.launches import Launch, Launches, start
from engine.kernels.cuda.recording import Recorder
from engine.kernels.cuda.step import DecoderStep, Input, multiply
from engine.kernels.drawing import NextToken
from engine.kernels.interface import AttentionRule, CachePool, Packed
from engine.kernels.plan import AttentionPlan, DecoderPlan, FeedForwardPlan, NormPlan
from engine.kernels.reference import ReferenceKernels
from engine.kernels.reference_cache import ReferenceCache


class CudaKernels(ReferenceKernels):
    """Triton kernels on one device; see ``interface.Kernels``.

    Args:
        device: the GPU.
        dtype: bfloat16 or float16.
        recorder: of the device.
        processors: multiprocessors of the device.
        launch: starts a kernel.
    """

    name = "Triton"

    def __init__(
        self,
        device: torch.device,
        dtype: torch.dtype,
        recorder: Recorder,
        processors: int,
        launch: Launch = start,
    ) -> None:
        super().__init__(device, dtype)
        self._recorder = recorder
        self._launches = Launches(dtype, processors, launch)
        self._slices: tuple[Batch, list[Slices]] | None = None

    def linear(self, x: Tensor, weight: Packed, bias: Tensor | None = None) -> Tensor:
        """``x @ weight.T + bias``: [tokens, columns] -> [tokens, rows]."""
        return multiply(self._launches, x, weight, bias)

    def rms_norm(self, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        """``x / sqrt(mean(x²) + eps) * weight``, last dimension, in float32 (RMSNorm, eq. 4)."""
        rows = x.reshape(-1, x.shape[-1])
        return self._launches.norm(rows, NormPlan(weight, eps)).view(x.shape)

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
        """Write the step's keys and values into the pages, then attend causally over them."""
        pool = own(cache)
        store = pool.layers[layer]
        if not can_attend(store.shape):
            return super().attend(layer, q, k, v, cache, batch, rule)
        slices = self.slices(batch, pool)[pool.group_of(layer)]
        store.write(slices.slots, k, v)
        q = q.to(self.dtype).contiguous()
        return attend(self._launches, q, store, slices, pool.page_size, rule)

    def slices(self, batch: Batch, cache: ReferenceCache) -> list[Slices]:
        """The batch's tables for each group of layers, made once a batch."""
        if self._slices is None or self._slices[0] is not batch:
            groups = range(len(cache.windows))
            made = [slices_of(batch.spans, g, cache.page_size, self.device) for g in groups]
            self._slices = (batch, made)
        return self._slices[1]

    def compile_step(self, plan: DecoderPlan) -> CudaStep | None:
        """The step of a decoder, or None where a layer has no kernels here."""
        for block in plan.blocks:
            if not isinstance(block.attention, AttentionPlan):
                return None
            if block.attention.head_dim > 256 or not isinstance(
                block.feed_forward, FeedForwardPlan
            ):
                return None
        step = DecoderStep(plan, self._launches, self.embed)
        return CudaStep(step, self, DecodeGraphs(step, self._recorder, self.device))


class CudaStep:
    """Recorded steps where every sequence has one new token, else the kernels one by one.

    Args:
        step: computes.
        kernels: whose step it is.
        graphs: the recorded steps.
    """

    most_rows = MOST_ROWS

    def __init__(self, step: DecoderStep, kernels: CudaKernels, graphs: DecodeGraphs) -> None:
        self._step = step
        self._kernels = kernels
        self._graphs = graphs

    def forward(self, batch: Batch, cache: CachePool) -> Tensor:
        """See ``engine.kernels.plan.StepRunner``."""
        pool = own(cache)
        if len(batch.spans) <= MOST_ROWS and all(span.tokens == 1 for span in batch.spans):
            return self._graphs.forward(batch, pool)
        device = self._kernels.device
        places = tuple(self._kernels.slices(batch, pool))
        rows = batch.logit_rows.to(device)
        return self._step(
            Input(batch.ids.to(device), batch.positions.to(device), places, rows), pool
        )

    def queue(self, tokens: Sequence[NextToken], cache: CachePool) -> Callable[[], list[int]]:
        """See ``engine.kernels.drawing.Draws``."""
        return self._graphs.queue(tokens, own(cache))


def own(cache: CachePool) -> ReferenceCache:
    """The cache as these kernels made it.

    Raises:
        TypeError: other kernels made it.
    """
    if not isinstance(cache, ReferenceCache):
        raise TypeError(f"a cache of other kernels: {type(cache).__name__}")
    return cache
