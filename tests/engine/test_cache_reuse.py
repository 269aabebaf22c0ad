"""What the cache saves in a conversation, told by the counter of reused tokens.

A window of 16 tokens over pages of 8: prompts are many windows long, so whatever goes on without
its window reads wrongly and the mock model says something else.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.contract import (
    Failed,
    Fault,
    FaultKind,
    Finished,
    FinishReason,
    Generate,
    GenerateSettings,
    Message,
    Priority,
    Role,
    Sampling,
)
from engine.replies import MOST_WAITING
from tests.doubles.models import END, MockCache, expected_reply, mock_loaded
from tests.engine.laws import terminal_of
from tests.engine.test_answering import Bench, question, reply

NEVER_ENDS = Sampling(temperature=0, logit_bias=((END, float("-inf")),))


def bench_with(window: int | None, context: int = 1024) -> Bench:
    cache = MockCache(context // 8 + 64, 8, window, 0 if window is None else 40)
    return Bench(replace(mock_loaded(context=context), cache=cache))


@pytest.fixture(params=[None, 16], ids=["whole", "window"])
def bench(request: pytest.FixtureRequest) -> Bench:
    return bench_with(request.param)


LONG = "a question that is far longer than the window is, " * 3


def read(end: Finished) -> int:
    """Prompt tokens that had to be computed."""
    return end.usage.prompt_tokens - end.usage.reused_tokens


def test_E23_every_way_on_reads_only_what_is_new(bench: Bench) -> None:
    first = bench.finished(bench.ask(question(LONG), max_tokens=40, sampling=NEVER_ENDS))
    assert first.usage.reused_tokens == 0
    again = bench.finished(bench.ask(question(LONG), max_tokens=40, sampling=NEVER_ENDS))
    assert (read(again), again.ids) == (1, first.ids)  # regenerate
    turn = [question(LONG), reply(first, "")]
    second = bench.finished(bench.ask(*turn, question(LONG), max_tokens=40, sampling=NEVER_ENDS))
    # the last sampled token, the turn's end, the roles and the question
    assert read(second) == 1 + 1 + 1 + len(LONG) + 1 + 1
    edited = bench.finished(bench.ask(*turn, question("No: " + LONG), max_tokens=3))
    assert read(edited) <= 1 + 1 + 1 + 4 + len(LONG) + 1 + 1
    branch = bench.finished(bench.ask(*turn, question("Or?"), max_tokens=3))
    assert read(branch) <= 1 + 1 + 1 + 3 + 1 + 1
    third = [*turn, question(LONG), reply(second, "")]
    end = bench.finished(bench.ask(*third, question("And?"), max_tokens=3))
    assert read(end) == 1 + 1 + 1 + 4 + 1 + 1
    bench.service.close()


def test_E23_what_is_said_after_a_hit_is_what_is_said_without_a_cache(bench: Bench) -> None:
    for extra in ("", "", "and more", "and less"):
        prompt = LONG + extra
        end = bench.finished(bench.complete(prompt, max_tokens=30))
        assert list(end.ids) == expected_reply(list(prompt.encode()), 30)
    bench.service.close()


def test_C11_a_title_between_turns_keeps_the_conversation(bench: Bench) -> None:
    """The title's own prompt is another one altogether, as a window asks for it."""
    first = bench.finished(bench.ask(question(LONG), max_tokens=30, sampling=NEVER_ENDS))
    for number in range(2):
        title = Message(Role.USER, f"A title, {number}, for: " + LONG[:60])
        settings = {"max_tokens": 8, "priority": Priority.BACKGROUND}
        bench.finished(bench.ask(title, **settings))
    turn = [question(LONG), reply(first, "")]
    second = bench.finished(bench.ask(*turn, question("And?"), max_tokens=3))
    assert read(second) == 1 + 1 + 1 + 4 + 1 + 1
    bench.service.close()


def test_C11_a_title_beside_the_next_turn_changes_neither(bench: Bench) -> None:
    first = bench.finished(bench.ask(question(LONG), max_tokens=30, sampling=NEVER_ENDS))
    turn = [question(LONG), reply(first, "")]
    title = bench.ask(question("Title!" + LONG), max_tokens=8, priority=Priority.BACKGROUND)
    second = bench.ask(*turn, question("And?"), max_tokens=12)
    beside = bench.finished(second)
    assert read(beside) == 1 + 1 + 1 + 4 + 1 + 1
    bench.finished(title)
    alone = bench.finished(bench.ask(*turn, question("And?"), max_tokens=12))
    assert alone.ids == beside.ids
    bench.service.close()


@pytest.mark.parametrize("window", [None, 16])
def test_E24_writing_past_the_context_ends_by_name_and_the_next_turn_drops_turns(
    window: int | None,
) -> None:
    """Whatever is asked, each request ends: with the context full, or with turns left out."""
    bench = bench_with(window, context=200)
    messages = [Message(Role.SYSTEM, "Be brief.")]
    left_out = []
    for number in range(12):
        messages.append(question(f"question number {number}"))
        end = bench.finished(bench.ask(*messages, sampling=NEVER_ENDS))
        assert end.reason is FinishReason.CONTEXT_FULL
        assert end.usage.context_used == end.usage.context_size == 200
        usage = end.usage
        assert (usage.left_out_turns > 0) == (usage.left_out_tokens > 0)
        assert [n.figures for n in end.notices] == (
            [{"turns": usage.left_out_turns, "tokens": usage.left_out_tokens}]
            if usage.left_out_turns
            else []
        )
        left_out.append(usage.left_out_turns)
        messages.append(reply(end, ""))
    assert left_out == list(range(12))  # every reply fills the context: only the question stays
    bench.service.close()


def test_E24_a_last_question_longer_than_the_context_is_refused_with_figures() -> None:
    bench = bench_with(16, context=200)
    bench.service.submit(Generate(70, (question("q" * 300),), GenerateSettings()))
    bench.service.run_all()
    (end,) = [e for e in bench.events if isinstance(e, Failed)]
    assert end.fault.kind is FaultKind.PROMPT_TOO_LONG
    assert end.fault.figures == {"tokens": 303, "context": 200}
    bench.service.close()


def test_more_requests_than_may_wait_are_refused_with_figures() -> None:
    """One long reply runs; 64 others have no room beside it and wait, the next is told so."""
    bench = Bench(mock_loaded(context=1600, pages=101))
    bench.complete("r" * 400, sampling=NEVER_ENDS, max_tokens=1000)
    bench.service.step(2)
    requests = [bench.complete("w" * 1500, max_tokens=1) for _ in range(MOST_WAITING + 2)]
    bench.service.run_all()
    ends = [terminal_of(request, bench.events) for request in requests]
    refused = [end.fault for end in ends if isinstance(end, Failed)]
    assert refused == [Fault(FaultKind.BUSY, {"waiting": MOST_WAITING, "limit": MOST_WAITING})] * 2
    assert sum(isinstance(end, Finished) for end in ends) == MOST_WAITING
    bench.service.close()
