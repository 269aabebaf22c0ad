"""Attention over pages equals the reference, within the rounding of a float16 cache."""

import random
from collections.abc import Iterator

import pytest
import torch

from engine.kernels.batch import Batch, Span
from engine.kernels.cpu.kernels import CpuKernels
from engine.kernels.interface import AttentionRule, CacheShape
from engine.kernels.reference import ReferenceKernels

Plan = list[list[tuple[int, int]]]  # steps of (sequence, new tokens)

MIXED: Plan = [
    [(0, 5), (1, 1)],
    [(0, 1), (1, 30)],
    [(0, 1), (1, 1)],
    [(0, 37), (1, 1), (2, 3)],
    [(0, 1), (1, 1), (2, 1)],
]
LONG: Plan = [[(0, 700)], [(0, 1)], [(0, 100), (1, 1)], [(0, 1), (1, 1)]]


@pytest.fixture
def kernels() -> Iterator[CpuKernels]:
    made = CpuKernels(2)
    yield made
    made.close()


class Sequences:
    """Gives every sequence scattered pages as it grows."""

    def __init__(self, pages: int, page_size: int) -> None:
        self._free = random.Random(3).sample(range(pages), pages)
        self._page_size = page_size
        self._pages: dict[int, list[int]] = {}
        self._length: dict[int, int] = {}

    def batch(self, step: list[tuple[int, int]]) -> Batch:
        spans, first = [], 0
        for sequence, tokens in step:
            start = self._length.get(sequence, 0)
            pages = self._pages.setdefault(sequence, [])
            while len(pages) * self._page_size < start + tokens:
                pages.append(self._free.pop())
            spans.append(Span(first, tokens, start, tuple(pages)))
            self._length[sequence] = start + tokens
            first += tokens
        nothing = torch.zeros(first, dtype=torch.int64)
        return Batch(nothing, nothing, tuple(spans), nothing[:1])


def worst_difference(
    kernels: CpuKernels,
    shape: CacheShape,
    heads: int,
    rule: AttentionRule,
    page_size: int,
    plan: Plan,
    bits: int = 16,
) -> float:
    torch.manual_seed(5)
    truth = ReferenceKernels("cpu", torch.float32)
    caches = [made.make_cache((shape, shape), 64, page_size, bits) for made in (kernels, truth)]
    sequences, worst = Sequences(64, page_size), 0.0
    for step in plan:
        batch = sequences.batch(step)
        tokens = len(batch.ids)
        q = torch.randn(tokens, heads, shape.key_dim)
        k = torch.randn(tokens, shape.kv_heads, shape.key_dim)
        v = torch.randn(tokens, shape.kv_heads, shape.value_dim)
        if shape.values_in_keys:
            v = k[..., : shape.value_dim]
        got = kernels.attend(1, q, k, v, caches[0], batch, rule)
        wanted = truth.attend(1, q, k, v, caches[1], batch, rule)
        worst = max(worst, float((got - wanted).abs().max()))
    return worst


@pytest.mark.parametrize("page_size", [16, 20, 32, 64])
def test_grouped_heads_over_scattered_pages(kernels: CpuKernels, page_size: int) -> None:
    rule = AttentionRule(0.125)
    # float16 has 11 bits: values near 3 are off by 1e-3 at most
    assert worst_difference(kernels, CacheShape(3, 64, 64), 9, rule, page_size, MIXED) < 3e-3


def test_E11_a_window_counts_the_token_itself(kernels: CpuKernels) -> None:
    rule = AttentionRule(0.3, window=7)
    assert worst_difference(kernels, CacheShape(1, 8, 24), 4, rule, 16, MIXED) < 3e-3


def test_E10_a_soft_cap_applies_before_the_mask(kernels: CpuKernels) -> None:
    rule = AttentionRule(0.1, window=33, softcap=20.0)
    assert worst_difference(kernels, CacheShape(4, 80, 80), 4, rule, 32, MIXED) < 3e-3


@pytest.mark.parametrize("window", [None, 100, 600])
def test_contexts_longer_than_a_chunk(kernels: CpuKernels, window: int | None) -> None:
    rule = AttentionRule(0.2, window=window)
    assert worst_difference(kernels, CacheShape(2, 32, 32), 6, rule, 16, LONG) < 3e-3


def test_an_int8_cache_has_a_scale_for_each_token_and_head(kernels: CpuKernels) -> None:
    # the reference rounds alike; a code may fall either way where a quotient is halfway: 1 / 127
    # of a largest value of about 3, in one of some dozens of dimensions
    rule = AttentionRule(0.125)
    shape = CacheShape(2, 40, 24)
    assert worst_difference(kernels, shape, 6, rule, 20, MIXED, bits=8) < 1e-2
    assert worst_difference(kernels, shape, 6, rule, 32, LONG, bits=8) < 1e-2


# DeepSeek's own sizes; a latent and a key that are no multiples of a vector; several such heads
LATENTS = [(16, 1, 576, 512), (5, 1, 24, 16), (4, 2, 41, 19)]


@pytest.mark.parametrize(("heads", "kv_heads", "key_dim", "value_dim"), LATENTS)
@pytest.mark.parametrize("page_size", [20, 32])
def test_values_may_be_the_first_columns_of_the_keys(
    kernels: CpuKernels, heads: int, kv_heads: int, key_dim: int, value_dim: int, page_size: int
) -> None:
    rule = AttentionRule(key_dim**-0.5)
    shape = CacheShape(kv_heads, key_dim, value_dim, values_in_keys=True)
    for plan in (MIXED, LONG):
        assert worst_difference(kernels, shape, heads, rule, page_size, plan) < 3e-3
        # one scale covers keys and values, as in the reference
        assert worst_difference(kernels, shape, heads, rule, page_size, plan, bits=8) < 1.5e-2


@pytest.mark.parametrize(("bits", "of_a_token"), [(16, 576 * 2), (8, 576 + 4)])
def test_values_in_keys_take_no_room(kernels: CpuKernels, bits: int, of_a_token: int) -> None:
    """DeepSeek-V2's and V3's cache: 1,152 bytes a token and layer, or 580 with int8 codes."""
    shapes = (CacheShape(1, 576, 512, values_in_keys=True),) * 3
    assert kernels.make_cache(shapes, 7, 32, bits).nbytes == 7 * 32 * 3 * of_a_token


def test_a_copied_page_of_joined_values_is_its_own(kernels: CpuKernels) -> None:
    cache = kernels.make_cache((CacheShape(1, 24, 16, values_in_keys=True),), 4, 16, 16)
    q, k = torch.randn(3, 5, 24), torch.randn(3, 1, 24)
    one = Batch(torch.zeros(3), torch.zeros(3), (Span(0, 3, 0, (1,)),), torch.zeros(1))
    first = kernels.attend(0, q, k, k[..., :16], cache, one, AttentionRule(1.0))
    cache.copy_page(1, 3)
    more = Batch(torch.zeros(1), torch.zeros(1), (Span(0, 1, 2, (3,)),), torch.zeros(1))
    copied = kernels.attend(0, q[2:], k[2:], k[2:, :, :16], cache, more, AttentionRule(1.0))
    # one token is attended by heads, three by tokens: the order of sums differs
    torch.testing.assert_close(copied, first[2:], rtol=0, atol=1e-5)


def test_sinks_take_their_share_and_give_nothing(kernels: CpuKernels) -> None:
    rule = AttentionRule(0.2, sinks=torch.tensor([0.5, -1.0, 3.0, 0.0, 1.0, 2.0]))
    assert worst_difference(kernels, CacheShape(2, 32, 32), 6, rule, 16, MIXED) < 3e-3


def test_a_copied_page_is_its_own(kernels: CpuKernels) -> None:
    cache = kernels.make_cache((CacheShape(1, 16, 16),), 4, 16, 16)
    k = torch.randn(3, 1, 16)
    one = Batch(torch.zeros(3), torch.zeros(3), (Span(0, 3, 0, (1,)),), torch.zeros(1))
    first = kernels.attend(0, k, k, k, cache, one, AttentionRule(1.0))
    cache.copy_page(1, 3)
    again = torch.randn(1, 1, 16)
    more = (Span(0, 1, 3, (3,)),)
    row = Batch(torch.zeros(1), torch.zeros(1), more, torch.zeros(1))
    kernels.attend(0, again, again, again, cache, row, AttentionRule(1.0))
    second = kernels.attend(0, k, k, k, cache, one, AttentionRule(1.0))
    assert torch.equal(first, second)


def test_rms_norm_equals_the_reference(kernels: CpuKernels) -> None:
    truth = ReferenceKernels("cpu", torch.float32)
    x, weight = torch.randn(7, 3, 50) * 1e3, torch.randn(50)
    torch.testing.assert_close(
        kernels.rms_norm(x, weight, 1e-6), truth.rms_norm(x, weight, 1e-6), rtol=1e-5, atol=1e-6
    )


def test_layers_with_a_window_have_pages_and_a_table_of_their_own(kernels: CpuKernels) -> None:
    """Two sequences; the narrow layer's four pages are taken again as the window moves on."""
    truth = ReferenceKernels("cpu", torch.float32)
    shapes = (CacheShape(2, 16, 16), CacheShape(2, 16, 16, window=9))
    ours, theirs = (made.make_cache(shapes, (12, 4), 16, 16) for made in (kernels, truth))
    rule, generator = AttentionRule(0.3, window=9), torch.Generator().manual_seed(4)
    for start in range(0, 70, 7):
        spans = []
        for who in (0, 1):
            # behind the window stand numbers that nobody may follow
            held = [page >= max(0, start - 8) // 16 for page in range(5)]
            near = tuple(page % 2 + 2 * who if held[page] else 1 << 20 for page in range(5))
            spans.append(Span(7 * who, 7, start, tuple(range(6 * who, 6 * who + 5)), (), (near,)))
        nothing = torch.zeros(14, dtype=torch.int64)
        batch = Batch(nothing, nothing, tuple(spans), nothing[:1])
        q, k, v = (torch.randn(14, heads, 16, generator=generator) for heads in (4, 2, 2))
        for layer in (0, 1):
            got = kernels.attend(layer, q, k, v, ours, batch, rule)
            wanted = truth.attend(layer, q, k, v, theirs, batch, rule)
            torch.testing.assert_close(got, wanted, rtol=0, atol=3e-3)
