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
from engine.kernels.drawing import Draws, NextToken
from engine.kernels.interface import CachePool, CacheShape
from engine.kernels.plan import (
    AnglesPlan,
    AttentionPlan,
    BlockPlan,
    DecoderPlan,
    FeedForwardPlan,
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
    attention = block.attention
    if not isinstance(attention, Attention):
        raise UnknownPart(type(attention).__name__)
    return BlockPlan(
        attention=_attention(attention, rotaries),
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
    if norm is not None and not isinstance(norm, RmsNorm):
        raise UnknownPart(type(norm).__name__)
    return _optional(norm)


def _optional(norm: Norm | None) -> NormPlan | None:
    return None if norm is None else _norm(norm)


def _norm(norm: Norm) -> NormPlan:
    if isinstance(norm, RmsNorm):
        return NormPlan(norm.weight, norm.eps)
    if isinstance(norm, LayerNorm):
        return NormPlan(norm.weight, norm.eps, centred=True, bias=norm.bias)
    raise UnknownPart(type(norm).__name__)
