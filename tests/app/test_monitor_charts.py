"""What the monitor draws: requests counted part by part, and the model's memory."""

from __future__ import annotations

from itertools import pairwise

import pytest

from app.chat.monitoring import Sample
from app.store.monitor import Measured
from app.ui.monitor.charts import counted
from engine.contract import Memory
from tests.app.conftest import Program

MINUTE = 1_790_000_040.0  # a whole one
PARTS = Memory(2_500_000_000, 310_000_000, 96_000_000, 0)


def at(seconds: float, failed: int = 0, requests: int = 1, weights: int = 0) -> Measured:
    return Measured(
        MINUTE + seconds, "window", "A", failed=failed, requests=requests, weight_bytes=weights
    )


def test_requests_and_failures_are_counted_minute_by_minute() -> None:
    kept = [at(0), at(59, failed=1), at(60, failed=2, requests=5)]
    ended, failed = counted(kept, MINUTE + 185)
    assert ended == [(MINUTE + 60 * n, count) for n, count in enumerate((2.0, 5.0, 0.0, 0.0))]
    assert [count for _, count in failed] == [1, 2, 0, 0]
    assert counted([], MINUTE) == ([], [])


@pytest.mark.parametrize("days", [0.01, 1, 30, 400])
def test_a_longer_time_is_counted_in_longer_parts_and_none_is_lost(days: float) -> None:
    kept = [at(number * days * 864) for number in range(100)]
    ended, _ = counted(kept, MINUTE + days * 86_400)
    assert sum(count or 0 for _, count in ended) == 100
    assert len(ended) <= 61
    lengths = {later - earlier for (earlier, _), (later, _) in pairwise(ended)}
    assert len(lengths) == 1
    assert lengths.pop() % 60 == 0


def test_a_clock_that_was_set_back_loses_no_request() -> None:
    ended, _ = counted([at(0), at(300)], MINUTE)
    assert [count for _, count in ended] == [1, 0, 0, 0, 0, 1]


def test_the_model_s_memory_is_three_lines_each_with_words_of_its_own(program: Program) -> None:
    running = program.start_ready()
    charts = running.window.parts.monitor.charts
    chart = charts.of["model"]
    charts.show([at(0)], [Sample(MINUTE, 0.5, 1)], MINUTE)
    assert chart.drawn == ((), (), ()), "no model took any"
    assert chart.accessibleDescription() == "Nothing measured yet"
    charts.show(
        [at(0, weights=2_000_000_000)],
        [Sample(MINUTE + 9, 0.5, 1, PARTS), Sample(MINUTE + 11, 0.5, 1)],
        MINUTE + 11,
    )
    assert [[value for _, value in points] for points in chart.drawn] == [
        [2e9, 2.5e9, 0], [0, 3.1e8, 0], [0, 9.6e7, 0]
    ]  # fmt: skip
    assert chart.accessibleDescription().splitlines()[:2] == [
        "weights: Latest 0 bytes; from 0 bytes to 2.50 GB.",
        "cache: Latest 0 bytes; from 0 bytes to 310 MB.",
    ]
