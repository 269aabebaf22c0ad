"""Steps: what runs, in which order, in which pages; and that no page is ever lost or mixed up.

The model of the property test is the cache itself: every page records the ids written into it, and
each step checks that what a sequence finds in its pages is its own beginning.
"""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from engine.contract import Priority
from engine.generation.scheduler import MAX_RUNNING, Scheduler, Sequence, Share, Step

SIZE = 4


class Cache:
    """Pages that hold ids; ``run`` is a model's step without the arithmetic."""

    def __init__(self, pages: int) -> None:
        self.slots = [[-1] * SIZE for _ in range(pages)]

    def run(self, step: Step) -> None:
        for source, target in step.copies:
            self.slots[target] = list(self.slots[source])
        for share in step.shares:
            pages = share.sequence.pages
            assert len(set(pages)) == len(pages)
            for offset, token in enumerate(share.ids):
                place = share.start + offset
                self.slots[pages[place // SIZE]][place % SIZE] = token
        for share in step.shares:
            end = share.start + len(share.ids)
            seen = [t for page in share.sequence.pages for t in self.slots[page]][:end]
            expected = [*share.sequence.ids[: share.start], *share.ids]
            assert seen == expected, "a sequence found something else than its own beginning"


def run(scheduler: Scheduler, cache: Cache, budget: int = 8) -> Step:
    """One step in which every decoding sequence gets the token 1000."""
    step = scheduler.schedule(budget)
    cache.run(step)
    for share in step.shares:
        if share.wanted:
            share.sequence.ids.append(1000)
        scheduler.computed(share, len(share.ids))
    return step


def lengths(step: Step) -> list[tuple[int, int]]:
    return [(len(share.ids), share.wanted) for share in step.shares]


def test_a_prompt_runs_in_slices_and_only_its_end_wants_logits() -> None:
    scheduler, cache = Scheduler(8, SIZE), Cache(8)
    scheduler.add(Sequence([*range(10)], 10))
    assert [lengths(run(scheduler, cache, 4)) for _ in range(4)] == [
        [(4, 0)],
        [(4, 0)],
        [(2, 1)],
        [(1, 1)],
    ]


def test_a_second_turn_computes_only_what_is_new() -> None:
    scheduler, cache = Scheduler(8, SIZE), Cache(8)
    first = Sequence([*range(6)], 6)
    scheduler.add(first)
    for _ in range(4):
        run(scheduler, cache)
    scheduler.finish(first)
    second = Sequence([*first.ids, 50, 51], len(first.ids) + 2)
    scheduler.add(second)
    step = run(scheduler, cache)
    # The last sampled token was never computed, so it is new as well.
    assert second.reused == len(first.ids) - 1
    assert lengths(step) == [(3, 1)]


def test_the_same_prompt_again_computes_one_token() -> None:
    scheduler, cache = Scheduler(8, SIZE), Cache(8)
    for _ in range(2):
        sequence = Sequence([*range(8)], 8)
        scheduler.add(sequence)
        step = run(scheduler, cache)
        scheduler.finish(sequence)
    assert lengths(step) == [(1, 1)]
    assert sequence.reused == 7


def test_decode_goes_on_while_a_prompt_beside_it_is_read() -> None:
    scheduler, cache = Scheduler(16, SIZE), Cache(16)
    visible = Sequence([1, 2], 2)
    scheduler.add(visible)
    run(scheduler, cache)
    scheduler.add(Sequence([*range(100, 120)], 20, Priority.BACKGROUND))
    step = run(scheduler, cache, 9)
    assert step.shares[0].sequence is visible
    assert lengths(step) == [(1, 1), (2, 0)]  # a quarter of the 8 that are left


def test_the_visible_conversation_is_read_first() -> None:
    scheduler, cache = Scheduler(16, SIZE), Cache(16)
    behind = Sequence([*range(100, 110)], 10, Priority.BACKGROUND)
    visible = Sequence([*range(10)], 10)
    scheduler.add(behind)
    scheduler.add(visible)
    step = run(scheduler, cache, 12)
    assert [(share.sequence, len(share.ids)) for share in step.shares] == [
        (visible, 10),
        (behind, 2),
    ]


def test_background_work_gives_its_room_to_the_visible_conversation() -> None:
    scheduler, cache = Scheduler(4, SIZE), Cache(4)
    behind = Sequence([*range(100, 112)], 12, Priority.BACKGROUND)
    scheduler.add(behind)
    run(scheduler, cache, 16)
    visible = Sequence([*range(10)], 10)
    scheduler.add(visible)
    step = run(scheduler, cache, 16)
    assert [share.sequence for share in step.shares] == [visible]
    assert scheduler.waiting == 1
    scheduler.finish(visible)
    step = run(scheduler, cache, 16)
    assert [share.sequence for share in step.shares] == [behind]


def test_two_that_do_not_fit_together_both_end() -> None:
    scheduler, cache = Scheduler(4, SIZE), Cache(4)
    sequences = [Sequence([n, n, n], 3) for n in (1, 2)]
    for sequence in sequences:
        scheduler.add(sequence)
    for _ in range(60):
        run(scheduler, cache)
        for sequence in [s for s in sequences if len(s.ids) >= 14]:
            scheduler.finish(sequence)
            sequences.remove(sequence)
    assert sequences == []


def test_a_prompt_that_can_never_run_is_a_bug_of_the_caller() -> None:
    scheduler = Scheduler(2, SIZE)
    with pytest.raises(ValueError, match="8 tokens cannot run in 8"):
        scheduler.add(Sequence([*range(8)], 8))


def test_no_more_than_the_most_run_at_once() -> None:
    scheduler, cache = Scheduler(100, SIZE), Cache(100)
    for n in range(MAX_RUNNING + 3):
        scheduler.add(Sequence([n, n], 2))
    run(scheduler, cache, 64)
    assert scheduler.waiting == 3


def test_a_broken_sequence_leaves_nothing_behind() -> None:
    scheduler, cache = Scheduler(8, SIZE), Cache(8)
    sequence = Sequence([*range(6)], 6)
    scheduler.add(sequence)
    step = scheduler.schedule(4)
    assert step.shares
    scheduler.forget(sequence)
    again = Sequence([*range(6)], 6)
    scheduler.add(again)
    run(scheduler, cache)
    assert again.reused == 0


class RandomLife(RuleBasedStateMachine):
    """Sequences are added, forked, stepped, finished and cancelled in any order."""

    @initialize(pages=st.integers(4, 12))
    def start(self, pages: int) -> None:
        self.pages = pages
        self.scheduler = Scheduler(pages, SIZE)
        self.cache = Cache(pages)
        self.live: list[Sequence] = []
        self.past: list[list[int]] = []
        self.next_token = 0

    def _add(self, ids: list[int], priority: Priority) -> None:
        ids = ids[: self.pages * SIZE - 1]
        sequence = Sequence(ids, len(ids), priority)
        self.scheduler.add(sequence)
        self.live.append(sequence)

    priorities = st.sampled_from(list(Priority))

    @rule(ids=st.lists(st.integers(0, 1), min_size=1, max_size=20), priority=priorities)
    def add(self, ids: list[int], priority: Priority) -> None:
        self._add(ids, priority)

    @precondition(lambda self: self.past)
    @rule(data=st.data(), more=st.lists(st.integers(0, 1), min_size=1, max_size=6))
    def fork(self, data: st.DataObject, more: list[int]) -> None:
        ids = data.draw(st.sampled_from(self.past))
        cut = data.draw(st.integers(0, len(ids)))
        self._add([*ids[:cut], *more], data.draw(self.priorities))

    @rule(budget=st.integers(1, 16), draws=st.randoms(use_true_random=False))
    def step(self, budget: int, draws: object) -> None:
        for sequence in self.live:
            if not sequence.is_prefilling and len(sequence.ids) < self.pages * SIZE - 4:
                sequence.drafts = [draws.randint(0, 1) for _ in range(draws.randint(0, 3))]  # type: ignore[attr-defined]
        step = self.scheduler.schedule(budget)
        assert bool(step.shares) == bool(self.live)
        self.cache.run(step)
        for share in step.shares:
            kept = self._sample(share, draws) if share.wanted else len(share.ids)
            self.scheduler.computed(share, kept)
            share.sequence.drafts = []
        for sequence in [s for s in self.live if len(s.ids) >= self.pages * SIZE]:
            self._finish(sequence)

    def _sample(self, share: Share, draws: object) -> int:
        """Accept some drafts, then add a token that refutes the next one."""
        first = len(share.ids) - share.wanted + 1
        accepted = draws.randint(0, share.wanted - 1)  # type: ignore[attr-defined]
        kept = first + accepted
        share.sequence.ids += share.ids[first:kept]
        share.sequence.ids.append(2)  # a draft is 0 or 1
        return kept

    def _finish(self, sequence: Sequence) -> None:
        self.scheduler.finish(sequence)
        self.live.remove(sequence)
        self.past.append(sequence.ids)

    @precondition(lambda self: self.live)
    @rule(data=st.data())
    def finish(self, data: st.DataObject) -> None:
        self._finish(data.draw(st.sampled_from(self.live)))

    @precondition(lambda self: self.live)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        sequence = data.draw(st.sampled_from(self.live))
        self.scheduler.forget(sequence)
        self.live.remove(sequence)

    @invariant()
    def no_page_leaks(self) -> None:
        if not hasattr(self, "scheduler"):
            return
        pages, tree = self.scheduler._pages, self.scheduler._tree
        held = [0] * self.pages
        for page in [*tree.pages(), *(p for s in self.live for p in s.pages)]:
            held[page] += 1
        assert held == [pages.references(page) for page in range(self.pages)]
        assert pages.free == held.count(0)

    @invariant()
    def nobody_writes_a_page_that_others_see(self) -> None:
        if not hasattr(self, "scheduler"):
            return
        for sequence in self.live:
            for page in sequence.pages[sequence.computed // SIZE :]:
                assert self.scheduler._pages.references(page) == 1


RandomLife.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestRandomLife = RandomLife.TestCase
