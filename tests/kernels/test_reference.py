"""The reference kernels against definitions written out token by token in float64."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from engine.contract.faults import EngineError, FaultKind
from engine.kernels.batch import Batch, Span
from engine.kernels.interface import AttentionRule, CacheShape
from engine.kernels.reference import ReferenceKernels
from engine.weights import Grouped4, Grouped8, dense

HEADS, KV_HEADS, KEY, VALUE = 6, 2, 8, 5


def by_definition(q: Tensor, k: Tensor, v: Tensor, start: int, rule: AttentionRule) -> Tensor:
    """Attention of the tokens from ``start`` on, one query, head and key at a time."""
    out = torch.zeros(len(q), HEADS, VALUE, dtype=torch.float64)
    for row in range(len(q)):
        i = start + row
        seen = [j for j in range(i + 1) if rule.window is None or i - j < rule.window]
        for head in range(HEADS):
            group = head // (HEADS // KV_HEADS)
            scores = torch.stack(
                [(q[row, head].double() @ k[j, group].double()) * rule.scale for j in seen]
            )
            if rule.softcap is not None:
                scores = rule.softcap * torch.tanh(scores / rule.softcap)
            weights = scores.softmax(0)
            for weight, j in zip(weights, seen, strict=True):
                out[row, head] += weight * v[j, group].double()
    return out


def tokens(count: int, seed: int) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return (
        torch.randn(count, HEADS, KEY, generator=generator),
        torch.randn(count, KV_HEADS, KEY, generator=generator),
        torch.randn(count, KV_HEADS, VALUE, generator=generator),
    )


def batch_of(*spans: Span) -> Batch:
    count = sum(span.tokens for span in spans)
    nothing = torch.zeros(count, dtype=torch.int64)
    return Batch(nothing, nothing, spans, nothing)


RULES = [
    AttentionRule(0.3),
    AttentionRule(0.3, window=1),
    AttentionRule(0.3, window=3),
    AttentionRule(0.3, window=4),
    AttentionRule(2.0, softcap=1.5),
    AttentionRule(2.0, window=5, softcap=1.5),
]


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("cuts", [(11,), (6, 5), (6, 4, 1), (1,) * 11], ids=str)
def test_E11_E12_attention_in_any_slices_equals_its_definition(
    rule: AttentionRule, cuts: tuple[int, ...]
) -> None:
    """Cuts of (6, 4, 1) put 4 queries over 10 keys: a top-left mask would show here."""
    q, k, v = tokens(11, seed=1)
    kernels = ReferenceKernels()
    cache = kernels.make_cache((CacheShape(KV_HEADS, KEY, VALUE),), 4, 4, 16)
    start, parts = 0, []
    for count in cuts:
        rows = slice(start, start + count)
        batch = batch_of(Span(0, count, start, (2, 0, 3)))
        parts.append(kernels.attend(0, q[rows], k[rows], v[rows], cache, batch, rule))
        start += count
    want = by_definition(q, k, v, 0, rule)
    assert (torch.cat(parts).double() - want).abs().max() < 1e-5


def test_E10_the_soft_cap_acts_before_the_mask() -> None:
    """After the mask, ``cap * tanh(-inf)`` would be -cap: hidden keys would be seen."""
    q, k, v = tokens(2, seed=2)
    kernels = ReferenceKernels()
    cache = kernels.make_cache((CacheShape(KV_HEADS, KEY, VALUE),), 1, 4, 16)
    rule = AttentionRule(1.0, softcap=0.5)
    got = kernels.attend(0, q, k, v, cache, batch_of(Span(0, 2, 0, (0,))), rule)
    torch.testing.assert_close(got[0], v[0].repeat_interleave(HEADS // KV_HEADS, 0))


def test_a_sink_takes_its_share_and_adds_nothing() -> None:
    """By definition: one more score in each head's softmax, without a value."""
    q, k, v = tokens(5, seed=6)
    sinks = torch.linspace(-1, 2, HEADS)
    kernels = ReferenceKernels()
    cache = kernels.make_cache((CacheShape(KV_HEADS, KEY, VALUE),), 2, 4, 16)
    rule = AttentionRule(0.3, window=3, sinks=sinks)
    got = kernels.attend(0, q, k, v, cache, batch_of(Span(0, 5, 0, (1, 0))), rule)
    plain = by_definition(q, k, v, 0, AttentionRule(0.3, window=3))
    share = torch.zeros(5, HEADS, 1, dtype=torch.float64)
    for i in range(5):
        for head in range(HEADS):
            seen = k[max(0, i - 2) : i + 1, head // 3].double()
            mass = (seen @ q[i, head].double() * 0.3).exp().sum()
            share[i, head] = mass / (mass + sinks[head].double().exp())
    assert (got.double() - plain * share).abs().max() < 1e-5


def test_values_in_keys_take_no_room_and_are_the_first_columns() -> None:
    q, k, _ = tokens(6, seed=7)
    kernels = ReferenceKernels()
    shape = CacheShape(KV_HEADS, KEY, VALUE, values_in_keys=True)
    cache = kernels.make_cache((shape,), 2, 4, 16)
    v = k[..., :VALUE]
    got = kernels.attend(0, q, k, v, cache, batch_of(Span(0, 6, 0, (1, 0))), AttentionRule(0.3))
    assert (got.double() - by_definition(q, k, v, 0, AttentionRule(0.3))).abs().max() < 1e-5
    assert cache.nbytes == 8 * KV_HEADS * KEY * 4
    cache.copy_page(0, 1)
    assert torch.equal(
        cache.layers[0].keys.read(torch.arange(4)),
        k[4:].new_zeros(4, 2, 8).index_copy(0, torch.arange(2), k[4:]),
    )


def test_sequences_in_one_batch_do_not_see_each_other() -> None:
    q, k, v = tokens(7, seed=3)
    kernels = ReferenceKernels()
    cache = kernels.make_cache((CacheShape(KV_HEADS, KEY, VALUE),), 4, 4, 16)
    spans = (Span(0, 3, 0, (3,)), Span(3, 4, 0, (1,)))
    got = kernels.attend(0, q, k, v, cache, batch_of(*spans), AttentionRule(0.3))
    for span in spans:
        rows = slice(span.first, span.first + span.tokens)
        want = by_definition(q[rows], k[rows], v[rows], 0, AttentionRule(0.3))
        assert (got[rows].double() - want).abs().max() < 1e-5


def test_a_copied_page_serves_another_sequence_and_the_first_stays_as_it_was() -> None:
    q, k, v = tokens(4, seed=4)
    kernels = ReferenceKernels()
    shapes = (CacheShape(KV_HEADS, KEY, VALUE),) * 2
    rule = AttentionRule(0.3)
    cache = kernels.make_cache(shapes, 3, 4, 16)
    for layer in range(2):
        kernels.attend(layer, q[:3], k[:3], v[:3], cache, batch_of(Span(0, 3, 0, (0,))), rule)
    cache.copy_page(0, 2)
    for layer in range(2):
        own = batch_of(Span(0, 1, 3, (2,)))
        got = kernels.attend(layer, q[3:], k[3:], v[3:], cache, own, rule)
        want = by_definition(q, k, v, 0, rule)[3:]
        assert (got.double() - want).abs().max() < 1e-5
    assert cache.layers[0].keys.read(torch.tensor([3])).abs().max() == 0


def test_a_cache_of_bytes_is_within_a_step_of_the_values() -> None:
    """Half a step of max / 127 on each value; a token of zeros stays zero."""
    q, k, v = tokens(9, seed=5)
    v[4] = 0
    kernels = ReferenceKernels()
    cache = kernels.make_cache((CacheShape(KV_HEADS, KEY, VALUE),), 3, 4, 8)
    batch = batch_of(Span(0, 9, 0, (2, 1, 0)))
    got = kernels.attend(0, q, k, v, cache, batch, AttentionRule(0.3))
    keys, values = cache.layers[0].read(cache.slots(batch, 0)[0])
    for stored, x in ((keys, k), (values, v)):
        step = x.abs().amax(-1, keepdim=True) / 127
        assert ((stored - x).abs() <= step / 2 + 1e-6).all()
    assert (got.double() - by_definition(q, k, v, 0, AttentionRule(0.3))).abs().max() < 0.05
    assert cache.nbytes == 12 * KV_HEADS * (KEY + VALUE + 8)


def test_the_pools_bytes_are_what_its_tensors_take() -> None:
    shapes = (CacheShape(2, 8, 8), CacheShape(1, 12, 4))
    cache = ReferenceKernels(dtype=torch.bfloat16).make_cache(shapes, 5, 4, 16)
    assert cache.nbytes == 20 * (2 * 16 + 16) * 2


def test_a_pool_larger_than_memory_is_a_named_fault_with_figures() -> None:
    with pytest.raises(EngineError) as caught:
        ReferenceKernels().make_cache((CacheShape(64, 128, 128),), 1 << 24, 64, 16)
    assert caught.value.fault.kind is FaultKind.OUT_OF_MEMORY
    figures = caught.value.fault.figures
    assert figures["needed"] == (1 << 30) * 64 * 256 * 4
    assert 0 < int(figures["free"]) < int(figures["needed"])
    assert figures["device"] == "cpu"


def test_other_cache_widths_are_refused() -> None:
    with pytest.raises(EngineError) as caught:
        ReferenceKernels().make_cache((CacheShape(1, 8, 8),), 1, 4, 4)
    assert caught.value.fault.kind is FaultKind.SETTING_INVALID


def four(rows: int) -> Grouped4:
    codes = torch.randint(256, (rows, 32), dtype=torch.uint8)
    return Grouped4(codes, torch.rand(rows, 2).half(), torch.randn(rows, 2).half(), 32)


@pytest.mark.parametrize(
    "weight",
    [
        torch.randn(6, 64),
        torch.randn(6, 64).bfloat16(),
        four(6),
        Grouped8(torch.randint(-128, 128, (6, 64), dtype=torch.int8), torch.rand(6, 2) / 99, 32),
    ],
    ids=["float32", "bfloat16", "4 bit", "8 bit"],
)
def test_linear_and_embed_use_the_weights_values(weight: Tensor | Grouped4 | Grouped8) -> None:
    kernels = ReferenceKernels()
    packed = kernels.pack(weight)
    x, bias = torch.randn(3, 64), torch.randn(6)
    want = x.double() @ dense(weight).double().T
    assert packed.shape == (6, 64)
    assert (kernels.linear(x, packed).double() - want).abs().max() < 1e-4
    assert (kernels.linear(x, packed, bias).double() - want - bias).abs().max() < 1e-4
    ids = torch.tensor([5, 0, 5])
    assert torch.equal(kernels.embed(ids, packed), dense(weight)[ids])


def test_E15_the_norm_is_float32_inside_and_leaves_its_input() -> None:
    """3e4 squared overflows float16; the variance must not."""
    x = torch.full((2, 16), 3e4, dtype=torch.float16)
    x[:, ::2] = 1
    before = x.clone()
    weight = torch.rand(16)
    got = ReferenceKernels(dtype=torch.float16).rms_norm(x, weight, 1e-6)
    wide = x.double()
    want = wide / (wide.square().mean(-1, keepdim=True) + 1e-6).sqrt() * weight.double()
    assert got.dtype == torch.float16
    assert (got.double() - want).abs().max() < 2e-3
    assert torch.equal(x, before)


def test_layers_with_a_window_have_pages_and_a_table_of_their_own() -> None:
    """A window of 4 over pages of 4: three pages take turns while the wide layer keeps all four."""
    shapes = (CacheShape(KV_HEADS, KEY, VALUE), CacheShape(KV_HEADS, KEY, VALUE, window=4))
    kernels = ReferenceKernels()
    cache = kernels.make_cache(shapes, (5, 3), 4, 16)
    assert (cache.windows, cache.pages) == ((None, 4), (5, 3))
    assert cache.nbytes == (5 + 3) * 4 * KV_HEADS * (KEY + VALUE) * 4
    rule = AttentionRule(0.3, window=4)
    q, k, v = tokens(14, seed=6)
    got = torch.empty(14, HEADS, VALUE)
    for start in range(14):
        # behind the window stand numbers that nobody may follow
        near = tuple(page % 3 if page + 1 >= start // 4 else 999 for page in range(4))
        batch = batch_of(Span(0, 1, start, (4, 0, 2, 1), windows=(near,)))
        row = slice(start, start + 1)
        got[row] = kernels.attend(1, q[row], k[row], v[row], cache, batch, rule)
    assert (got.double() - by_definition(q, k, v, 0, rule)).abs().max() < 1e-5


def test_a_page_is_copied_in_one_group_alone() -> None:
    shapes = (CacheShape(1, 2, 2), CacheShape(1, 2, 2, window=4))
    kernels = ReferenceKernels()
    cache = kernels.make_cache(shapes, (3, 2), 4, 16)
    ones = torch.ones(4, 1, 2)
    both = batch_of(Span(0, 4, 0, (0,), windows=((0,),)))
    for layer in (0, 1):
        kernels.attend(layer, ones, ones, ones, cache, both, AttentionRule(1.0, window=4))
    cache.copy_page(0, 1, group=1)
    copied = [layer.read(torch.arange(4, 8))[0].sum().item() for layer in cache.layers]
    assert copied == [0, 8]
