"""The scale of a chart: ticks that people can read, outliers left off."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.ui.benchmark.scale import scale


def test_ticks_are_round_and_begin_at_zero() -> None:
    axis = scale([34.5, 19.1, 15.4])
    assert axis.ticks == (0, 10, 20, 30)
    assert axis.at(axis.top, 300) == 300
    assert axis.at(0, 300) == 0


def test_one_value_far_above_the_others_is_left_off_unless_all_are_wanted() -> None:
    assert not scale([266, 34.5, 19.1]).holds(266)
    assert scale([266, 34.5, 19.1], whole=True).holds(266)
    assert scale([266]).holds(266)


@given(st.lists(st.floats(1e-3, 1e9), max_size=12), st.integers(2, 6))
def test_every_scale_has_few_ticks_within_its_top(values: list[float], ticks: int) -> None:
    axis = scale(values, ticks)
    assert axis.ticks[0] == 0
    assert len(axis.ticks) <= ticks + 1
    assert all(axis.holds(tick) for tick in axis.ticks)
    assert all(0 <= axis.at(value, 100) <= 100 for value in values)
