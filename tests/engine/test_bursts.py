"""Several steps between two looks of the engine: replies are those of single steps, to the end.

The mock model reads its cache, so a token that should not count and stayed, or one that was left
out, changes everything that is said after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from engine.contract import (
    Constraint,
    ConstraintKind,
    Failed,
    FaultKind,
    Finished,
    FinishReason,
    Generate,
    GenerateSettings,
    Message,
    Role,
    Sampling,
)
from engine.generation.sampler import Sampler, Vocabulary
from engine.generation.speculation import Speculation
from engine.kernels.cuda.sampling import draw, rule_numbers
from engine.kernels.drawing import Burst, DrawRule
from engine.kernels.interface import CachePool
from engine.loaded import LoadedModel
from tests.doubles.models import END, GREEDY, MockCache, MockModel, expected_reply, mock_loaded
from tests.engine.laws import assert_cancelled_keeping, events_of, terminal_of, text_of
from tests.engine.test_answering import Bench

SEEDED = Sampling(temperature=0.9, top_k=0, top_p=1.0, seed=4)
CHAINS = (
    GREEDY,
    SEEDED,
    Sampling(temperature=0.8, top_k=40, top_p=0.95, min_p=0.02, seed=1),
    Sampling(temperature=1.5, min_p=0.1, seed=2),
    Sampling(temperature=1.0, top_k=3, min_tokens=40, seed=3),
)


@dataclass
class BurstingModel(MockModel):
    """Goes on by itself as the CPU's kernels do.

    Attributes:
        longest: steps of a burst.
        bursts: of each that ran, its start and the tokens that it drew.
        wrong_at: the position whose logits are no numbers.
    """

    longest: int = 5
    bursts: list[tuple[int, list[int]]] = field(default_factory=list)
    wrong_at: int = -1

    def longest_burst(self, rule: DrawRule) -> int:
        assert rule.size == 257
        return self.longest

    def burst(self, burst: Burst, cache: CachePool) -> list[int]:
        assert isinstance(cache, MockCache)
        drawn: list[int] = []
        for step, uniform in enumerate(burst.uniforms):
            seen = self._computed(burst, [burst.id, *drawn][-1], step, cache)
            logits = self.rule(seen)
            if burst.start + step == self.wrong_at:
                logits = logits * np.nan
            if step < burst.early:
                logits[list(burst.ends)] = -np.inf
            numbers = rule_numbers([burst.rule], [uniform])
            drawn += draw(
                torch.from_numpy(logits)[None], torch.tensor(numbers, dtype=torch.float64)
            ).tolist()
            if drawn[-1] in burst.ends or drawn[-1] < 0:
                break
        self.bursts.append((burst.start, drawn))
        return drawn

    def _computed(self, burst: Burst, id: int, step: int, cache: MockCache) -> NDArray[np.int64]:
        """Write a token where it belongs; all that is there then."""
        place = divmod(burst.start + step, cache.page_size)
        for slots, pages in zip((cache.slots, cache.near), burst.tables, strict=False):
            slots[pages[place[0]], place[1]] = id
        self.computed_tokens += 1
        return cache.slots[list(burst.tables[0])].reshape(-1)[: burst.start + step + 1]


def loaded(model: MockModel, context: int = 512) -> LoadedModel:
    return mock_loaded(context=context, model=model)


def ids(model: MockModel, prompt: str = "Hello, mock.", **settings: object) -> tuple[int, ...]:
    bench = Bench(loaded(model))
    end = bench.finished(bench.complete(prompt, **settings))
    bench.service.close()
    return end.ids


@pytest.mark.parametrize("chain", CHAINS, ids=range(len(CHAINS)))
def test_a_seed_draws_the_same_as_step_by_step(chain: Sampling) -> None:
    model = BurstingModel()
    got = ids(model, sampling=chain, max_tokens=90)
    assert got == ids(MockModel(), sampling=chain, max_tokens=90)
    assert sum(len(drawn) for _, drawn in model.bursts) > len(got) / 2


def test_a_burst_stays_on_the_pages_that_it_was_given() -> None:
    """Pages have 16 tokens; the mock model would find no page after the last."""
    model = BurstingModel(longest=8)
    assert len(ids(model, sampling=SEEDED, max_tokens=90)) == 90
    reached = [(start, start + len(drawn)) for start, drawn in model.bursts]
    assert any(end % 16 == 0 for _, end in reached)
    assert all(start // 16 == (end - 1) // 16 for start, end in reached)


@pytest.mark.parametrize("tokens", range(12, 20))
def test_the_most_tokens_come_and_none_is_computed_for_nothing(tokens: int) -> None:
    model = BurstingModel()
    bench = Bench(loaded(model))
    end = bench.finished(bench.complete("Hello, mock.", sampling=SEEDED, max_tokens=tokens))
    assert (end.reason, len(end.ids)) == (FinishReason.LENGTH, tokens)
    assert model.computed_tokens == end.usage.prompt_tokens + tokens - 1
    bench.service.close()


@pytest.mark.parametrize("length", range(470, 480))
def test_the_context_ends_a_reply_exactly(length: int) -> None:
    never_ends = Sampling(temperature=0.9, seed=4, min_tokens=1000)
    bench = Bench(loaded(BurstingModel()))
    end = bench.finished(bench.complete("x" * length, sampling=never_ends))
    assert (end.reason, len(end.ids)) == (FinishReason.CONTEXT_FULL, 512 - length)
    bench.service.close()


def test_an_end_of_turn_ends_the_burst() -> None:
    model = BurstingModel()
    likely = Sampling(temperature=4.0, top_k=0, top_p=1.0, min_tokens=12, seed=1)
    got = ids(model, sampling=likely, max_tokens=2000)
    assert got == ids(MockModel(), sampling=likely, max_tokens=2000)
    assert got[-1] == END
    assert model.bursts[-1][1][-1] == END
    assert not any(END in drawn[:-1] for _, drawn in model.bursts)


def stopped_in_a_burst(model: MockModel, stop: str) -> tuple[Bench, tuple[int, ...], list[int]]:
    """A reply that a stop string ends, a second turn, and what each of them reused."""
    bench = Bench(loaded(model))
    asked = Message(Role.USER, "One?")
    first = bench.finished(bench.ask(asked, sampling=SEEDED, stop=(stop,), max_tokens=60))
    assert first.reason is FinishReason.STOP_STRING
    answer = Message(Role.ASSISTANT, "", ids=first.ids)
    again = bench.ask(asked, answer, Message(Role.USER, "Two?"), sampling=SEEDED, max_tokens=30)
    second = bench.finished(again)
    figures = [first.usage.context_used, second.usage.reused_tokens]
    return bench, (*first.ids, *second.ids), figures


@pytest.mark.parametrize("place", range(14, 22))
def test_what_came_after_a_stop_string_counts_for_nothing(place: int) -> None:
    probe = Bench(loaded(MockModel()))
    told = probe.finished(probe.ask(Message(Role.USER, "One?"), sampling=SEEDED, max_tokens=60))
    probe.service.close()
    stop = chr(told.ids[place])
    model = BurstingModel()
    bench, got, figures = stopped_in_a_burst(model, stop)
    other, wanted, expected = stopped_in_a_burst(MockModel(), stop)
    assert (got, figures) == (wanted, expected)
    assert model.bursts
    for each in (bench, other):
        each.service.close()


def has_ended(bench: Bench, request: int) -> bool:
    return any(isinstance(event, Finished) for event in events_of(request, bench.events))


def test_a_request_that_comes_meanwhile_shares_the_steps() -> None:
    alone = [ids(MockModel(), prompt, sampling=SEEDED, max_tokens=60) for prompt in ("One", "Two")]
    model = BurstingModel()
    bench = Bench(loaded(model))
    first = bench.complete("One", sampling=SEEDED, max_tokens=60)
    while len(text_of(first, bench.events)) < 20:
        bench.service.step()
    second = bench.complete("Two", sampling=SEEDED, max_tokens=60)
    bench.service.step()  # the first one's turn may come before the second has begun
    before = beside = len(model.bursts)
    assert before > 0
    while not has_ended(bench, first) and not has_ended(bench, second):
        beside = len(model.bursts)
        bench.service.step()
    assert beside == before, "while both ran, nobody ran ahead"
    assert [bench.finished(first).ids, bench.finished(second).ids] == alone
    bench.service.close()


def test_the_text_before_a_row_of_no_numbers_is_told() -> None:
    """Prompt of 12, so place 30 is the 20th token's; the burst that reaches it began before."""
    model = BurstingModel(wrong_at=30)
    bench = Bench(loaded(model))
    request = bench.complete("Hello, mock.", sampling=SEEDED, max_tokens=60)
    bench.service.run_all()
    end = terminal_of(request, bench.events)
    assert isinstance(end, Failed)
    assert end.fault.kind is FaultKind.INTERNAL
    assert model.bursts[-1][0] < 30
    right = "".join(map(chr, ids(MockModel(), sampling=SEEDED, max_tokens=60)))
    assert text_of(request, bench.events) == right[:19]
    model.wrong_at = -1
    after = bench.finished(bench.complete("Hello, mock.", sampling=SEEDED, max_tokens=60))
    assert len(after.ids) == 60
    bench.service.close()


@pytest.mark.parametrize(
    "settings",
    [
        {"sampling": Sampling(temperature=0.9, repetition_penalty=1.3, seed=1)},
        {"sampling": Sampling(temperature=0.9, logit_bias=((65, 2.0),), seed=1)},
        {"sampling": Sampling(temperature=0.9, mirostat_tau=5.0, seed=1)},
        {"sampling": Sampling(temperature=0.9, xtc_probability=0.5, seed=1)},
        {"sampling": SEEDED, "alternatives": 2},
        {"sampling": SEEDED, "alternatives": 2, "traces": True},
        {"sampling": SEEDED, "constraint": Constraint(ConstraintKind.REGEX, "[a-z ]{60}")},
    ],
    ids=["penalty", "bias", "mirostat", "xtc", "figures", "traces", "constraint"],
)
def test_what_needs_the_sampler_each_time_gets_it(settings: dict[str, object]) -> None:
    model = BurstingModel()
    assert ids(model, max_tokens=40, **settings) == ids(MockModel(), max_tokens=40, **settings)
    assert model.bursts == []


def test_a_stop_is_heard_between_two_bursts() -> None:
    model = BurstingModel()
    bench = Bench(loaded(model))
    request = bench.complete("x", sampling=SEEDED, max_tokens=200)
    while len(model.bursts) < 4:
        bench.service.step()
    text = text_of(request, bench.events)
    bench.service.cancel(request)
    bench.service.run_all()
    assert_cancelled_keeping(text, request, bench.events)
    assert len(model.bursts) == 4
    bench.service.close()


@pytest.mark.parametrize("longest", [2, 5, 8])
def test_pages_of_a_window_are_given_back_meanwhile(longest: int) -> None:
    def reply(model: MockModel) -> tuple[int, ...]:
        one = mock_loaded(context=400, model=model)
        cache = MockCache(32, 16, window=20, window_count=8)
        bench = Bench(LoadedModel(**{**_fields(one), "cache": cache}))
        end = bench.finished(bench.complete("Hello, mock.", sampling=SEEDED, max_tokens=300))
        bench.service.close()
        return end.ids

    model = BurstingModel(longest=longest)
    assert reply(model) == reply(MockModel())
    assert len(model.bursts) > 10


def _fields(one: LoadedModel) -> dict[str, object]:
    return {name: getattr(one, name) for name in one.__slots__}


def test_a_text_that_repeats_itself_is_still_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven tokens that each follow from the last two soon go round; guesses are right then.

    Whether they pay is a matter of this machine's time, so nobody asks here.
    """
    monkeypatch.setattr(Speculation, "_judge", lambda _: None)

    def rule(seen: NDArray[np.int64]) -> NDArray[np.float32]:
        row = np.full(260, -50.0, np.float32)
        row[65 + (3 * int(seen[-1]) + int(seen[-2])) % 7] = 5.0
        return row

    plain, model = MockModel(rule=rule), BurstingModel(rule=rule)
    settings = {"sampling": GREEDY, "max_tokens": 400}
    assert ids(model, **settings) == ids(plain, **settings)
    assert model.steps < 1.1 * plain.steps
    assert sum(len(drawn) for _, drawn in model.bursts) < 40


def test_the_events_are_those_of_single_steps() -> None:
    """Deltas may be longer, their text is the same; progress, figures and end are alike."""

    def kinds(model: MockModel) -> list[str]:
        bench = Bench(loaded(model))
        request = bench.submit(
            lambda n: Generate(
                n, (Message(Role.USER, "x"),), GenerateSettings(SEEDED, max_tokens=50)
            )
        )
        end = bench.finished(request)
        assert end.timings.tokens_per_second is not None
        told = [type(event).__name__ for event in events_of(request, bench.events)]
        assert "Metrics" in told  # how often they come is a matter of time
        told = [kind for kind in told if kind != "Metrics"]
        bench.service.close()
        return [kind for before, kind in zip(["", *told], told, strict=False) if kind != before]

    assert kinds(BurstingModel()) == kinds(MockModel())


def test_the_mock_burst_is_the_mock_reply() -> None:
    assert list(ids(BurstingModel(), sampling=GREEDY, max_tokens=45)) == expected_reply(
        list(b"Hello, mock."), 45
    )


def test_random_numbers_that_drew_nothing_come_again() -> None:
    """A burst that an end cut short gives back what it did not use, in order."""
    sampler, other = (Sampler(SEEDED, Vocabulary(10)) for _ in range(2))
    taken: Sequence[float] = [sampler.uniform() for _ in range(5)]
    for uniform in reversed(taken[2:]):
        sampler.give_back(uniform)
    assert [*taken[:2], *(sampler.uniform() for _ in range(4))] == [
        other.uniform() for _ in range(6)
    ]
