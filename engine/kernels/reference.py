"""The interface in plain torch: the truth that the compiled kernels are tested against.

It runs on any device that torch knows (CPU, CUDA, MPS) and in any float dtype. It promises
plainness, not speed: quantized weights are dequantized for each product, attention is two einsums
in float32, and nothing is fused. What rounds, rounds once, at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import psutil
import torch
import torch.nn.functional as F
from torch import Tensor

from engine.contract.faults import EngineError, FaultKind
from engine.kernels.batch import Batch, Span
from engine.kernels.groups import Groups
from engine.kernels.interface import SLICE_FLOPS, AttentionRule, CachePool, CacheShape, Packed
from engine.kernels.reference_cache import CacheLayer, ReferenceCache
from engine.weights import Grouped4, Grouped8, PartDone, Weight, dense, pick_rows


@dataclass(frozen=True, slots=True)
class ReferenceWeight:
    """A weight in its canonical form, on the device."""

    weight: Weight

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns) of the matrix."""
        rows, columns = self.weight.shape
        return rows, columns

    @property
    def nbytes(self) -> int:
        """Bytes that it holds."""
        return self.weight.nbytes


class ReferenceKernels:
    """Plain torch on one device; see ``interface.Kernels`` for what each method promises.

    Args:
        device: where weights and activations live.
        dtype: of the activations between the operations; sums and norms are float32 inside.
        slow_because: why no faster kernels could be taken, where some were wished.
    """

    name = "reference"
    slice_flops = SLICE_FLOPS

    def __init__(
        self,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
        slow_because: str = "",
    ) -> None:
        self.device = torch.device(device)
        self.dtype = dtype
        self.slow_because = slow_because

    def pack(self, weight: Weight, part_done: PartDone = None) -> ReferenceWeight:
        """Keep the canonical form; a plain tensor takes the activations' dtype."""
        return ReferenceWeight(_moved(weight, self.device, self.dtype))

    def linear(self, x: Tensor, weight: Packed, bias: Tensor | None = None) -> Tensor:
        """``x @ weight.T + bias``: [tokens, columns] -> [tokens, rows]."""
        matrix = dense(_own(weight), self.dtype)
        return F.linear(x.to(self.dtype), matrix, None if bias is None else bias.to(self.dtype))

    def embed(self, ids: Tensor, weight: Packed) -> Tensor:
        """Rows of ``weight`` for int64 ``ids`` [tokens] -> [tokens, columns]."""
        return dense(pick_rows(_own(weight), ids.to(self.device)), self.dtype)

    def rms_norm(self, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        """``x / sqrt(mean(x²) + eps) * weight``, last dimension, in float32 (RMSNorm, eq. 4)."""
        wide = x.float()
        scale = torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps)
        return (wide * scale * weight.float()).to(self.dtype)

    def make_cache(
        self,
        layers: tuple[CacheShape, ...],
        pages: int | Sequence[int],
        page_size: int,
        bits: int,
    ) -> ReferenceCache:
        """Allocate the pool, or raise ``EngineError(OUT_OF_MEMORY)``.

        Args:
            layers: what each layer keeps of a token.
            pages: of each group of layers, or one number for all groups.
            page_size: tokens a page.
            bits: 16 keeps values in the activations' dtype, 8 as signed bytes with a float32
                scale for each token and head.
        """
        if bits not in {8, 16}:
            raise EngineError(
                FaultKind.SETTING_INVALID, name="cache_bits", value=bits, allowed="8, 16"
            )
        groups = Groups.of(layers, pages)
        slots = [groups.pages[group] * page_size for group in groups.of_layer]
        sized = list(zip(layers, slots, strict=True))
        needed = sum(CacheLayer.bytes_for(shape, n, bits, self.dtype) for shape, n in sized)
        free = _free_bytes(self.device)
        if needed > free:
            raise self._out_of_memory(needed, free)
        try:
            made = tuple(
                CacheLayer.make(shape, n, bits, self.dtype, self.device) for shape, n in sized
            )
        except (torch.OutOfMemoryError, RuntimeError) as error:
            raise self._out_of_memory(needed, _free_bytes(self.device)) from error
        return ReferenceCache(made, groups, page_size)

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

        Shapes: see ``interface.Kernels.attend``.
        """
        if not isinstance(cache, ReferenceCache):
            raise TypeError(f"a cache of other kernels: {type(cache).__name__}")
        store = cache.layers[layer]
        out = q.new_empty(*q.shape[:2], v.shape[-1], dtype=self.dtype)
        for span, slots in zip(batch.spans, cache.slots(batch, layer), strict=True):
            rows = slice(span.first, span.first + span.tokens)
            store.write(slots[span.start :], k[rows], v[rows])
            first = _first_key(span, rule)
            keys, values = store.read(slots[first:])
            out[rows] = attend_span(q[rows], keys, values, span.start - first, rule).to(self.dtype)
        return out

    def warm_up(self, progress: Callable[[int, int], None]) -> None:
        """Nothing of it is compiled."""
        progress(0, 0)

    def close(self) -> None:
        """Nothing of it computes beside the calling thread."""

    def _out_of_memory(self, needed: int, free: int) -> EngineError:
        return EngineError(
            FaultKind.OUT_OF_MEMORY, needed=needed, free=free, device=str(self.device)
        )


def attend_span(
    q: Tensor, keys: Tensor, values: Tensor, offset: int, rule: AttentionRule
) -> Tensor:
    """Causal attention of one sequence's new tokens over its keys, in float32.

    The mask is aligned to the bottom right: the last query sees the last key, however many keys
    came before it.

    Args:
        q: [tokens, heads, key_dim].
        keys: [seen, kv_heads, key_dim], seen >= tokens.
        values: [seen, kv_heads, value_dim].
        offset: index in ``keys`` of the first query's own key.
        rule: scale, window, soft cap, sinks; the cap acts before the mask (Gemma 2, section 2).

    Returns:
        float32 [tokens, heads, value_dim].
    """
    tokens, heads, key_dim = q.shape
    seen, kv_heads, value_dim = values.shape
    grouped = q.float().view(tokens, kv_heads, heads // kv_heads, key_dim)
    scores = torch.einsum("tkgd,nkd->kgtn", grouped, keys.float()) * rule.scale
    if rule.softcap is not None:
        scores = rule.softcap * torch.tanh(scores / rule.softcap)
    i = torch.arange(offset, offset + tokens, device=q.device).unsqueeze(1)
    j = torch.arange(seen, device=q.device)
    hidden = j > i
    if rule.window is not None:
        hidden |= i - j >= rule.window
    scores = scores.masked_fill_(hidden, -torch.inf)
    if rule.sinks is not None:
        sinks = rule.sinks.view(kv_heads, -1, 1, 1).expand(*scores.shape[:-1], 1)
        scores = torch.cat((scores, sinks), dim=-1)
    weights = scores.softmax(-1)[..., :seen]
    mixed = torch.einsum("kgtn,nkd->tkgd", weights, values.float())
    return mixed.reshape(tokens, heads, value_dim)


def _first_key(span: Span, rule: AttentionRule) -> int:
    """Position of the oldest key that any new token of the span may see."""
    return 0 if rule.window is None else max(0, span.start - rule.window + 1)


def _own(weight: Packed) -> Weight:
    if not isinstance(weight, ReferenceWeight):
        raise TypeError(f"a weight of other kernels: {type(weight).__name__}")
    return weight.weight


def _moved(weight: Weight, device: torch.device, dtype: torch.dtype) -> Weight:
    if isinstance(weight, Grouped4):
        minimum = None if weight.minimum is None else weight.minimum.to(device)
        return Grouped4(weight.codes.to(device), weight.scale.to(device), minimum, weight.group)
    if isinstance(weight, Grouped8):
        return Grouped8(weight.codes.to(device), weight.scale.to(device), weight.group)
    return weight.to(device, dtype)


def _free_bytes(device: torch.device) -> int:
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    return psutil.virtual_memory().available
