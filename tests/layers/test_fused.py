"""A fused decoder equals its layers, whatever they are made of.

The fused one multiplies float activations here (``precise``), so that only the float16 cache and
the order of sums stand between it and the reference: a wrong part shows at once.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from engine.kernels.batch import Batch, Span
from engine.kernels.cpu.kernels import CpuKernels
from engine.kernels.interface import AttentionRule, Kernels, Packed
from engine.kernels.reference import ReferenceKernels
from engine.layers.attention import Attention
from engine.layers.block import Block, ParallelBlock
from engine.layers.decoder import Decoder
from engine.layers.experts import Experts, Router, Routing, Scoring
from engine.layers.feed_forward import (
    Activation,
    ClampedFeedForward,
    FeedForward,
    GatedFeedForward,
    PlainFeedForward,
)
from engine.layers.fused import FusedDecoder, fuse
from engine.layers.latent_attention import LatentAttention, LatentQuery
from engine.layers.linear import Embedding, Linear
from engine.layers.norm import LayerNorm, RmsNorm
from engine.layers.rotary import Rotary
from engine.weights import Grouped4, Grouped8, Weight

HIDDEN, HEADS, KV_HEADS, HEAD_DIM, WIDE, VOCABULARY = 64, 6, 2, 16, 96, 75
PAGE = 16


class Parts:
    """Random parts, the same for every kernels because the seed is."""

    def __init__(self, kernels: Kernels, form: str) -> None:
        self.kernels = kernels
        self.form = form
        self.generator = torch.Generator().manual_seed(11)

    def random(self, *shape: int) -> Tensor:
        return torch.randn(*shape, generator=self.generator)

    def packed(self, rows: int, columns: int) -> Packed:
        x = self.random(rows, columns) / columns**0.5
        forms: dict[str, Any] = {
            "float32": lambda: x,
            "bfloat16": x.bfloat16,
            "8 bits": lambda: eight_bits(x),
            "4 bits": lambda: four_bits(x),
            "4 bits, groups of 16": lambda: four_bits(x, 16),
            "5 bits of 8": lambda: eight_bits(x, 15),
        }
        weight: Weight = forms[self.form]()
        return self.kernels.pack(weight)

    def linear(self, *rows: int, columns: int, bias: bool = False) -> Linear:
        weights = tuple(self.packed(count, columns) for count in rows)
        return Linear(self.kernels, weights, self.random(sum(rows)) if bias else None)

    def norm(self, size: int = HIDDEN) -> RmsNorm:
        return RmsNorm(self.kernels, 1 + 0.1 * self.random(size), 1e-5)

    def layer_norm(self, bias: bool) -> LayerNorm:
        weight = 1 + 0.1 * self.random(HIDDEN)
        return LayerNorm(self.kernels, weight, self.random(HIDDEN) if bias else None, 1e-5)

    def rotary(self, dim: int = HEAD_DIM) -> Rotary:
        return Rotary(10000.0 ** (-torch.arange(0, dim, 2) / dim), 1.1)

    def attention(self, layer: int, rotary: Rotary | None, **changes: Any) -> Attention:
        q, kv = HEADS * HEAD_DIM, KV_HEADS * HEAD_DIM
        made = Attention(
            kernels=self.kernels,
            layer=layer,
            heads=HEADS,
            kv_heads=KV_HEADS,
            head_dim=HEAD_DIM,
            qkv=self.linear(q, kv, kv, columns=HIDDEN, bias=True),
            out=self.linear(HIDDEN, columns=q),
            rule=AttentionRule(HEAD_DIM**-0.5),
            rotary=rotary,
        )
        return replace(made, **changes)

    def gated(self, activation: Activation = Activation.SILU) -> GatedFeedForward:
        up = self.linear(2 * WIDE, columns=HIDDEN, bias=True)
        return GatedFeedForward(up, self.linear(HIDDEN, columns=WIDE), activation)

    def plain(self, activation: Activation) -> PlainFeedForward:
        up = self.linear(WIDE, columns=HIDDEN, bias=True)
        return PlainFeedForward(up, self.linear(HIDDEN, columns=WIDE, bias=True), activation)

    def decoder(self, *blocks: Block | ParallelBlock, **changes: Any) -> Decoder:
        embedding = self.packed(VOCABULARY, HIDDEN)
        made = Decoder(
            kernels=self.kernels,
            embedding=Embedding(self.kernels, embedding, 3.0),
            blocks=blocks,
            norm=self.norm(),
            head=Linear(self.kernels, (embedding,)),
            context_length=64,
            weight_bytes=0,
        )
        return replace(made, **changes)


def eight_bits(x: Tensor, most: int = 127) -> Grouped8:
    groups = x.view(len(x), -1, 32)
    scale = (groups.abs().amax(-1) / most).half()
    codes = (groups / scale.float().unsqueeze(-1)).round().clamp(-most, most)
    return Grouped8(codes.to(torch.int8).view(x.shape), scale, 32)


def four_bits(x: Tensor, group: int = 32) -> Grouped4:
    groups = x.view(len(x), -1, group)
    least = groups.amin(-1).half()
    scale = ((groups.amax(-1) - least.float()) / 15).half()
    q = ((groups - least.float().unsqueeze(-1)) / scale.float().unsqueeze(-1)).round().clamp(0, 15)
    q = q.to(torch.uint8).view(len(x), -1, 2)
    return Grouped4(q[..., 0] | q[..., 1] << 4, scale, least, group)


def llama(parts: Parts) -> Decoder:
    rotary = parts.rotary()

    def block(layer: int) -> Block:
        return Block(parts.attention(layer, rotary), parts.gated(), parts.norm(), parts.norm())

    return parts.decoder(block(0), block(1))


def gemma(parts: Parts) -> Decoder:
    """Norms on both sides, head norms, windows, two rotaries, soft caps."""

    def block(layer: int, rotary: Rotary, window: int | None) -> Block:
        rule = AttentionRule(0.3, window=window, softcap=5.0)
        norms = {"q_norm": parts.norm(HEAD_DIM), "k_norm": parts.norm(HEAD_DIM)}
        return Block(
            parts.attention(layer, rotary, rule=rule, **norms),
            parts.gated(Activation.GELU_TANH),
            *(parts.norm() for _ in range(4)),
            residual_scale=0.7,
        )

    blocks = block(0, parts.rotary(), 5), block(1, parts.rotary(8), None)
    return parts.decoder(*blocks, logit_scale=0.5, logit_softcap=4.0)


def olmo(parts: Parts) -> Decoder:
    """Norms only on the way out, one norm over all heads, clipped queries, an own head."""
    norms = {"q_norm": parts.norm(HEADS * HEAD_DIM), "k_norm": parts.norm(KV_HEADS * HEAD_DIM)}
    attention = parts.attention(0, parts.rotary(), norm_whole=True, clip=1.5, **norms)
    block = Block(
        attention, parts.plain(Activation.RELU_SQUARED), None, None, parts.norm(), parts.norm()
    )
    return parts.decoder(block, head=parts.linear(VOCABULARY, columns=HIDDEN, bias=True))


def phi(parts: Parts) -> Decoder:
    """Attention and feed-forward side by side, layer norms, heads that turn in part; no positions
    in the second layer, which has sinks."""
    shared = parts.layer_norm(bias=True)
    rule = AttentionRule(0.25, sinks=parts.random(HEADS))
    first = ParallelBlock(
        parts.attention(0, parts.rotary(8)), parts.plain(Activation.GELU), shared, shared
    )
    second = ParallelBlock(
        parts.attention(1, None, rule=rule),
        parts.gated(Activation.RELU),
        parts.layer_norm(bias=False),
        parts.layer_norm(bias=True),
    )
    return parts.decoder(first, second, norm=parts.layer_norm(bias=True))


def mixture(parts: Parts, routing: Routing, **more: Any) -> Experts:
    """Eight experts; scores stay where sigmoids are not all one: there roundings would choose."""
    router = Router(0.4 * parts.random(8, HIDDEN), more.pop("bias", None), None, routing)
    experts = tuple(parts.gated() for _ in range(8))
    return Experts(parts.kernels, router, experts, **more)


def qwen_moe(parts: Parts) -> Decoder:
    """Experts with a shared one under a gate, behind a norm and a scale; then a plain layer."""
    rotary = parts.rotary()
    gate, wider = parts.random(1, HIDDEN), parts.linear(2 * 160, columns=HIDDEN)
    shared = GatedFeedForward(wider, parts.linear(HIDDEN, columns=160), Activation.SILU)
    experts = mixture(parts, Routing(2), shared=shared, shared_gate=gate)
    first = Block(parts.attention(0, rotary), experts, parts.norm(), parts.norm())
    second = Block(parts.attention(1, rotary), parts.gated(), parts.norm(), parts.norm())
    return parts.decoder(first, second)


def gpt_oss(parts: Parts) -> Decoder:
    """Clamped experts by sigmoid out of the best groups, behind norms and a scale."""
    routing = Routing(2, Scoring.SIGMOID, scale=1.7, groups=4, groups_chosen=2, group_members=2)
    first = mixture(parts, routing, bias=parts.random(8))
    second = Experts(
        parts.kernels,
        Router(0.4 * parts.random(8, HIDDEN), None, 0.1 * parts.random(8), routing),
        tuple(
            ClampedFeedForward(
                parts.linear(2 * WIDE, columns=HIDDEN, bias=True),
                parts.linear(HIDDEN, columns=WIDE, bias=True),
                1.702,
                1.0,
            )
            for _ in range(8)
        ),
    )
    blocks = (
        Block(parts.attention(0, None), first, parts.norm(), parts.norm(), residual_scale=0.6),
        Block(parts.attention(1, None), second, *(parts.norm() for _ in range(4))),
    )
    return parts.decoder(*blocks)


def deepseek(parts: Parts) -> Decoder:
    """Latent attention, its queries from a latent and straight, before experts and plain."""
    rotary, heads, plain, value, latent = parts.rotary(8), 4, 12, 24, 32

    def block(layer: int, query: LatentQuery, feed_forward: FeedForward) -> Block:
        attention = LatentAttention(
            kernels=parts.kernels,
            layer=layer,
            heads=heads,
            latent=latent,
            query=query,
            down=parts.linear(latent + 8, columns=HIDDEN, bias=layer == 0),
            norm=parts.norm(latent),
            key_up=parts.random(heads, plain, latent) / latent**0.5,
            value_up=parts.random(heads, value, latent) / latent**0.5,
            out=parts.linear(HIDDEN, columns=heads * value, bias=layer == 1),
            rule=AttentionRule(0.3),
            rotary=rotary,
        )
        return Block(attention, feed_forward, parts.norm(), parts.norm())

    rows = heads * (plain + 8)
    compressed = LatentQuery(
        parts.linear(rows, columns=96), parts.linear(96, columns=HIDDEN), parts.norm(96)
    )
    experts = mixture(parts, Routing(2), shared=parts.gated())
    straight = LatentQuery(parts.linear(rows, columns=HIDDEN))
    return parts.decoder(block(0, compressed, parts.gated()), block(1, straight, experts))


DECODERS = {
    "llama": llama,
    "gemma": gemma,
    "olmo": olmo,
    "phi": phi,
    "qwen_moe": qwen_moe,
    "gpt_oss": gpt_oss,
    "deepseek": deepseek,
}


@pytest.fixture
def kernels() -> Iterator[CpuKernels]:
    made = CpuKernels(2, precise=True)
    yield made
    made.close()


def steps() -> list[Batch]:
    """Two sequences: prefill, slices, decoding of both, on scattered pages."""
    pages = {0: (3, 0, 6), 1: (5, 1, 2)}
    generator = torch.Generator().manual_seed(2)

    def batch(*shares: tuple[int, int, int], want: list[int]) -> Batch:
        spans, first = [], 0
        positions = []
        for sequence, tokens, start in shares:
            spans.append(Span(first, tokens, start, pages[sequence]))
            positions += range(start, start + tokens)
            first += tokens
        ids = torch.randint(0, VOCABULARY, (first,), generator=generator)
        return Batch(
            ids, torch.tensor(positions), tuple(spans), torch.tensor(want, dtype=torch.int64)
        )

    return [
        batch((0, 1, 0), want=[0]),
        batch((0, 21, 1), want=[20, 3]),
        batch((0, 1, 22), (1, 19, 0), want=[0, 19]),
        batch((0, 1, 23), (1, 1, 19), want=[1, 0]),
        batch((0, 3, 24), want=[0, 1, 2]),
        batch((1, 7, 20), want=[]),
    ]


@pytest.mark.parametrize("name", DECODERS)
@pytest.mark.parametrize("form", ["float32", "bfloat16", "8 bits", "4 bits"])
def test_a_fused_decoder_equals_its_layers(kernels: CpuKernels, name: str, form: str) -> None:
    truth = DECODERS[name](Parts(ReferenceKernels("cpu", torch.float32), form))
    fused = fuse(DECODERS[name](Parts(kernels, form)))
    assert isinstance(fused, FusedDecoder)
    theirs = truth.kernels.make_cache(truth.cache_layers, 8, PAGE, 16)
    ours = kernels.make_cache(fused.cache_layers, 8, PAGE, 16)
    for batch in steps():
        wanted, got = truth.forward(batch, theirs), fused.forward(batch, ours)
        torch.testing.assert_close(got, wanted, rtol=5e-3, atol=5e-3)


def test_integer_activations_stay_close(kernels: CpuKernels) -> None:
    """int8 activations: the logits' error is a few per cent of their size at most."""
    integer = CpuKernels(2)
    exact, rounded = (fuse(llama(Parts(made, "4 bits"))) for made in (kernels, integer))
    caches = [made.make_cache(exact.cache_layers, 8, PAGE, 16) for made in (kernels, integer)]
    for batch in steps()[:-1]:
        wanted, got = exact.forward(batch, caches[0]), rounded.forward(batch, caches[1])
        assert float((got - wanted).norm() / wanted.norm()) < 0.05
    integer.close()


def test_a_cache_can_be_changed_for_another(kernels: CpuKernels) -> None:
    fused = fuse(llama(Parts(kernels, "float32")))
    first, second = (kernels.make_cache(fused.cache_layers, 8, PAGE, 16) for _ in range(2))
    one, two = steps()[:2]
    wanted = fused.forward(one, first), fused.forward(two, first)
    got = fused.forward(one, second), fused.forward(two, second)
    assert torch.equal(wanted[0], got[0])
    assert torch.equal(wanted[1], got[1])


def test_layers_that_cannot_be_described_are_driven_one_by_one(kernels: CpuKernels) -> None:
    parts = Parts(kernels, "float32")
    odd = parts.linear(2 * 40, columns=HIDDEN)  # 40 is no multiple of a unit of 32
    feed_forward = GatedFeedForward(odd, parts.linear(HIDDEN, columns=40), Activation.SILU)
    block = Block(parts.attention(0, None), feed_forward, parts.norm(), parts.norm())
    decoder = parts.decoder(block)
    assert fuse(decoder) is decoder
    plain = Parts(ReferenceKernels("cpu", torch.float32), "float32")
    assert isinstance(fuse(llama(plain)), Decoder)
