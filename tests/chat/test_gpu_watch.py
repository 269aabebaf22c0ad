"""When the GPUs are asked, and what of it a request is said to have taken."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.chat.gpu_watch import GpuWatch, busiest
from engine.library.gpu_load import GpuLoad

GB = 1_000_000_000


def card(load: float, used: int = GB) -> GpuLoad:
    return GpuLoad("GPU", load, used, 24 * GB)


class Later:
    """A background whose jobs end when the test says so."""

    def __init__(self) -> None:
        self.jobs: list[tuple[Callable[[], object], Callable[[object], None]]] = []

    def run(
        self, job: Callable[[], object], then: Callable[[object], None], failed: object
    ) -> None:
        self.jobs.append((job, then))

    def end(self) -> None:
        job, then = self.jobs.pop(0)
        then(job())


class Rig:
    """A watch over cards that the test sets, and a clock that the test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *cards: GpuLoad) -> None:
        self.cards, self.asked, self.clock = cards, 0, 100.0
        self.later = Later()
        self.watch = GpuWatch(self.later.run, self._read)
        self.taken: list[tuple[float | None, int | None]] = []
        monkeypatch.setattr("app.chat.gpu_watch.time.monotonic", lambda: self.clock)

    def _read(self) -> tuple[GpuLoad, ...]:
        self.asked += 1
        return self.cards

    def take(self) -> None:
        self.watch.take(lambda load, used: self.taken.append((load, used)))

    def follow(self, *cards: GpuLoad) -> None:
        self.cards, self.clock = cards, self.clock + 1
        self.watch.follow()
        self.later.end()


def test_a_request_took_the_mean_of_what_was_read_while_it_ran(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rig = Rig(monkeypatch, card(1.0))
    rig.watch.ask()
    rig.later.end()  # before it began
    rig.watch.begin()
    rig.follow(card(0.2), card(0.6, 2 * GB))
    rig.follow(card(0.8), card(0.1))
    rig.watch.follow()  # within the same second
    assert not rig.later.jobs
    rig.take()
    (load, used), *others = rig.taken
    assert (used, others) == (3 * GB, [])
    assert load == pytest.approx(0.7)


def test_a_short_one_took_what_is_read_at_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig(monkeypatch, card(0.4))
    rig.take()
    assert rig.taken == []
    rig.later.end()
    assert rig.taken == [(0.4, GB)]


def test_a_driver_that_does_not_answer_holds_no_request_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rig = Rig(monkeypatch, card(0.4))
    rig.watch.ask()
    rig.take()
    assert rig.taken == [], "it may still answer"
    rig.clock += 60
    rig.take()
    assert rig.taken == [(None, None)] * 2
    assert len(rig.later.jobs) == 1, "and it is not asked meanwhile"


def test_requests_are_told_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig(monkeypatch, card(0.4))
    told: list[str] = []
    for name in ("one", "two"):
        rig.watch.take(lambda load, used, name=name: told.append(name))  # type: ignore[misc]
    rig.later.end()
    rig.watch.begin()
    rig.follow(card(0.4))
    rig.watch.take(lambda load, used: told.append("three"))
    assert told == ["one", "two", "three"]


def test_without_a_gpu_it_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig(monkeypatch)
    rig.take()
    rig.later.end()
    rig.watch.ask()
    rig.clock += 60
    rig.watch.follow()
    rig.take()
    assert (rig.asked, rig.later.jobs, rig.taken) == (1, [], [(None, None)] * 2)


def test_a_gpu_that_fails_once_is_asked_again_and_old_news_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rig = Rig(monkeypatch, card(0.4))
    for cards in ((card(0.4),), (), (card(0.5),)):
        rig.cards = cards
        rig.watch.ask()
        rig.later.end()
        assert rig.watch.now == cards
    rig.clock += 60
    assert rig.watch.now == ()


def test_the_busiest_counts() -> None:
    assert busiest((card(0.1), card(0.9))) == 0.9
    assert busiest(()) == 0
