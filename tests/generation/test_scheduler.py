"""Steps: what runs, in which order, in which pages; and that no page is ever lost or mixed up.

The model of the property test is the cache itself: every page records the ids written into it, and
each step checks that what a sequence finds in its pages is its own beginning.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from engine.contract import Priority
from engine.generation.pages import Group
from engine.generation.scheduler import MAX_RUNNING, Scheduler, Sequence, Share, Step

SIZE = 4


class Cache:
    """Pages of each group that hold ids; ``run`` is a model's step without the arithmetic."""

    def __init__(self, *pages: int, windows: tuple[int | None, ...] = (None,)) -> None:
        self.windows = windows
        self.slots = [[[-1] * SIZE for _ in range(count)] for count in pages]

    def run(self, step: Step) -> None:
        for copy in step.copies:
            self.slots[copy.group][copy.target] = list(self.slots[copy.group][copy.source])
        for group, (slots, window) in enumerate(zip(self.slots, self.windows, strict=True)):
            for share in step.shares:
                table = share.sequence.tables[group]
                held = table.pages[table.first :]
                assert len(set(held)) == len(held)
                for offset, token in enumerate(share.ids):
                    place = share.start + offset
                    slots[table.pages[place // SIZE]][place % SIZE] = token
            for share in step.shares:
                end = share.start + len(share.ids)
                first = 0 if window is None else max(0, share.start - window + 1)
                table = share.sequence.tables[group]
                assert table.first <= first // SIZE, "the window was given back"
                seen = [t for page in table.pages for t in slots[page]][first:end]
                expected = [*share.sequence.ids[: share.start], *share.ids][first:]
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
    scheduler, cache = Scheduler([Group(8)], SIZE), Cache(8)
    scheduler.add(Sequence([*range(10)], 10))
    assert [lengths(run(scheduler, cache, 4)) for _ in range(4)] == [
        [(4, 0)],
        [(4, 0)],
        [(2, 1)],
        [(1, 1)],
    ]


def test_a_second_turn_computes_only_what_is_new() -> None:
    scheduler, cache = Scheduler([Group(8)], SIZE), Cache(8)
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
    scheduler, cache = Scheduler([Group(8)], SIZE), Cache(8)
    for _ in range(2):
        sequence = Sequence([*range(8)], 8)
        scheduler.add(sequence)
        step = run(scheduler, cache)
        scheduler.finish(sequence)
    assert lengths(step) == [(1, 1)]
    assert sequence.reused == 7


def test_decode_goes_on_while_a_prompt_beside_it_is_read() -> None:
    scheduler, cache = Scheduler([Group(16)], SIZE), Cache(16)
    visible = Sequence([1, 2], 2)
    scheduler.add(visible)
    run(scheduler, cache)
    scheduler.add(Sequence([*range(100, 120)], 20, Priority.BACKGROUND))
    step = run(scheduler, cache, 9)
    assert step.shares[0].sequence is visible
    assert lengths(step) == [(1, 1), (2, 0)]  # a quarter of the 8 that are left


def test_the_visible_conversation_is_read_first() -> None:
    scheduler, cache = Scheduler([Group(16)], SIZE), Cache(16)
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
    scheduler, cache = Scheduler([Group(4)], SIZE), Cache(4)
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
    scheduler, cache = Scheduler([Group(4)], SIZE), Cache(4)
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
    scheduler = Scheduler([Group(2)], SIZE)
    with pytest.raises(ValueError, match="8 tokens cannot run in 8"):
        scheduler.add(Sequence([*range(8)], 8))


def test_no_more_than_the_most_run_at_once() -> None:
    scheduler, cache = Scheduler([Group(100)], SIZE), Cache(100)
    for n in range(MAX_RUNNING + 3):
        scheduler.add(Sequence([n, n], 2))
    run(scheduler, cache, 64)
    assert scheduler.waiting == 3


def test_a_broken_sequence_leaves_nothing_behind() -> None:
    scheduler, cache = Scheduler([Group(8)], SIZE), Cache(8)
    sequence = Sequence([*range(6)], 6)
    scheduler.add(sequence)
    step = scheduler.schedule(4)
    assert step.shares
    scheduler.forget(sequence)
    again = Sequence([*range(6)], 6)
    scheduler.add(again)
    run(scheduler, cache)
    assert again.reused == 0


WINDOW = 8
WINDOWED = [Group(40), Group(12, WINDOW)]


def turn(scheduler: Scheduler, cache: Cache, ids: list[int], tokens: int = 9) -> Sequence:
    """A prompt with its reply, from beginning to end."""
    sequence = Sequence(ids, len(ids))
    scheduler.add(sequence)
    while len(sequence.ids) < sequence.prompt_tokens + tokens:
        run(scheduler, cache)
    scheduler.finish(sequence)
    return sequence


def test_a_window_gives_back_what_it_has_left_behind() -> None:
    scheduler, cache = Scheduler(WINDOWED, SIZE), Cache(40, 12, windows=(None, WINDOW))
    sequence = Sequence([*range(100)], 100)
    scheduler.add(sequence)
    while len(sequence.ids) < 140:
        run(scheduler, cache)
        wide, near = sequence.tables
        # the window, a page before it, and no page of it whole
        assert len(near.pages) - near.first <= WINDOW // SIZE + 4
    pools = scheduler._pools._pools
    assert len(wide.pages) == 35
    assert pools[0].count - pools[0].free == 35
    # of those that are in use, the tree holds what the prompt's last slice of 8 tokens needs
    assert pools[1].count - pools[1].free <= 2 * (WINDOW // SIZE + 2) + 8 // SIZE


def test_E23_regenerate_edit_and_the_next_turn_go_on_where_turns_ended() -> None:
    """Far past the window, every prompt computes what is new and nothing before it."""
    groups = [Group(80), Group(30, WINDOW)]
    scheduler, cache = Scheduler(groups, SIZE), Cache(80, 30, windows=(None, WINDOW))
    first = turn(scheduler, cache, [*range(50)])
    again = turn(scheduler, cache, [*range(50)])
    assert again.reused == 49
    ended = [*first.ids[:-1], 7000]  # the sampled end was never computed
    second = turn(scheduler, cache, [*ended, *range(200, 230)])
    assert second.reused == len(ended) - 1
    edited = turn(scheduler, cache, [*ended, *range(200, 205), *range(300, 320)])
    # the ids agree five tokens longer; the window is there where the first reply ended
    assert edited.reused == len(ended) - 1
    again = turn(scheduler, cache, second.ids[: second.prompt_tokens])
    assert again.reused == second.prompt_tokens - 1


def test_E23_an_edit_of_a_prompt_that_was_read_whole_goes_on_in_its_last_slice() -> None:
    """A chat of an earlier session: no turn ended here before, and its last question is edited."""
    groups = [Group(80), Group(30, WINDOW)]
    scheduler, cache = Scheduler(groups, SIZE), Cache(80, 30, windows=(None, WINDOW))
    turn(scheduler, cache, [*range(96)])  # in slices of 8
    edited = turn(scheduler, cache, [*range(90), *range(300, 306)])
    assert edited.reused == 90
    before = turn(scheduler, cache, [*range(70), *range(400, 406)])
    assert before.reused == 0  # that window was given back


def test_C11_other_work_between_turns_leaves_the_windows_of_the_conversation() -> None:
    scheduler, cache = Scheduler(WINDOWED, SIZE), Cache(40, 12, windows=(None, WINDOW))
    first = turn(scheduler, cache, [*range(50)])
    title = turn(scheduler, cache, [*first.ids, *range(900, 908)], tokens=3)
    assert title.reused == len(first.ids) - 1
    second = turn(scheduler, cache, [*first.ids, *range(500, 510)])
    assert second.reused == len(first.ids)  # the title's prompt has read the last one too


def test_windows_that_do_not_fit_together_take_turns() -> None:
    """Eight long prompts over pages for two windows; nobody is lost and nobody reads wrongly."""
    groups = [Group(200), Group(12, WINDOW)]
    scheduler, cache = Scheduler(groups, SIZE), Cache(200, 12, windows=(None, WINDOW))
    sequences = [Sequence([n] * 30, 30) for n in range(8)]
    for sequence in sequences:
        scheduler.add(sequence)
    for _ in range(400):
        run(scheduler, cache)
        for sequence in [s for s in sequences if len(s.ids) >= 45]:
            scheduler.finish(sequence)
            sequences.remove(sequence)
    assert sequences == []


def test_a_window_without_pages_for_it_is_a_bug_of_the_caller() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        Scheduler([Group(20), Group(4, 8)], SIZE)


def test_what_is_read_again_is_not_held_twice() -> None:
    """Its window is gone, so the prompt is read anew: the tree's pages take the place of its own.

    Else a sequence near the pool's end would wait for ever for pages above which its own stand.
    """
    groups = [Group(20), Group(8, 4)]
    scheduler, cache = Scheduler(groups, SIZE), Cache(20, 8, windows=(None, 4))
    turn(scheduler, cache, [*range(40)])
    turn(scheduler, cache, [*range(100, 120)])  # its windows push the others out
    while scheduler._pools._tree.evict(1):
        pass
    again = Sequence([*range(40)], 40)
    scheduler.add(again)
    while len(again.ids) < 79:
        assert run(scheduler, cache).shares
    assert again.reused == 0
    assert scheduler._pools._pools[0].free == 0
    assert scheduler._pools._tree.evictable(0) == 0
    scheduler.finish(again)


class RandomLife(RuleBasedStateMachine):
    """Sequences are added, forked, stepped, finished and cancelled in any order."""

    @initialize(
        pages=st.integers(4, 24),
        windows=st.sampled_from([(None,), (None, 3), (None, 9, 4), (5,)]),
        spare=st.integers(0, 9),
    )
    def start(self, pages: int, windows: tuple[int | None, ...], spare: int) -> None:
        self.pages = pages
        groups = [Group(pages if w is None else w // SIZE + 4 + spare, w) for w in windows]
        self.scheduler = Scheduler(groups, SIZE)
        self.cache = Cache(*(group.pages for group in groups), windows=windows)
        self.live: list[Sequence] = []
        self.past: list[Sequence] = []

    def _add(self, ids: list[int], priority: Priority) -> None:
        ids = ids[: self.pages * SIZE - 1]
        sequence = Sequence(ids, len(ids), priority)
        self.scheduler.add(sequence)
        self.live.append(sequence)

    priorities = st.sampled_from(list(Priority))

    @rule(ids=st.lists(st.integers(0, 1), min_size=1, max_size=60), priority=priorities)
    def add(self, ids: list[int], priority: Priority) -> None:
        self._add(ids, priority)

    @precondition(lambda self: self.past)
    @rule(data=st.data(), more=st.lists(st.integers(0, 1), min_size=1, max_size=6))
    def fork(self, data: st.DataObject, more: list[int]) -> None:
        """Mostly where a turn ended, as people do: regenerate, edit, go on."""
        past = data.draw(st.sampled_from(self.past))
        ends = st.sampled_from([past.prompt_tokens, len(past.ids), len(past.ids) - 1])
        cut = data.draw(ends | st.integers(0, len(past.ids)))
        self._add([*past.ids[:cut], *more], data.draw(self.priorities))

    @rule(
        budget=st.integers(1, 16),
        times=st.integers(1, 6),
        draws=st.randoms(use_true_random=False),
    )
    def steps(self, budget: int, times: int, draws: object) -> None:
        for _ in range(times):
            self._step(budget, draws)

    def _step(self, budget: int, draws: object) -> None:
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
        self.past.append(sequence)

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

    def teardown(self) -> None:
        """Whatever happened before, the last ones come to an end."""
        if not hasattr(self, "scheduler"):
            return
        for sequence in self.live[3:]:
            self._finish(sequence)
        draws = Random(1)
        for _ in range(400):
            if self.live:
                self._step(16, draws)
        assert self.live == []
        self.no_page_leaks()

    @invariant()
    def no_page_leaks(self) -> None:
        if not hasattr(self, "scheduler"):
            return
        pools, tree = self.scheduler._pools._pools, self.scheduler._pools._tree
        for group, pages in enumerate(pools):
            held = [0] * pages.count
            tables = [s.tables[group] for s in self.live if s.tables]
            for page in [*tree.pages(group), *(p for t in tables for p in t.pages[t.first :])]:
                held[page] += 1
            assert held == [pages.references(page) for page in range(pages.count)]
            assert pages.free == held.count(0)

    @invariant()
    def nobody_writes_a_page_that_others_see(self) -> None:
        if not hasattr(self, "scheduler"):
            return
        for sequence in self.live:
            for pages, table in zip(self.scheduler._pools._pools, sequence.tables, strict=False):
                for page in table.pages[sequence.computed // SIZE :]:
                    assert pages.references(page) == 1

    @invariant()
    def windows_hold_what_they_need_and_little_more(self) -> None:
        if not hasattr(self, "scheduler"):
            return
        for sequence in self.live:
            for window, table in zip(self.cache.windows, sequence.tables, strict=False):
                if window is not None and sequence.computed:
                    assert table.first <= max(0, sequence.computed - window + 1) // SIZE
                    behind = sequence.computed - window - table.first * SIZE
                    assert behind < 2 * SIZE


RandomLife.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestRandomLife = RandomLife.TestCase
