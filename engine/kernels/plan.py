"""A decoder as plain figures and packed weights: what an implementation may compile a step from.

Layers describe themselves in these terms (``engine.layers.fused``); an implementation that can run
such a step in fewer, larger pieces takes the description, any other answers None and is driven
operation by operation. Nothing here computes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

from torch import Tensor

from engine.kernels.batch import Batch
from engine.kernels.interface import AttentionRule, CachePool, Packed


class Gate(StrEnum):
    """The non-linearity of a feed-forward."""

    SILU = "silu"
    GELU = "gelu"
    GELU_TANH = "gelu_tanh"
    RELU = "relu"
    RELU_SQUARED = "relu_squared"
    CLAMPED = "clamped"  # with ``FeedForwardPlan.alpha`` and ``limit``


@dataclass(frozen=True, slots=True)
class NormPlan:
    """RMS norm; with ``centred`` a layer norm, whose bias may be None."""

    weight: Tensor
    eps: float
    centred: bool = False
    bias: Tensor | None = None


@dataclass(frozen=True, slots=True)
class LinearPlan:
    """Consecutive blocks of output rows, and one bias over all of them."""

    weights: tuple[Packed, ...]
    bias: Tensor | None


@dataclass(frozen=True, slots=True)
class AnglesPlan:
    """Rotary frequencies, float32 [rotary_dim / 2], and the factor on cosine and sine."""

    frequencies: Tensor
    factor: float


@dataclass(frozen=True, slots=True)
class AttentionPlan:
    """Grouped-query attention; see ``engine.layers.attention`` for what each figure means."""

    layer: int
    heads: int
    kv_heads: int
    head_dim: int
    qkv: LinearPlan
    out: LinearPlan
    rule: AttentionRule
    angles: AnglesPlan | None
    q_norm: NormPlan | None
    k_norm: NormPlan | None
    norm_whole: bool
    clip: float | None


@dataclass(frozen=True, slots=True)
class LatentPlan:
    """Multi-head latent attention; see ``engine.layers.latent_attention``.

    Attributes:
        layer, heads: of the cache, and of queries.
        latent, plain, turning, value: values of the latent, of a head's two parts, of its output.
        first: hidden -> queries, or their latent, then latent + turning.
        query_norm, query: latent of the queries -> queries; None where ``first`` makes them.
        norm: on the latent.
        key_up, value_up: float [heads, plain or value, latent].
        out: [heads * value] -> hidden.
        rule: scale.
        angles: of the turning parts.
    """

    layer: int
    heads: int
    latent: int
    plain: int
    turning: int
    value: int
    first: LinearPlan
    query_norm: NormPlan | None
    query: LinearPlan | None
    norm: NormPlan
    key_up: Tensor
    value_up: Tensor
    out: LinearPlan
    rule: AttentionRule
    angles: AnglesPlan


@dataclass(frozen=True, slots=True)
class FeedForwardPlan:
    """``down(gate(first half) * second half)``, or ``down(gate(up))`` where not ``gated``.

    ``alpha`` and ``limit`` belong to the clamped gate (``engine.layers.feed_forward``).
    """

    up: LinearPlan
    down: LinearPlan
    gate: Gate
    gated: bool
    alpha: float = 0.0
    limit: float = 0.0


@dataclass(frozen=True, slots=True)
class RoutingPlan:
    """How a token chooses experts; see ``engine.layers.experts.Routing`` for each figure."""

    chosen: int
    sigmoid: bool
    normalise: bool
    scale: float
    groups: int
    groups_chosen: int
    group_members: int


@dataclass(frozen=True, slots=True)
class MixturePlan:
    """Experts of which each token takes some, and one that all take.

    Attributes:
        router: float32 [experts, hidden].
        bias: float32 [experts] on the router's logits, or None.
        correction: float32 [experts] on the scores while choosing, or None.
        routing: how a token chooses.
        experts: all of them.
        shared: the one that every token takes, or None.
        shared_gate: float32 [1, hidden]: its sigmoid weighs the shared expert, or None.
    """

    router: Tensor
    bias: Tensor | None
    correction: Tensor | None
    routing: RoutingPlan
    experts: tuple[FeedForwardPlan, ...]
    shared: FeedForwardPlan | None
    shared_gate: Tensor | None

    @property
    def every(self) -> tuple[FeedForwardPlan, ...]:
        """The experts, then the shared one, if there is one."""
        return self.experts if self.shared is None else (*self.experts, self.shared)

    @property
    def taken(self) -> int:
        """Experts that a token goes through, the shared one included."""
        return self.routing.chosen + (self.shared is not None)


@dataclass(frozen=True, slots=True)
class BlockPlan:
    """One layer; ``parallel``: attention and feed-forward see the same residual."""

    attention: AttentionPlan | LatentPlan
    feed_forward: FeedForwardPlan | MixturePlan
    before_attention: NormPlan | None
    before_feed_forward: NormPlan | None
    after_attention: NormPlan | None
    after_feed_forward: NormPlan | None
    residual_scale: float
    parallel: bool

    @property
    def grouped(self) -> AttentionPlan:
        """The attention, which must be grouped-query attention."""
        if not isinstance(self.attention, AttentionPlan):
            raise TypeError(f"not grouped-query attention: {type(self.attention).__name__}")
        return self.attention


@dataclass(frozen=True, slots=True)
class DecoderPlan:
    """A whole decoder."""

    embedding: Packed
    embedding_scale: float
    blocks: tuple[BlockPlan, ...]
    norm: NormPlan
    head: LinearPlan
    logit_scale: float
    logit_softcap: float | None


class StepRunner(Protocol):
    """A compiled step."""

    def forward(self, batch: Batch, cache: CachePool) -> Tensor:
        """Logits, float32 [len(batch.logit_rows), vocabulary]; see ``Decoder.forward``."""
        ...


@runtime_checkable
class StepCompiler(Protocol):
    """Kernels that can compile a whole step."""

    def compile_step(self, plan: DecoderPlan) -> StepRunner | None:
        """The step of a decoder, or None where it has a shape that only single operations do."""
        ...


@runtime_checkable
class ExpertMixer(Protocol):
    """Kernels that take all experts of a layer at once."""

    def mix(self, x: Tensor, plan: MixturePlan, picks: Tensor, weights: Tensor) -> Tensor | None:
        """Each token's experts, added up by their weights.

        Args:
            x: [tokens, hidden].
            plan: the experts; its router is not asked.
            picks: int64 [tokens, taken]: indices into ``plan.every``.
            weights: float32 [tokens, taken].

        Returns:
            float32 [tokens, hidden]; None for shapes that only single products do.
        """
        ...
