"""Speeds of a remote reply from a clock that the test moves."""

from __future__ import annotations

import pytest

from engine.remote.clock import RemoteClock


class Ticks:
    """A clock with its hands on the test."""

    def __init__(self) -> None:
        self.now = 100.0
        self.clock = RemoteClock(lambda: self.now)

    def arrive(self, *pauses_s: float, tokens: int = 1) -> None:
        for pause in pauses_s:
            self.now += pause
            self.clock.arrived(tokens)


def test_the_speed_is_of_what_came_after_the_first() -> None:
    ticks = Ticks()
    ticks.arrive(0.5, *[0.02] * 10)
    timings = ticks.clock.timings(11)
    assert timings.time_to_first_token_s == pytest.approx(0.5)
    assert timings.decode_s == pytest.approx(0.2)
    assert timings.tokens_per_second == pytest.approx(50)
    assert ticks.clock.tokens_per_second() == pytest.approx(50)
    assert timings.beside_server


def test_i9_a_burst_has_no_speed() -> None:
    ticks = Ticks()
    ticks.arrive(2.0, *[0.0001] * 200)
    assert ticks.clock.timings(200).tokens_per_second is None
    assert ticks.clock.tokens_per_second() is None


def test_one_token_has_no_speed_and_nothing_at_all_no_first() -> None:
    ticks = Ticks()
    assert ticks.clock.timings(0).time_to_first_token_s == 0
    assert not ticks.clock.is_due()
    ticks.arrive(0.3)
    assert ticks.clock.timings(1).tokens_per_second is None


def test_the_running_speed_is_of_the_last_seconds() -> None:
    ticks = Ticks()
    ticks.arrive(*[0.01] * 100)
    ticks.arrive(*[0.5] * 10)
    running = ticks.clock.tokens_per_second()
    assert running == pytest.approx(2)


def test_figures_are_due_a_few_times_a_second() -> None:
    ticks = Ticks()
    due = 0
    for _ in range(100):
        ticks.arrive(0.01)
        due += ticks.clock.is_due()
    assert 3 <= due <= 5
