"""Models of common shapes with random weights, for measuring speed without a download."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from engine.kernels.interface import AttentionRule, Kernels, Packed
from engine.layers.attention import Attention
from engine.layers.block import Block
from engine.layers.decoder import Decoder
from engine.layers.feed_forward import Activation, GatedFeedForward
from engine.layers.linear import Embedding, Linear
from engine.layers.norm import RmsNorm
from engine.layers.rotary import Rotary
from engine.weights import Grouped4, Grouped8, Weight

FORMS = ("int4", "int8", "bf16")
GROUP = 32


@dataclass(frozen=True)
class Shape:
    """The figures of a Llama-shaped model."""

    name: str
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    dim: int
    wide: int
    vocabulary: int


SHAPES = (
    Shape("1B", 2048, 16, 32, 8, 64, 8192, 128256),
    Shape("8B", 4096, 32, 32, 8, 128, 14336, 128256),
    Shape("14B", 5120, 40, 40, 8, 128, 17408, 151936),
)


def random_weight(form: str, rows: int, columns: int, device: torch.device) -> Weight:
    """A matrix whose products stay of the size of their input."""
    if form == "bf16":
        return torch.randn(rows, columns, device=device, dtype=torch.bfloat16) / columns**0.5
    groups = (rows, columns // GROUP)
    scale = torch.full(groups, 0.2 / columns**0.5, device=device, dtype=torch.float16)
    if form == "int8":
        codes = torch.randint(-127, 128, (rows, columns), device=device, dtype=torch.int8)
        return Grouped8(codes, scale / 16, GROUP)
    codes = torch.randint(0, 256, (rows, columns // 2), device=device, dtype=torch.uint8)
    return Grouped4(codes, scale, -7.5 * scale, GROUP)


def random_decoder(shape: Shape, form: str, kernels: Kernels) -> Decoder:
    """A decoder of that shape, its weights in that form."""
    device = kernels.device

    def packed(rows: int, columns: int) -> Packed:
        return kernels.pack(random_weight(form, rows, columns, device))

    def linear(rows: int, columns: int) -> Linear:
        return Linear(kernels, (packed(rows, columns),))

    def norm() -> RmsNorm:
        return RmsNorm(kernels, torch.ones(shape.hidden, device=device), 1e-5)

    half: Tensor = torch.arange(0, shape.dim, 2, device=device) / shape.dim
    rotary = Rotary(500000.0**-half)

    def block(layer: int) -> Block:
        attention = Attention(
            kernels=kernels,
            layer=layer,
            heads=shape.heads,
            kv_heads=shape.kv_heads,
            head_dim=shape.dim,
            qkv=linear((shape.heads + 2 * shape.kv_heads) * shape.dim, shape.hidden),
            out=linear(shape.hidden, shape.heads * shape.dim),
            rule=AttentionRule(shape.dim**-0.5),
            rotary=rotary,
        )
        feed_forward = GatedFeedForward(
            linear(2 * shape.wide, shape.hidden),
            linear(shape.hidden, shape.wide),
            Activation.SILU,
        )
        return Block(attention, feed_forward, norm(), norm())

    embedding = packed(shape.vocabulary, shape.hidden)
    return Decoder(
        kernels=kernels,
        embedding=Embedding(kernels, embedding),
        blocks=tuple(block(layer) for layer in range(shape.layers)),
        norm=norm(),
        head=Linear(kernels, (embedding,)),
        context_length=1 << 17,
        weight_bytes=0,
    )


def weight_bytes(decoder: Decoder) -> int:
    """Bytes of weights that one token reads."""
    total = sum(weight.nbytes for weight in decoder.head.weights)
    for block in decoder.blocks:
        attention, feed_forward = block.attention, block.feed_forward
        assert isinstance(attention, Attention)
        assert isinstance(feed_forward, GatedFeedForward)
        for part in (attention.qkv, attention.out, feed_forward.gate_up, feed_forward.down):
            total += sum(weight.nbytes for weight in part.weights)
    return total
