"""Choosing the context, reading with progress, slices and figures."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.background_work import Report, run_reporting
from engine.contract import EngineError, Event, FaultKind, LoadSettings, NoticeKind, Progress, Stage
from engine.generation.pages import Group
from engine.generation.scheduler import Scheduler
from engine.kernels.interface import SLICE_FLOPS, CacheShape
from engine.kernels.reference import ReferenceKernels
from engine.library.memory import cache_tokens, memory_needed, window_tokens
from engine.loading import (
    LEAST_CONTEXT,
    PAGE_TOKENS,
    make_cache,
    plan_context,
    with_threads_that_run,
)
from engine.meter import PAUSE_S, Meter
from engine.pace import LEAST, MOST, Pace
from tests.doubles.scripts import model_facts

FACTS = replace(model_facts(Path("m.gguf")), context_length=32_768)


def free_for(context: int) -> int:
    """Bytes that hold the model with exactly this context."""
    return memory_needed(FACTS, context).total


def test_the_models_own_context_is_taken_where_memory_is_plenty() -> None:
    plan = plan_context(FACTS, LoadSettings(), 100 << 30)
    assert (plan.context, plan.notices) == (32_768, ())


def test_a_context_that_memory_cannot_hold_is_reduced_and_said() -> None:
    plan = plan_context(FACTS, LoadSettings(), free_for(16_384))
    assert LEAST_CONTEXT <= plan.context < 16_384
    assert plan.context % 256 == 0
    (notice,) = plan.notices
    assert notice.kind is NoticeKind.CONTEXT_REDUCED
    assert notice.figures == {"wanted": 32_768, "context": plan.context}
    assert plan.need.total <= free_for(16_384)


def test_no_more_threads_compute_than_run_at_once_and_that_is_said() -> None:
    settings, (notice,) = with_threads_that_run(LoadSettings(threads=64, context=512), 2)
    assert settings == LoadSettings(threads=2, context=512)
    assert notice.kind is NoticeKind.THREADS_REDUCED
    assert notice.figures == {"wanted": 64, "threads": 2}
    for wanted in (None, 1, 2):
        assert with_threads_that_run(LoadSettings(threads=wanted), 2) == (
            LoadSettings(threads=wanted), (),
        )  # fmt: skip


def test_a_wished_context_may_take_all_that_is_free() -> None:
    plan = plan_context(FACTS, LoadSettings(context=16_384), free_for(16_384) + (1 << 20))
    assert (plan.context, plan.notices) == (16_384, ())


@pytest.mark.parametrize("wished", [None, 4096, 16_384])
@pytest.mark.parametrize("tokens", [2_048, 4_096, 16_384, 20_000, 60_000])
def test_the_pool_never_takes_more_than_is_free(wished: int | None, tokens: int) -> None:
    plan = plan_context(FACTS, LoadSettings(context=wished), free_for(tokens))
    assert plan.context <= plan.pool
    assert plan.need.total == free_for(plan.pool) <= free_for(tokens)


def test_a_context_longer_than_the_models_is_cut_to_it_and_said() -> None:
    plan = plan_context(FACTS, LoadSettings(context=100_000), 100 << 30)
    assert plan.context == 32_768
    assert plan.notices[0].figures == {"wanted": 100_000, "context": 32_768}


def test_a_model_that_does_not_fit_is_refused_with_figures_before_it_is_read() -> None:
    with pytest.raises(EngineError) as raised:
        plan_context(FACTS, LoadSettings(), free_for(LEAST_CONTEXT) - 1)
    fault = raised.value.fault
    assert fault.kind is FaultKind.MEMORY_SHORT
    assert fault.figures == {
        "needed": free_for(LEAST_CONTEXT),
        "free": free_for(LEAST_CONTEXT) - 1,
        "context": LEAST_CONTEXT,
    }


def test_an_eight_bit_cache_makes_room_for_a_longer_context() -> None:
    free = free_for(12_000)
    wide = plan_context(FACTS, LoadSettings(context=30_000), free)
    narrow = plan_context(FACTS, LoadSettings(context=30_000, cache_bits=8), free)
    assert narrow.context > wide.context * 1.7


@pytest.mark.parametrize("settings", [LoadSettings(cache_bits=4), LoadSettings(context=3)])
def test_settings_that_mean_nothing_are_refused(settings: LoadSettings) -> None:
    with pytest.raises(EngineError) as raised:
        plan_context(FACTS, settings, 100 << 30)
    assert raised.value.fault.kind is FaultKind.SETTING_INVALID


def event(done: int, total: int) -> Progress:
    return Progress(1, Stage.READING, done, total)


def test_work_on_a_thread_is_an_iterator_of_its_reports() -> None:
    shown = threading.Event()

    def work(report: Report) -> str:
        report(3, 9)
        assert shown.wait(60)
        return "read"

    running = run_reporting(work, event)
    while next(running) != event(3, 9):
        pass
    shown.set()
    results: list[str] = []

    def drain() -> Iterator[Event]:
        results.append((yield from running))

    list(drain())
    assert results == ["read"]


def test_a_fault_of_the_work_arrives_where_it_is_iterated() -> None:
    def work(report: Report) -> None:
        raise EngineError(FaultKind.TENSOR_MISSING, path="m", tensor="t")

    with pytest.raises(EngineError):
        list(run_reporting(work, event))


def test_work_that_nobody_wants_any_more_ends_at_its_next_report() -> None:
    ended = threading.Event()

    def work(report: Report) -> None:
        try:
            for done in range(10_000_000):
                report(done, 10_000_000)
        finally:
            ended.set()

    running = run_reporting(work, event)
    next(running)
    running.close()
    assert ended.is_set()


def test_slices_follow_from_the_model_and_the_processor() -> None:
    def sizes(parameters: int, threads: int, flops: float) -> tuple[int, int]:
        pace = Pace(parameters, threads, flops, can_end=True)
        assert Pace(parameters, threads, flops, can_end=False).alone == pace.budget
        return pace.budget, pace.alone

    assert sizes(134_515_008, 2, SLICE_FLOPS) == (64, 256)
    assert sizes(134_515_008, 2, 4 * SLICE_FLOPS) == (256, 256)
    assert sizes(134_515_008, 16, SLICE_FLOPS) == (MOST, MOST)
    assert sizes(1_240_000_000, 2, 4 * SLICE_FLOPS) == (32, 256)
    assert sizes(70_000_000_000, 1, 4 * SLICE_FLOPS) == (LEAST, 8 * LEAST)
    assert sizes(0, 1, SLICE_FLOPS) == (MOST, MOST)


def test_slices_shrink_only_after_a_full_slice_that_took_too_long() -> None:
    pace = Pace(134_515_008, 2, SLICE_FLOPS, can_end=True)
    pace.stepped(9.0, 1, is_alone=False)
    pace.stepped(0.05, 64, is_alone=False)
    pace.stepped(9.0, 255, is_alone=True)
    pace.stepped(0.5, 256, is_alone=True)
    assert (pace.budget, pace.alone) == (64, 256)
    pace.stepped(0.7, 256, is_alone=True)
    assert (pace.budget, pace.alone) == (64, 128)
    pace.stepped(0.7, 128, is_alone=True)
    assert (pace.budget, pace.alone) == (64, 64)
    for _ in range(9):
        pace.stepped(0.2, 64, is_alone=False)
    assert pace.budget == LEAST


class Clock:
    """Seconds that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def decoded(clock: Clock, meter: Meter, steps: int, step_s: float) -> None:
    for _ in range(steps):
        clock.now += step_s
        meter.stepped(step_s, 1)


def prompted(clock: Clock, prefill_s: float) -> Meter:
    """A meter whose reply has its first token."""
    meter = Meter(clock)
    clock.now += 0.5
    meter.tokenized()
    clock.now += 0.25
    meter.started()
    clock.now += prefill_s
    meter.stepped(prefill_s, 1)
    return meter


def test_I9_the_prompts_time_stands_apart_from_the_speed_of_writing() -> None:
    clock = Clock()
    meter = prompted(clock, 8.0)
    decoded(clock, meter, 10, 0.1)
    assert meter.tokens_per_second() == pytest.approx(10)
    timings = meter.timings(400)
    assert (timings.tokenize_s, timings.queue_s) == pytest.approx((0.5, 0.25))
    assert timings.time_to_first_token_s == pytest.approx(8.75)
    assert timings.prefill_tokens_per_second == pytest.approx(50)
    assert timings.tokens_per_second == pytest.approx(10)
    assert timings.decode_s == pytest.approx(1)


def test_I9_one_token_has_no_speed_and_few_are_no_figure_to_show() -> None:
    clock = Clock()
    meter = prompted(clock, 0.001)
    assert meter.tokens_per_second() is None
    assert meter.timings(1).tokens_per_second is None
    assert meter.timings(1).prefill_tokens_per_second is None
    decoded(clock, meter, 3, 0.0001)
    assert meter.tokens_per_second() is None


def test_I9_a_pause_is_not_slowness() -> None:
    clock = Clock()
    meter = prompted(clock, 1.0)
    decoded(clock, meter, 10, 0.1)
    clock.now += 60  # nobody asked for the next step
    decoded(clock, meter, 10, 0.1)
    assert meter.tokens_per_second() == pytest.approx(10)
    assert meter.timings(10).decode_s == pytest.approx(2)


def test_what_happens_between_two_steps_counts_as_long_as_it_is_no_pause() -> None:
    clock = Clock()
    meter = prompted(clock, 1.0)
    for _ in range(10):
        clock.now += 0.1 + PAUSE_S / 2
        meter.stepped(0.1, 1)
    assert meter.tokens_per_second() == pytest.approx(1 / (0.1 + PAUSE_S / 2))


def test_the_speed_is_that_of_the_last_seconds() -> None:
    clock = Clock()
    meter = prompted(clock, 1.0)
    decoded(clock, meter, 100, 0.1)
    decoded(clock, meter, 40, 0.2)
    assert meter.tokens_per_second() == pytest.approx(5, rel=0.1)


def test_figures_are_due_a_few_times_a_second() -> None:
    clock = Clock()
    meter = prompted(clock, 1.0)
    due = 0
    for _ in range(200):
        clock.now += 0.01
        due += meter.is_due()
    assert 7 <= due <= 9


SLIDING = replace(FACTS, window=512, window_bytes_per_token=FACTS.cache_bytes_per_token * 5 // 6)


def test_layers_with_a_window_leave_room_for_a_longer_context() -> None:
    """Five layers of six stop growing at their window: the same memory holds far more."""
    free = free_for(8_000)
    whole = plan_context(FACTS, LoadSettings(context=32_768), free)
    sliding = plan_context(SLIDING, LoadSettings(context=32_768), free)
    assert sliding.context > 2.5 * whole.context
    assert sliding.need.total <= free


@pytest.mark.parametrize("tokens", [100, 4_000, 5_120, 5_121, 30_000])
def test_the_context_that_fits_is_the_memory_formula_backwards(tokens: int) -> None:
    for facts in (FACTS, SLIDING):
        for bits in (8, 16):
            size = memory_needed(facts, tokens, bits).cache
            assert abs(cache_tokens(facts, size, bits) - tokens) <= 1


class Layered:
    """A model of one layer that keeps everything and one that slides."""

    def __init__(self, window: int) -> None:
        self.cache_layers = (CacheShape(2, 16, 16), CacheShape(2, 16, 16, window=window))


def test_a_sliding_layers_cache_is_what_its_window_needs() -> None:
    """Of 20,000 tokens a window of 128 keeps itself, a step, and the ends of turns."""
    cache = make_cache(Layered(128), ReferenceKernels(), 20_000, 16)  # type: ignore[arg-type]
    assert cache.windows == (None, 128)
    kept = window_tokens(128)
    pages = (20_000 // PAGE_TOKENS + 1, kept // PAGE_TOKENS + 4)
    assert cache.pages == pages
    assert cache.nbytes == sum(pages) * PAGE_TOKENS * 2 * 2 * 16 * 4
    Scheduler([Group(*pair) for pair in zip(cache.pages, cache.windows, strict=True)], PAGE_TOKENS)


def test_a_window_as_wide_as_the_pool_is_none() -> None:
    cache = make_cache(Layered(4096), ReferenceKernels(), 8_000, 16)  # type: ignore[arg-type]
    assert (cache.windows, len(cache.pages)) == ((None,), 1)
