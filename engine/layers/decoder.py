"""A decoder: embedding, blocks, norm, head. What every family of ours builds.

Its parts are named and nested dataclasses (``decoder.blocks[3].attention.qkv.weights``), so that a
runner that fuses the step walks them instead of calling them; what it does not know it leaves to
``forward``.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from engine.contract.faults import Notice
from engine.kernels.batch import Batch
from engine.kernels.interface import CachePool, CacheShape, Kernels
from engine.layers.block import Block, ParallelBlock
from engine.layers.linear import Embedding, Linear
from engine.layers.norm import Norm
from engine.layers.placed import PlacedBlock
from engine.layers.step import Step


@dataclass(frozen=True, slots=True)
class Decoder:
    """A causal language model.

    Attributes:
        kernels: what computes.
        embedding: ids to the residual stream.
        blocks: the layers, in order; block i owns layer i of the cache.
        norm: the last one, before the head.
        head: to the vocabulary; its weights are the embedding's where the two are tied.
        context_length: tokens that the model was made for.
        weight_bytes: bytes of all weights as they are packed.
        notices: what a user must be told about the checkpoint.
        logit_scale: factor on the logits.
        logit_softcap: ``cap * tanh(logit / cap)``; None is off.
    """

    kernels: Kernels
    embedding: Embedding
    blocks: tuple[Block | ParallelBlock | PlacedBlock, ...]
    norm: Norm
    head: Linear
    context_length: int
    weight_bytes: int
    notices: tuple[Notice, ...] = ()
    logit_scale: float = 1.0
    logit_softcap: float | None = None

    @property
    def vocabulary(self) -> int:
        """Logits a token; padded vocabularies have more of them than the tokenizer has ids."""
        return self.head.rows

    @property
    def cache_layers(self) -> tuple[CacheShape, ...]:
        """What each layer keeps of a token."""
        return tuple(block.attention.cache_shape for block in self.blocks)

    @torch.inference_mode()
    def forward(self, batch: Batch, cache: CachePool) -> Tensor:
        """Run one step; the cache holds the batch's tokens afterwards.

        Returns:
            float32 [len(batch.logit_rows), vocabulary].
        """
        step = Step(batch, cache)
        x = self.embedding(batch.ids)
        for block in self.blocks:
            x = block(x, step)
        x = x.to(self.kernels.device)  # the last layer's may be another
        x = x[batch.logit_rows.to(x.device)]
        logits = self.head(self.norm(x)).float()
        if self.logit_scale != 1.0:
            logits = logits * self.logit_scale
        if self.logit_softcap is not None:
            logits = self.logit_softcap * torch.tanh(logits / self.logit_softcap)
        return logits
