"""Looking into replies of the real starter model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.contract import (
    Finished,
    Generate,
    GenerateSettings,
    Inspect,
    PromptPage,
    ReadPrompt,
    Sampling,
    TextDelta,
    TokenChoice,
)
from engine.service import real_engine
from tests.engine.laws import events_of, text_of
from tests.engine.test_real_model import Running, question

SETTINGS = GenerateSettings(
    Sampling(seed=7, temperature=0.9), max_tokens=24, alternatives=6, traces=True
)
ASKED = (question("Name three colours of the sea."),)


@pytest.fixture(scope="module")
def running(starter_model: Path) -> Iterator[Running]:
    running = Running(starter_model, real_engine)
    yield running
    assert running.service.close()


def told(running: Running, request: int) -> list[TokenChoice]:
    return [
        choice
        for event in events_of(request, running.events)
        if isinstance(event, TextDelta)
        for choice in event.tokens
    ]


@pytest.fixture(scope="module")
def seen(running: Running) -> Finished:
    return running.end(running.submit(Generate(running.next(), ASKED, SETTINGS)))


def test_every_token_has_a_likely_story(running: Running, seen: Finished) -> None:
    choices = told(running, seen.request)
    assert [choice.id for choice in choices] == list(seen.ids)
    for choice in choices:
        assert choice.trace is not None
        for step in choice.trace.steps:
            assert 0 < sum(step.probabilities) <= 1 + 1e-6
        left = [step.left for step in choice.trace.steps]
        assert left == sorted(left, reverse=True)
        ids = [candidate.id for candidate in choice.trace.candidates]
        assert choice.trace.steps[-1].probabilities[ids.index(choice.id)] > 0


def test_what_was_read_is_the_template_and_the_question(running: Running, seen: Finished) -> None:
    request = running.submit(ReadPrompt(running.next(), seen.request, 0, 1000))
    running.end(request)
    page = next(e for e in events_of(request, running.events) if isinstance(e, PromptPage))
    text = b"".join(token.raw for token in page.tokens).decode()
    assert page.total == len(page.tokens) == seen.usage.prompt_tokens
    assert text.endswith("Name three colours of the sea.<|im_end|>\n<|im_start|>assistant\n")
    assert page.tokens[0].is_control


def test_figures_computed_afterwards_are_those_of_the_reply(
    running: Running, seen: Finished
) -> None:
    """To 0.02: slices of 32 tokens and single ones may take other kernels, with other roundings."""
    again = running.end(running.submit(Inspect(running.next(), ASKED, seen.ids, SETTINGS)))
    then, now = told(running, seen.request), told(running, again.request)
    assert [choice.id for choice in now] == [choice.id for choice in then]
    for a, b in zip(then, now, strict=True):
        assert b.logprob == pytest.approx(a.logprob, abs=0.02)


def test_a_branch_reads_nothing_again_but_the_alternative(running: Running, seen: Finished) -> None:
    trace = told(running, seen.request)[5].trace
    assert trace is not None
    other = next(c for c in trace.candidates if c.id != seen.ids[5])
    begins = (*seen.ids[:5], other.id)
    command = Generate(running.next(), ASKED, SETTINGS, begins_with=begins)
    end = running.end(running.submit(command))
    assert end.ids[: len(begins)] == begins
    assert end.usage.reused_tokens == seen.usage.prompt_tokens + 5
    kept = text_of(seen.request, running.events)
    raw = b"".join(t.raw for choice in told(running, seen.request)[:5] if choice.trace
                   for t in choice.trace.candidates if t.id == choice.id)  # fmt: skip
    assert text_of(end.request, running.events).startswith(raw.decode())
    assert kept.startswith(raw.decode())
