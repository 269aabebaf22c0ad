"""The recorded decode step, with a recorder that has a CUDA graph's rules, and drawing in it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch
from torch import Tensor

pytest.importorskip("triton", reason="Triton exists for Linux alone")

from engine.contract import Sampling, SamplingOrder
from engine.generation.sampler import Sampler, Vocabulary
from engine.kernels.batch import Batch, Span
from engine.kernels.cuda.attending import Decoding
from engine.kernels.cuda.graphs import DecodeGraphs
from engine.kernels.cuda.sampling import draw, rule_numbers
from engine.kernels.cuda.step import Input
from engine.kernels.drawing import DrawRule, NextToken
from engine.kernels.interface import CacheShape
from engine.kernels.reference import ReferenceKernels
from engine.kernels.reference_cache import FloatSlots, ReferenceCache
from tests.doubles.recorder import CpuRecorder

CPU = torch.device("cpu")
PAGE, VOCABULARY = 16, 11
GREEDY = DrawRule(0.0, 0, 1.0, 0.0, False, VOCABULARY)


def make_cache(pages: int) -> ReferenceCache:
    return ReferenceKernels().make_cache((CacheShape(1, 1, 1),), pages, PAGE, 16)


def compute(step: Input, cache: ReferenceCache) -> Tensor:
    """A model whose logits tell everything that it saw: token, place, and the sum of its keys."""
    (places,) = step.places
    assert isinstance(places, Decoding)
    keys = cache.layers[0].keys
    assert isinstance(keys, FloatSlots)
    row = torch.where(places.slots < 0, len(keys.x) - 1, places.slots)
    keys.x[row] = torch.where(places.slots < 0, 0, step.ids + 1).float().view(-1, 1, 1)
    slots = (places.pages.unsqueeze(2) * PAGE + torch.arange(PAGE)).flatten(1).long()
    is_seen = torch.arange(slots.shape[1]) < places.lengths.unsqueeze(1)
    total = (keys.x.flatten()[slots] * is_seen).sum(1)
    favourite = (total.long() * 7 + step.ids) % VOCABULARY
    one_hot = torch.arange(VOCABULARY) == favourite.unsqueeze(1)
    facts = torch.stack((step.ids, step.positions, total), dim=1)
    return torch.cat((facts.float() / 1e6, one_hot[:, 3:].float()), dim=1)


def batch_of(*rows: tuple[int, int, tuple[int, ...]]) -> Batch:
    """Rows of (id, position, pages)."""
    spans = tuple(Span(i, 1, start, pages) for i, (_, start, pages) in enumerate(rows))
    ids, starts = ([row[i] for row in rows] for i in (0, 1))
    return Batch(
        torch.tensor(ids), torch.tensor(starts), spans, torch.arange(len(rows), dtype=torch.int64)
    )


def facts(logits: Tensor) -> list[list[int]]:
    return (logits[:, :3] * 1e6).round().long().tolist()


@pytest.fixture
def recorder() -> CpuRecorder:
    return CpuRecorder()


@pytest.fixture
def graphs(recorder: CpuRecorder) -> DecodeGraphs:
    return DecodeGraphs(compute, recorder, CPU)


def test_E21_logits_outlive_the_next_step(graphs: DecodeGraphs) -> None:
    cache = make_cache(4)
    first = graphs.forward(batch_of((5, 0, (2,))), cache)
    before = first.clone()
    second = graphs.forward(batch_of((6, 1, (2,))), cache)
    assert torch.equal(first, before)
    assert facts(first) == [[5, 0, 6]]
    assert facts(second) == [[6, 1, 13]]


def test_E21_growing_to_4096_tokens_records_nothing_again(
    graphs: DecodeGraphs, recorder: CpuRecorder
) -> None:
    cache, total = make_cache(260), 0
    pages: list[int] = []
    for position in range(4096):
        if position % PAGE == 0:
            pages.append((position // PAGE * 8) % 259)
        total += position % 9 + 1
        logits = graphs.forward(batch_of((position % 9, position, tuple(pages))), cache)
    assert facts(logits) == [[4095 % 9, 4095, total]]
    assert recorder.recordings == 1


def test_E21_another_cache_makes_the_recordings_void(
    graphs: DecodeGraphs, recorder: CpuRecorder
) -> None:
    first, second = make_cache(4), make_cache(4)
    graphs.forward(batch_of((5, 0, (2,))), first)
    assert facts(graphs.forward(batch_of((3, 0, (2,))), second)) == [[3, 0, 4]]
    keys = first.layers[0].keys, second.layers[0].keys
    written = [float(k.x[2 * PAGE]) for k in keys if isinstance(k, FloatSlots)]
    assert written == [6.0, 4.0]
    assert recorder.recordings == 2
    assert len(graphs._buckets) == 1  # what was recorded for the first cache is gone


def test_E21_batches_are_rounded_up_and_empty_rows_write_nowhere(
    graphs: DecodeGraphs, recorder: CpuRecorder
) -> None:
    cache = make_cache(9)
    three = [(i, 0, (i,)) for i in (1, 2, 3)]
    assert facts(graphs.forward(batch_of(*three), cache)) == [[1, 0, 2], [2, 0, 3], [3, 0, 4]]
    four = [(i, 1, (i,)) for i in (1, 2, 3)] + [(7, 0, (0,))]
    assert facts(graphs.forward(batch_of(*four), cache))[3] == [7, 0, 8]
    assert recorder.recordings == 1
    graphs.forward(batch_of(three[0]), cache)
    assert recorder.recordings == 2
    keys = cache.layers[0].keys
    assert isinstance(keys, FloatSlots)
    assert int((keys.x[:-1] != 0).sum()) == 7


def test_E21_a_longer_page_table_than_the_pool_is_made_room_for(
    graphs: DecodeGraphs, recorder: CpuRecorder
) -> None:
    """A sliding window's pool is smaller than the table, which counts from the first token."""
    cache = make_cache(2)
    graphs.forward(batch_of((1, 0, (0,))), cache)
    table = (0, 1, 0, 1, 0)
    assert facts(graphs.forward(batch_of((1, 4 * PAGE, table)), cache))[0][1] == 4 * PAGE
    assert recorder.recordings == 2


def queue_reply(graphs: DecodeGraphs, cache: ReferenceCache, tokens: int) -> list[int]:
    """Each step queued before the one before it is read."""
    reads = []
    for position in range(tokens):
        token = NextToken(3 if position == 0 else None, position, (((0, 1),)), GREEDY, 1.0)
        reads.append(graphs.queue([token], cache))
    return [read()[0] for read in reads]


def test_a_queued_step_computes_what_was_drawn_before(
    graphs: DecodeGraphs, recorder: CpuRecorder
) -> None:
    drawn = queue_reply(graphs, make_cache(3), 20)
    assert recorder.recordings == 2  # the step and the draw
    cache, ids = make_cache(3), [3]
    plain = DecodeGraphs(compute, CpuRecorder(), CPU)
    for position in range(20):
        logits = plain.forward(batch_of((ids[-1], position, (0, 1))), cache)
        ids.append(int(logits.argmax()))
    assert drawn == ids[1:]
    assert len(set(drawn)) > 3


def test_what_reads_a_value_while_recording_is_refused(recorder: CpuRecorder) -> None:
    x = torch.ones(1)
    with pytest.raises(RuntimeError, match="on the host"):
        recorder.record(lambda: x * float(x))


SETTINGS = [
    Sampling(temperature=t, top_k=k, top_p=p, min_p=m, order=order, seed=1)
    for (t, k, p, m), order in product(
        [
            (0.0, 0, 1.0, 0.0),
            (1.0, 0, 1.0, 0.0),
            (0.7, 5, 1.0, 0.0),
            (1.5, 0, 0.8, 0.0),
            (0.9, 40, 0.95, 0.05),
            (2.0, 0, 1.0, 0.2),
            (1.0, 1, 0.5, 0.5),
            (1.0, 0, 0.0, 0.0),
        ],
        SamplingOrder,
    )
]


def test_the_device_draws_what_the_sampler_draws() -> None:
    """Every setting as one row of a batch, over many draws; ids past the tokenizer never come."""
    size, rows = 500, len(SETTINGS)
    samplers = [Sampler(s, Vocabulary(size)) for s in SETTINGS]
    rules = [
        DrawRule(
            s.temperature,
            s.top_k,
            s.top_p,
            s.min_p,
            s.order is SamplingOrder.TEMPERATURE_FIRST,
            size,
        )
        for s in SETTINGS
    ]
    generator = torch.Generator().manual_seed(4)
    for _ in range(60):
        logits = 3 * torch.randn(rows, size + 12, generator=generator)
        logits[:, size:] = 99
        uniforms = [sampler.uniform() for sampler in samplers]
        numbers = torch.tensor(rule_numbers(rules, uniforms), dtype=torch.float64)
        got = draw(logits, numbers).tolist()
        for sampler, uniform in zip(samplers, uniforms, strict=True):
            sampler.give_back(uniform)
        want = [sampler.draw(row).id for sampler, row in zip(samplers, logits.numpy(), strict=True)]
        assert got == want


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_logits_that_are_no_numbers_draw_nothing(bad: float) -> None:
    logits = torch.zeros(2, 9)
    logits[1, 4] = bad
    numbers = torch.tensor(rule_numbers([GREEDY, GREEDY], [1.0, 1.0]), dtype=torch.float64)
    assert draw(logits, numbers).tolist() == [0, -1]


def test_a_number_given_back_draws_the_same() -> None:
    logits = np.zeros(9, dtype=np.float32)
    one, other = (Sampler(Sampling(temperature=1.0, seed=5), Vocabulary(9)) for _ in range(2))
    one.give_back(one.uniform())
    assert [one.draw(logits).id for _ in range(9)] == [other.draw(logits).id for _ in range(9)]
