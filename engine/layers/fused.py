"""A decoder described in the kernels' terms, so that they may compile its step whole.

What is here must say the same as the layers' own ``__call__``; a layer that is not known here
leaves the decoder to be driven layer by layer (None), never to be described almost right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.contract.faults import Notice
from engine.kernels.batch import Batch
from engine.kernels.drawing import Burst, DrawRule, Draws, DrawsBursts, NextToken
from engine.kernels.interface import CachePool, CacheShape
from engine.kernels.plan import (
    AnglesPlan,
    AttentionPlan,
    BlockPlan,
    DecoderPlan,
    FeedForwardPlan,
    LatentPlan,
    LinearPlan,
    MixturePlan,
    NormPlan,
    StepCompiler,
    StepRunner,
)
from engine.layers.attention import Attention
from engine.layers.block import Block, ParallelBlock
from engine.layers.decoder import Decoder
from engine.layers.experts import Experts
from engine.layers.feed_forward import FeedForward, UnknownPart, feed_forward_plan
from engine.layers.latent_attention import LatentAttention
from engine.layers.linear import Linear
from engine.layers.norm import LayerNorm, Norm, RmsNorm
from engine.layers.rotary import Rotary


@dataclass(frozen=True, slots=True)
class FusedDecoder:
    """A decoder whose kernels run its steps whole.

    Attributes:
        decoder: whose parts they are.
        runner: runs the steps.
    """

    decoder: Decoder
    runner: StepRunner

    @property
    def vocabulary(self) -> int:
        """See ``Decoder``."""
        return self.decoder.vocabulary

    @property
    def context_length(self) -> int:
        """See ``Decoder``."""
        return self.decoder.context_length

    @property
    def cache_layers(self) -> tuple[CacheShape, ...]:
        """See ``Decoder``."""
        return self.decoder.cache_layers

    @property
    def weight_bytes(self) -> int:
        """See ``Decoder``."""
        return self.decoder.weight_bytes

    @property
    def notices(self) -> tuple[Notice, ...]:
        """See ``Decoder``."""
        return self.decoder.notices

    @torch.inference_mode()
    def forward(self, batch: Batch, cache: CachePool) -> Tensor:
        """See ``Decoder``."""
        return self.runner.forward(batch, cache)

    @property
    def most_rows(self) -> int:
        """See ``engine.kernels.drawing.Draws``; 0 where the kernels cannot draw."""
        return self.runner.most_rows if isinstance(self.runner, Draws) else 0

    def queue(self, tokens: Sequence[NextToken], cache: CachePool) -> Callable[[], list[int]]:
        """See ``engine.kernels.drawing.Draws``."""
        if not isinstance(self.runner, Draws):
            raise TypeError(f"{type(self.runner).__name__} draws no tokens")
        return self.runner.queue(tokens, cache)

    def longest_burst(self, rule: DrawRule) -> int:
        """See ``engine.kernels.drawing.DrawsBursts``; 1 where the kernels have none."""
        return self.runner.longest_burst(rule) if isinstance(self.runner, DrawsBursts) else 1

    def burst(self, burst: Burst, cache: CachePool) -> list[int]:
        """See ``engine.kernels.drawing.DrawsBursts``."""
        if not isinstance(self.runner, DrawsBursts):
            raise TypeError(f"{type(self.runner).__name__} has no bursts")
        return self.runner.burst(burst, cache)


def fuse(decoder: Decoder) -> Decoder | FusedDecoder:
    """The decoder with its steps compiled whole, where its kernels can do that; else itself."""
    if not isinstance(decoder.kernels, StepCompiler):
        return decoder
    plan = describe(decoder)
    runner = None if plan is None else decoder.kernels.compile_step(plan)
    return decoder if runner is None else FusedDecoder(decoder, runner)


def describe(decoder: Decoder) -> DecoderPlan | None:
    """The plan of a decoder, or None where one of its parts is not known here."""
    rotaries: dict[int, AnglesPlan] = {}
    try:
        return DecoderPlan(
            embedding=decoder.embedding.weight,
            embedding_scale=decoder.embedding.scale,
            blocks=tuple(_block(block, rotaries) for block in decoder.blocks),
            norm=_norm(decoder.norm),
            head=decoder.head.plan(),
            logit_scale=decoder.logit_scale,
            logit_softcap=decoder.logit_softcap,
        )
    except UnknownPart:
        return None


def _block(block: object, rotaries: dict[int, AnglesPlan]) -> BlockPlan:
    if not isinstance(block, Block | ParallelBlock):
        raise UnknownPart(type(block).__name__)
    parallel = isinstance(block, ParallelBlock)
    return BlockPlan(
        attention=_mixer(block.attention, rotaries),
        feed_forward=_feed_forward(block.feed_forward),
        before_attention=_optional(block.before_attention),
        before_feed_forward=_optional(block.before_feed_forward),
        after_attention=None
        if isinstance(block, ParallelBlock)
        else _optional(block.after_attention),
        after_feed_forward=(
            None if isinstance(block, ParallelBlock) else _optional(block.after_feed_forward)
        ),
        residual_scale=1.0 if isinstance(block, ParallelBlock) else block.residual_scale,
        parallel=parallel,
    )


def _mixer(mixer: object, rotaries: dict[int, AnglesPlan]) -> AttentionPlan | LatentPlan:
    if isinstance(mixer, Attention):
        return _attention(mixer, rotaries)
    if not isinstance(mixer, LatentAttention):
        raise UnknownPart(type(mixer).__name__)
    return _latent(mixer, _angles(mixer.rotary, rotaries))


def _latent(attention: LatentAttention, angles: AnglesPlan) -> LatentPlan:
    query = attention.query
    first = query.up if query.down is None else query.down
    turning = 2 * len(angles.frequencies)
    return LatentPlan(
        layer=attention.layer,
        heads=attention.heads,
        latent=attention.latent,
        plain=attention.key_up.shape[1],
        turning=turning,
        value=attention.value_up.shape[1],
        first=_side_by_side(first, attention.down),
        query_norm=_head_norm(query.norm),
        query=None if query.down is None else query.up.plan(),
        norm=_norm(_rms(attention.norm)),
        key_up=attention.key_up,
        value_up=attention.value_up,
        out=attention.out.plan(),
        rule=attention.rule,
        angles=angles,
    )


def _side_by_side(first: Linear, second: Linear) -> LinearPlan:
    """Two projections of the same rows as one."""
    bias = None
    if first.bias is not None or second.bias is not None:
        both = [torch.zeros(x.rows) if x.bias is None else x.bias for x in (first, second)]
        bias = torch.cat([part.float().cpu() for part in both])
    return LinearPlan((*first.weights, *second.weights), bias)


def _rms(norm: Norm) -> RmsNorm:
    """The norm of a latent: no kernel has a mean or bias there."""
    if not isinstance(norm, RmsNorm):
        raise UnknownPart(type(norm).__name__)
    return norm


def _attention(attention: Attention, rotaries: dict[int, AnglesPlan]) -> AttentionPlan:
    return AttentionPlan(
        layer=attention.layer,
        heads=attention.heads,
        kv_heads=attention.kv_heads,
        head_dim=attention.head_dim,
        qkv=attention.qkv.plan(),
        out=attention.out.plan(),
        rule=attention.rule,
        angles=None if attention.rotary is None else _angles(attention.rotary, rotaries),
        q_norm=_head_norm(attention.q_norm),
        k_norm=_head_norm(attention.k_norm),
        norm_whole=attention.norm_whole,
        clip=attention.clip,
    )


def _angles(rotary: Rotary, rotaries: dict[int, AnglesPlan]) -> AnglesPlan:
    """One plan for each rotary, so that layers which share it share its tables."""
    if id(rotary) not in rotaries:
        rotaries[id(rotary)] = AnglesPlan(rotary.frequencies, rotary.factor)
    return rotaries[id(rotary)]


def _feed_forward(layer: FeedForward) -> FeedForwardPlan | MixturePlan:
    if not isinstance(layer, Experts):
        return feed_forward_plan(layer)
    if layer.plan is None:
        raise UnknownPart(type(layer).__name__)
    return layer.plan


def _head_norm(norm: Norm | None) -> NormPlan | None:
    """The norm of queries or keys: without a mean or bias, which no kernel has there."""
    return None if norm is None else _norm(_rms(norm))


def _optional(norm: Norm | None) -> NormPlan | None:
    return None if norm is None else _norm(norm)


def _norm(norm: Norm) -> NormPlan:
    if isinstance(norm, RmsNorm):
        return NormPlan(norm.weight, norm.eps)
    if isinstance(norm, LayerNorm):
        return NormPlan(norm.weight, norm.eps, centred=True, bias=norm.bias)
    raise UnknownPart(type(norm).__name__)
