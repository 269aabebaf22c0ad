"""Every CUDA kernel and whole decoders against the reference, on a GPU or under the interpreter.

``CHECKS`` are run by ``tests/bench/cuda.py``: under Triton's interpreter in a process of its own
(the switch holds for a whole process), and on the day that a GPU is at hand, on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

import torch
from torch import Tensor

from engine.kernels.batch import Batch, Span
from engine.kernels.cuda.attending import Decoding, attend, slices_of
from engine.kernels.cuda.kernels import CudaKernels
from engine.kernels.cuda.launches import Heads, Launches
from engine.kernels.cuda.recording import CudaRecorder, Recorder
from engine.kernels.interface import AttentionRule, CacheShape
from engine.kernels.plan import Gate, NormPlan
from engine.kernels.reference import ReferenceKernels
from engine.kernels.reference_cache import ReferenceCache
from engine.layers.feed_forward import ACTIVATIONS, Activation
from engine.layers.fused import FusedDecoder, fuse
from engine.layers.rotary import apply_rope
from engine.weights import Grouped4, Grouped8, dense
from tests.doubles.recorder import CpuRecorder
from tests.layers import test_fused as parts

TOLERANCE = {torch.float32: 2e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}
"""Largest difference over the largest value."""


@dataclass(frozen=True)
class Place:
    """Where the checks run."""

    device: torch.device

    def normal(self, *shape: int, seed: int = 1) -> Tensor:
        made = torch.randn(*shape, generator=torch.Generator().manual_seed(seed))
        return made.to(self.device)

    def kernels(self, dtype: torch.dtype) -> CudaKernels:
        recorder: Recorder
        if self.device.type == "cpu":
            recorder = double = CpuRecorder()
            return CudaKernels(self.device, dtype, recorder, 4, double.launch)
        recorder = CudaRecorder(self.device)
        return CudaKernels(self.device, dtype, recorder, 64)


def near(got: Tensor, want: Tensor, dtype: torch.dtype, what: object) -> None:
    error = float((got.float() - want.float()).abs().max() / want.float().abs().max())
    assert error < TOLERANCE[dtype], f"{what}: {error:.2g}"


def four(rows: int, columns: int, group: int, minimum: bool, seed: int = 3) -> Grouped4:
    made = torch.Generator().manual_seed(seed)
    codes = torch.randint(0, 256, (rows, columns // 2), generator=made, dtype=torch.uint8)
    scale = torch.rand(rows, columns // group, generator=made).half() / 8
    least = -torch.rand(rows, columns // group, generator=made).half()
    return Grouped4(codes, scale, least if minimum else None, group)


def eight(rows: int, columns: int, group: int, seed: int = 3) -> Grouped8:
    made = torch.Generator().manual_seed(seed)
    codes = torch.randint(-127, 128, (rows, columns), generator=made, dtype=torch.int8)
    return Grouped8(codes, torch.rand(rows, columns // group, generator=made).half() / 64, group)


def check_products_of_4_bits(at: Place) -> None:
    shapes = ((torch.bfloat16, 32), (torch.float16, 64), (torch.bfloat16, 128), (torch.float32, 16))
    for (dtype, group), minimum in zip(shapes, (True, False, True, False), strict=True):
        _products(at, dtype, four(19, 3 * group, group, minimum), (group, minimum))


def check_products_of_8_bits(at: Place) -> None:
    for dtype, group in ((torch.bfloat16, 32), (torch.float16, 64), (torch.float32, 128)):
        _products(at, dtype, eight(21, 3 * group, group), group)
    _products(at, torch.bfloat16, eight(21, 200, 200), "one scale a row")


def check_products_of_wide_rows(at: Place) -> None:
    """More columns than a tile has."""
    _products(at, torch.float16, four(9, 1120, 32, True), "4 bits", (1, 3, 70))
    _products(at, torch.float16, eight(9, 608, 32), "8 bits", (1, 3, 70))


def _products(
    at: Place,
    dtype: torch.dtype,
    weight: Grouped4 | Grouped8,
    what: object,
    counts: tuple[int, ...] = (1, 2, 3, 5, 8, 9, 64),
) -> None:
    kernels = at.kernels(dtype)
    rows, columns = weight.shape
    bias, matrix = at.normal(rows, seed=9), dense(weight).to(at.device)
    packed = kernels.pack(weight)
    for count in counts:
        x = at.normal(count, columns, seed=count).to(dtype)
        near(kernels.linear(x, packed, bias), x.float() @ matrix.T + bias, dtype, (what, count))
    x = at.normal(2, 2 * columns).to(dtype)[:, columns:]  # rows that are not neighbours
    near(kernels.linear(x, packed), x.float() @ matrix.T, dtype, (what, "strided"))
    assert kernels.linear(x[:0], packed).shape == (0, rows)


def check_norms(at: Place) -> None:
    for dtype, columns in ((torch.bfloat16, 96), (torch.float16, 33), (torch.float32, 2500)):
        launches = at.kernels(dtype)._launches
        x, y = at.normal(3, columns), at.normal(3, columns, seed=2).to(dtype)
        weight, bias = at.normal(columns, seed=4), at.normal(columns, seed=5)
        total = x + y.float() * 0.7
        want = total * torch.rsqrt(total.square().mean(-1, keepdim=True) + 1e-5) * weight
        got = launches.norm(x, NormPlan(weight, 1e-5), y, 0.7)
        near(got, want, dtype, (dtype, "sum and norm"))
        near(x, total, torch.float32, "the sum stays")
        plan = NormPlan(weight, 1e-5, centred=True, bias=bias)
        want = torch.nn.functional.layer_norm(x, (columns,), weight, bias, 1e-5)
        near(launches.norm(x, plan), want, dtype, (dtype, "layer norm"))


def check_gates(at: Place) -> None:
    launches = at.kernels(torch.float32)._launches
    x = at.normal(3, 150) * 2
    gate, up = x[:, :75].clamp(max=1.5), x[:, 75:].clamp(-1.5, 1.5)
    want = (up + 1) * gate * torch.sigmoid(1.7 * gate)
    near(launches.gate(x, Gate.CLAMPED, True, 1.7, 1.5), want, torch.float32, "clamped")
    for kind, gated in product(set(Gate) - {Gate.CLAMPED}, (True, False)):
        launches = at.kernels(torch.float32)._launches
        x = at.normal(3, 150)
        act = ACTIVATIONS[Activation(kind.value)]
        want = act(x[:, :75]) * x[:, 75:] if gated else act(x)
        near(launches.gate(x, kind, gated), want, torch.float32, (kind, gated))


def check_heads_find_their_place(at: Place) -> None:
    heads, kv_heads, dim = 6, 2, 24
    for dtype, bits, half, normed in (
        (torch.bfloat16, 16, 12, True),
        (torch.float16, 8, 8, False),
        (torch.float32, 8, 12, True),
        (torch.float32, 16, 0, False),
    ):
        kernels = at.kernels(dtype)
        caches = [_cache(kernels, kv_heads, dim, bits) for _ in range(2)]
        qkv = at.normal(3, (heads + 2 * kv_heads) * dim).to(dtype)
        q, k, v = (
            x.reshape(3, -1, dim)
            for x in qkv.float().split((heads * dim, kv_heads * dim, kv_heads * dim), dim=1)
        )
        norms = None
        if normed:
            norms = tuple(NormPlan(1 + at.normal(dim, seed=s) / 9, 1e-5) for s in (1, 2))
            q, k = (
                x * torch.rsqrt(x.square().mean(-1, keepdim=True) + n.eps) * n.weight
                for x, n in zip((q, k), norms, strict=True)
            )
        angles = None
        if half:
            turns = at.normal(3, half, seed=8) * 5
            angles = (turns.cos() * 1.1, turns.sin() * 1.1)
            q, k = apply_rope(q, *angles), apply_rope(k, *angles)
        slots = torch.tensor([40, -1, 7], device=at.device)
        there = slots >= 0
        caches[0].layers[0].write(slots[there], k[there], v[there])
        layer = caches[1].layers[0]
        cut: Any = Heads(heads, kv_heads, dim, norms, angles)
        got = kernels._launches.place_heads(qkv, cut, slots, layer.keys, layer.values)
        near(got, q, dtype, (dtype, "queries"))
        every = torch.arange(64, device=at.device)
        for ours, want in zip(layer.read(every), caches[0].layers[0].read(every), strict=True):
            step = 0 if bits == 16 else float(want.abs().max()) / 127  # codes may round apart
            error = float((ours.float() - want.float()).abs().max())
            assert error <= step + TOLERANCE[dtype], (dtype, bits, error)


RULES = (AttentionRule(0.3), AttentionRule(0.3, window=1), AttentionRule(1.0, None, 1.5))


def check_decoding_attends_to_pages(at: Place) -> None:
    for dtype, heads, kv_heads, dim, bits in _attentions():
        for rule in _rules(at, heads):
            spans = [Span(i, 1, n - 1, _pages(i)) for i, n in enumerate((1, 33, 100))]
            _attend(at, dtype, (heads, kv_heads, dim, bits), rule, spans, decode=True)


def check_slices_attend_to_pages(at: Place) -> None:
    for dtype, heads, kv_heads, dim, bits in _attentions():
        for rule in _rules(at, heads):
            spans = [
                Span(0, 70, 0, _pages(0)),
                Span(70, 1, 40, _pages(1)),
                Span(71, 9, 66, _pages(2)),
            ]
            _attend(at, dtype, (heads, kv_heads, dim, bits), rule, spans, decode=False)


def _attentions() -> Iterator[tuple[torch.dtype, int, int, int, int]]:
    yield torch.float32, 4, 2, 24, 16
    yield torch.bfloat16, 2, 2, 32, 16
    yield torch.float16, 5, 1, 16, 8


def _rules(at: Place, heads: int) -> Iterator[AttentionRule]:
    yield from RULES
    yield AttentionRule(0.3, window=37, softcap=2.0, sinks=at.normal(heads, seed=6))


def _pages(sequence: int) -> tuple[int, ...]:
    """Scattered pages of 16 tokens, each sequence's own."""
    return tuple((7 * (sequence * 8 + i) + 3) % 41 for i in range(8))


def _cache(kernels: ReferenceKernels, kv_heads: int, dim: int, bits: int) -> ReferenceCache:
    return kernels.make_cache((CacheShape(kv_heads, dim, dim),), 41, 16, bits)


def _attend(
    at: Place,
    dtype: torch.dtype,
    shape: tuple[int, int, int, int],
    rule: AttentionRule,
    spans: list[Span],
    decode: bool,
) -> None:
    """Fill a cache, let the reference take the step, then read the same cache with the kernels."""
    heads, kv_heads, dim, bits = shape
    truth = ReferenceKernels(at.device, dtype)
    cache = _cache(truth, kv_heads, dim, bits)
    slots = torch.arange(41 * 16, device=at.device)
    k, v = (at.normal(len(slots), kv_heads, dim, seed=s).to(dtype) for s in (1, 2))
    cache.layers[0].write(slots, k, v)
    count = sum(span.tokens for span in spans)
    q, k, v = (at.normal(count, n, dim, seed=9).to(dtype) for n in (heads, kv_heads, kv_heads))
    nothing = torch.zeros(count, dtype=torch.int64, device=at.device)
    want = truth.attend(0, q, k, v, cache, Batch(nothing, nothing, tuple(spans), nothing), rule)
    launches: Launches = at.kernels(dtype)._launches
    if decode:
        lengths = torch.tensor([span.start + 1 for span in spans] + [0], device=at.device)
        pages = torch.tensor([span.pages for span in spans] + [(0,) * 8], device=at.device)
        places: Any = Decoding(lengths, lengths, pages.int())
        q = torch.cat((q, q[:1]))  # a row without a sequence
    else:
        places = slices_of(tuple(spans), 0, 16, at.device)
    got = attend(launches, q, cache.layers[0], places, 16, rule)
    near(got[:count], want, dtype, (dtype, shape, rule))
    assert not got[count:].any(), "a row without a sequence"


def check_single_operations_make_a_model(at: Place) -> None:
    """What no plan describes runs operation by operation."""
    kernels = at.kernels(torch.float32)
    truth = parts.gemma(parts.Parts(ReferenceKernels(), "4 bits"))
    _same(at, truth, parts.gemma(Made(kernels, "4 bits")), kernels, 16, steps=3)


def check_whole_decoders(at: Place) -> None:
    """Recorded and unrecorded steps of every kind of layer; the last cache is 8 bits wide."""
    forms = {"llama": "4 bits", "gemma": "8 bits", "olmo": "float32", "phi": "4 bits"}
    for name, bits in (("olmo", 16), ("phi", 16), ("gemma", 8)):
        make = parts.DECODERS[name]
        kernels = at.kernels(torch.float32)
        truth = make(parts.Parts(ReferenceKernels(), forms[name]))
        fused = fuse(make(Made(kernels, forms[name])))
        assert isinstance(fused, FusedDecoder), name
        _same(at, truth, fused, kernels, bits)


def _steps() -> Iterator[Batch]:
    """Two sequences on scattered pages of four tokens: slices, single tokens, both at once."""
    pages = {0: (3, 0, 6), 1: (5, 1, 2)}
    for shares, want in (
        ([(0, 1, 0)], [0]),
        ([(0, 5, 1), (1, 2, 0)], [6, 3]),
        ([(0, 1, 6), (1, 1, 2)], [0, 1]),
        ([(0, 1, 7), (1, 1, 3)], [1, 0]),
        ([(0, 2, 8)], [0, 1]),
        ([(1, 1, 4)], []),
    ):
        spans: list[Span] = []
        for sequence, tokens, start in shares:
            spans.append(Span(sum(s.tokens for s in spans), tokens, start, pages[sequence]))
        positions = [span.start + i for span in spans for i in range(span.tokens)]
        made = torch.Generator().manual_seed(len(positions))
        ids = torch.randint(0, parts.VOCABULARY, (len(positions),), generator=made)
        wanted = torch.tensor(want, dtype=torch.int64)
        yield Batch(ids, torch.tensor(positions), tuple(spans), wanted)


class Made(parts.Parts):
    """The same random parts, on the kernels' device."""

    def random(self, *shape: int) -> Tensor:
        return super().random(*shape).to(self.kernels.device)


def _same(
    at: Place, truth: Any, ours: Any, kernels: CudaKernels, bits: int, steps: int = 6
) -> None:
    caches = [made.make_cache(truth.cache_layers, 8, 4, bits) for made in (truth.kernels, kernels)]
    for batch in islice(_steps(), steps):
        here = Batch(*(getattr(batch, n) for n in ("ids", "positions", "spans", "logit_rows")))
        if at.device.type != "cpu":
            here = Batch(
                batch.ids.to(at.device),
                batch.positions.to(at.device),
                batch.spans,
                batch.logit_rows.to(at.device),
            )
        want, got = truth.forward(batch, caches[0]), ours.forward(here, caches[1])
        if len(want):
            limit = torch.float32 if bits == 16 else torch.bfloat16  # codes may round apart
            near(got.cpu(), want, limit, "logits")


CHECKS: dict[str, Callable[[Place], None]] = {
    name.removeprefix("check_"): value
    for name, value in list(globals().items())
    if name.startswith("check_")
}
