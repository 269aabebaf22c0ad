"""Looking into a reply: its exact prompt by pages, its figures once more, and a branch from it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.contract import (
    Failed,
    FaultKind,
    Finished,
    FinishReason,
    Generate,
    GenerateSettings,
    Inspect,
    Priority,
    PromptPage,
    ReadPrompt,
    Sampling,
    TextDelta,
    TokenChoice,
)
from tests.doubles.models import END, expected_reply, logits_of
from tests.engine.laws import events_of, terminal_of, text_of
from tests.engine.test_answering import Bench, question
from tests.generation.definitions import softmax

TRACED = GenerateSettings(max_tokens=40, alternatives=5, traces=True)
ASKED = (question("Hello?"),)


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.service.close()


def prompt_ids(text: str) -> list[int]:
    return [ord("u"), *text.encode(), END, ord("a")]


def choices(bench: Bench, request: int) -> list[TokenChoice]:
    return [
        choice
        for event in events_of(request, bench.events)
        if isinstance(event, TextDelta)
        for choice in event.tokens
    ]


def ask(bench: Bench, settings: GenerateSettings = TRACED, **values: object) -> Finished:
    command = bench.submit(lambda n: Generate(n, ASKED, settings, **values))  # type: ignore[arg-type]
    return bench.finished(command)


def read(bench: Bench, of: int, first: int, count: int) -> PromptPage:
    request = bench.submit(lambda n: ReadPrompt(n, of, first, count))
    bench.finished(request)
    page = events_of(request, bench.events)[0]
    assert isinstance(page, PromptPage)
    return page


def test_each_token_says_what_the_models_logits_say(bench: Bench) -> None:
    end = ask(bench)
    ids = prompt_ids("Hello?")
    told = choices(bench, end.request)
    assert [choice.id for choice in told] == list(end.ids)
    for choice in told:
        p = softmax(logits_of(ids)[:257].tolist())
        assert choice.trace is not None
        scores = choice.trace.steps[0]
        for candidate, share in zip(choice.trace.candidates, scores.probabilities, strict=True):
            assert share == pytest.approx(p[candidate.id], abs=1e-6)
        assert math.exp(choice.logprob) == pytest.approx(p[choice.id], abs=1e-6)
        ids.append(choice.id)


def test_the_prompt_is_read_by_pages_with_what_was_reused(bench: Bench) -> None:
    ask(bench)
    end = ask(bench)
    whole = prompt_ids("Hello?")
    page = read(bench, end.request, 0, 100)
    assert [token.id for token in page.tokens] == whole
    assert (page.total, page.reused) == (len(whole), len(whole) - 1)
    assert [token.is_control for token in page.tokens] == [id == END for id in whole]
    second = read(bench, end.request, 3, 2)
    assert (second.first, [t.raw for t in second.tokens]) == (3, [b"l", b"l"])
    assert read(bench, end.request, 90, 5).tokens == ()


@pytest.mark.parametrize(
    "settings",
    [GenerateSettings(max_tokens=3), replace(TRACED, priority=Priority.BACKGROUND)],
    ids=["unseen", "behind"],
)
def test_a_prompt_that_nobody_asked_to_look_at_is_not_kept(
    bench: Bench, settings: GenerateSettings
) -> None:
    end = ask(bench, settings)
    request = bench.submit(lambda n: ReadPrompt(n, end.request, 0, 5))
    bench.service.run_all()
    failed = terminal_of(request, bench.events)
    assert isinstance(failed, Failed)
    assert failed.fault.kind is FaultKind.PROMPT_FORGOTTEN


def test_a_reply_that_was_made_unseen_has_the_same_figures_afterwards(bench: Bench) -> None:
    sampling = Sampling(seed=4, top_k=30, repetition_penalty=1.2)
    seen = ask(bench, GenerateSettings(sampling, max_tokens=70, alternatives=5, traces=True))
    before = bench.model.steps
    request = bench.submit(
        lambda n: Inspect(
            n, ASKED, seen.ids, GenerateSettings(sampling, alternatives=5, traces=True)
        )
    )
    end = bench.finished(request)
    assert end.ids == seen.ids
    assert bench.model.steps - before <= 2 + len(seen.ids) // 8  # several known tokens a step
    assert text_of(request, bench.events) == text_of(seen.request, bench.events)
    for then, now in zip(choices(bench, seen.request), choices(bench, request), strict=True):
        assert (now.id, now.logprob) == (then.id, then.logprob)
        assert then.trace is not None
        assert now.trace is not None
        assert now.trace.steps == then.trace.steps
        assert now.trace.draw is None
    assert read(bench, request, 0, 50).total == len(prompt_ids("Hello?"))


def test_a_reply_without_ids_cannot_be_inspected(bench: Bench) -> None:
    request = bench.submit(lambda n: Inspect(n, ASKED, ()))
    bench.service.run_all()
    failed = terminal_of(request, bench.events)
    assert isinstance(failed, Failed)
    assert failed.fault.kind is FaultKind.PROMPT_EMPTY


def test_a_branch_begins_with_exactly_the_ids_it_was_given(bench: Bench) -> None:
    first = ask(bench)
    other = (first.ids[2] + 1) % 200
    begins = (*first.ids[:2], other)
    end = ask(bench, TRACED, begins_with=begins)
    rest = expected_reply([*prompt_ids("Hello?"), *begins], 40)
    assert list(end.ids) == [*begins, *rest]
    assert text_of(end.request, bench.events).startswith("".join(map(chr, begins)))
    assert [choice.id for choice in choices(bench, end.request)] == rest
    # Everything up to the alternative was in the cache, the last sampled token never counts.
    assert end.usage.reused_tokens == len(prompt_ids("Hello?")) + 2
    assert read(bench, end.request, 0, 50).total == len(prompt_ids("Hello?"))


def test_a_branch_with_the_end_ends_there(bench: Bench) -> None:
    end = ask(bench, TRACED, begins_with=(72, 105, END))
    assert (end.reason, end.ids) == (FinishReason.END_OF_TURN, (72, 105, END))
    assert text_of(end.request, bench.events) == "Hi"


def test_a_branch_at_the_edge_of_the_context_is_refused_by_name(bench: Bench) -> None:
    request = bench.submit(lambda n: Generate(n, ASKED, begins_with=(65,) * 510))
    bench.service.run_all()
    failed = terminal_of(request, bench.events)
    assert isinstance(failed, Failed)
    assert failed.fault.kind is FaultKind.PROMPT_TOO_LONG


def test_timings_tell_drawing_and_spelling_apart(bench: Bench) -> None:
    timings = ask(bench).timings
    assert timings.sample_s > 0
    assert timings.detokenize_s > 0
    assert timings.sample_s + timings.detokenize_s <= timings.prefill_s + timings.decode_s
