"""A decoder's step from its plan, kernel by kernel, for one token of each sequence or for slices.

The same code runs at once and while it is recorded: it reads nothing from the device and every
shape follows from its arguments' shapes. The residual is float32 and is summed inside the norms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.kernels.cuda.attending import Places, attend
from engine.kernels.cuda.launches import Heads, Launches
from engine.kernels.interface import Packed
from engine.kernels.plan import (
    AnglesPlan,
    AttentionPlan,
    BlockPlan,
    DecoderPlan,
    FeedForwardPlan,
    LinearPlan,
    MixturePlan,
    NormPlan,
)
from engine.kernels.reference import ReferenceWeight
from engine.kernels.reference_cache import ReferenceCache


@dataclass(frozen=True, slots=True)
class Input:
    """One step's tensors, on the device.

    Attributes:
        ids: int64 [tokens].
        positions: int64 [tokens].
        places: slots, page tables and lengths, for each group of layers.
        logit_rows: int64, the rows whose logits are wanted; None is all.
    """

    ids: Tensor
    positions: Tensor
    places: tuple[Places, ...]
    logit_rows: Tensor | None = None


class Residual:
    """The float32 sum of all layers; the last layer's share is added when somebody reads it."""

    def __init__(self, x: Tensor, launches: Launches) -> None:
        self._x = x
        self._launches = launches
        self._added: Tensor | None = None
        self._factor = 1.0

    def add(self, y: Tensor, factor: float = 1.0) -> None:
        """Add ``y * factor``."""
        self.total()
        self._added, self._factor = y.contiguous(), factor

    def normed(self, plan: NormPlan | None) -> Tensor:
        """The norm of the sum, or the sum itself."""
        if plan is None:
            return self.total()
        y = self._launches.norm(self._x, plan, self._added, self._factor)
        self._added = None
        return y

    def total(self) -> Tensor:
        """The sum, float32 [tokens, hidden]."""
        if self._added is not None:
            self._x.add_(self._added, alpha=self._factor)
            self._added = None
        return self._x


class DecoderStep:
    """Computes the logits of a step.

    Args:
        plan: the decoder.
        launches: start the kernels.
        embed: rows of a packed matrix by ids.
    """

    def __init__(
        self,
        plan: DecoderPlan,
        launches: Launches,
        embed: Callable[[Tensor, Packed], Tensor],
    ) -> None:
        self._plan = plan
        self._launches = launches
        self._embed = embed

    def __call__(self, step: Input, cache: ReferenceCache) -> Tensor:
        """float32 [wanted rows, vocabulary]; the cache holds the step's tokens afterwards."""
        plan = self._plan
        x = self._embed(step.ids, plan.embedding).float() * plan.embedding_scale
        residual = Residual(x, self._launches)
        angles = {id(a): _tables(a, step.positions) for a in _angles(plan)}
        for block in plan.blocks:
            turn = None if block.grouped.angles is None else angles[id(block.grouped.angles)]
            places = step.places[cache.group_of(block.grouped.layer)]
            self._block(block, residual, places, cache, turn)
        if step.logit_rows is not None:
            residual = Residual(residual.total()[step.logit_rows], self._launches)
        logits = self._linear(residual.normed(plan.norm), plan.head, torch.float32)
        logits = logits if plan.logit_scale == 1.0 else logits * plan.logit_scale
        if plan.logit_softcap is not None:
            logits = plan.logit_softcap * torch.tanh(logits / plan.logit_softcap)
        return logits

    def _block(
        self,
        block: BlockPlan,
        residual: Residual,
        places: Places,
        cache: ReferenceCache,
        angles: tuple[Tensor, Tensor] | None,
    ) -> None:
        x = residual.normed(block.before_attention)
        y = self._attention(x, block.grouped, places, cache, angles)
        if block.parallel:
            same = _is_same(block.before_attention, block.before_feed_forward)
            x = x if same else residual.normed(block.before_feed_forward)
            residual.add(y)
            residual.add(self._feed_forward(x, block.feed_forward))
            return
        residual.add(self._after(y, block.after_attention), block.residual_scale)
        x = residual.normed(block.before_feed_forward)
        y = self._feed_forward(x, block.feed_forward)
        residual.add(self._after(y, block.after_feed_forward), block.residual_scale)

    def _after(self, y: Tensor, norm: NormPlan | None) -> Tensor:
        """A norm that leads to the sum; float32, for Gemma's exceeds float16 there."""
        return y if norm is None else self._launches.norm(y, norm, dtype=torch.float32)

    def _attention(
        self,
        x: Tensor,
        plan: AttentionPlan,
        places: Places,
        cache: ReferenceCache,
        angles: tuple[Tensor, Tensor] | None,
    ) -> Tensor:
        qkv = self._linear(x, plan.qkv)
        if plan.clip is not None:
            qkv = qkv.clamp(-plan.clip, plan.clip)
        norms = None if plan.q_norm is None or plan.k_norm is None else (plan.q_norm, plan.k_norm)
        if norms is not None and plan.norm_whole:
            self._norm_whole(qkv, plan, *norms)
            norms = None
        layer = cache.layers[plan.layer]
        assert layer.values is not None
        heads = Heads(plan.heads, plan.kv_heads, plan.head_dim, norms, angles)
        q = self._launches.place_heads(qkv, heads, places.slots, layer.keys, layer.values)
        mixed = attend(self._launches, q, layer, places, cache.page_size, plan.rule)
        return self._linear(mixed.flatten(1), plan.out)

    def _norm_whole(self, qkv: Tensor, plan: AttentionPlan, q: NormPlan, k: NormPlan) -> None:
        """Norms over all heads of a token as one row, in place."""
        end = plan.heads * plan.head_dim
        for rows, norm in (
            (qkv[:, :end], q),
            (qkv[:, end : end + plan.kv_heads * plan.head_dim], k),
        ):
            rows.copy_(self._launches.norm(rows, norm))

    def _feed_forward(self, x: Tensor, plan: FeedForwardPlan | MixturePlan) -> Tensor:
        if isinstance(plan, MixturePlan):
            raise TypeError("experts are driven layer by layer")
        x = self._linear(x, plan.up)
        x = self._launches.gate(x, plan.gate, plan.gated, plan.alpha, plan.limit)
        return self._linear(x, plan.down)

    def _linear(self, x: Tensor, plan: LinearPlan, dtype: torch.dtype | None = None) -> Tensor:
        parts, first = [], 0
        for packed in plan.weights:
            rows = packed.shape[0]
            bias = None if plan.bias is None else plan.bias[first : first + rows]
            parts.append(multiply(self._launches, x, packed, bias, dtype))
            first += rows
        return parts[0] if len(parts) == 1 else torch.cat(parts, dim=-1)


def multiply(
    launches: Launches,
    x: Tensor,
    packed: Packed,
    bias: Tensor | None,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """``x @ weight.T + bias`` for a weight in its canonical form."""
    if not isinstance(packed, ReferenceWeight):
        raise TypeError(f"a weight of other kernels: {type(packed).__name__}")
    weight = packed.weight
    if not isinstance(weight, Tensor):
        return launches.linear(x, weight, bias, dtype)
    own = None if bias is None else bias.to(launches.dtype)
    y = F.linear(x.to(launches.dtype), weight, own)
    return y if dtype is None else y.to(dtype)


def _angles(plan: DecoderPlan) -> Iterator[AnglesPlan]:
    for block in plan.blocks:
        if block.grouped.angles is not None:
            yield block.grouped.angles


def _tables(plan: AnglesPlan, positions: Tensor) -> tuple[Tensor, Tensor]:
    angles = positions.unsqueeze(1).float() * plan.frequencies
    return angles.cos() * plan.factor, angles.sin() * plan.factor


def _is_same(one: NormPlan | None, other: NormPlan | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.weight is other.weight and one.bias is other.bias
