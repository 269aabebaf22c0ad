"""The contract's laws, held against every engine: the scripted double, and the real one.

The real engine runs on the mock model here; ``test_real_model.py`` holds the starter model to the
same laws.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from engine.answering import Answering
from engine.contract import (
    Command,
    CommandRunner,
    Complete,
    CountTokens,
    Event,
    Failed,
    FaultKind,
    Finished,
    FinishReason,
    Generate,
    GenerateSettings,
    Inspect,
    Load,
    Loaded,
    Message,
    Progress,
    PromptPage,
    ReadPrompt,
    Role,
    Sampling,
    Stage,
    TokensCounted,
    Unload,
)
from engine.engine import Engine
from tests.doubles.engines import DirectService, Reply, ScriptedRunner
from tests.doubles.models import END, MockModel, mock_loaded
from tests.engine.laws import assert_cancelled_keeping, events_of, terminal_of, text_of

MODEL = Path("model.gguf")
ENDLESS = GenerateSettings(Sampling(temperature=0, logit_bias=((END, float("-inf")),)))
SHORT = GenerateSettings(Sampling(temperature=0), max_tokens=6)
QUESTION = (Message(Role.USER, "Hello?"),)


def scripted(*replies: Reply) -> Callable[[], CommandRunner]:
    return lambda: ScriptedRunner(replies)


def real(breaks_at: int = 0) -> Callable[[], CommandRunner]:
    def load(command: Load) -> Generator[Event, None, Answering]:
        yield Progress(command.request, Stage.READING, 1, 1)
        return Answering(mock_loaded(model=MockModel(breaks_at=breaks_at)))

    return lambda: Engine(load)


ENDLESS_REPLY = Reply("Endless ", endless=True)
BROKEN_REPLY = Reply("Broken", bug=RuntimeError("planted"))
Make = Callable[[], CommandRunner]
ENGINES = pytest.mark.parametrize("make", [scripted(), real()], ids=["scripted", "real"])
ENDLESS_ENGINES = pytest.mark.parametrize(
    "make",
    [scripted(ENDLESS_REPLY, ENDLESS_REPLY), real()],
    ids=["scripted", "real"],
)
BREAKING_ENGINES = pytest.mark.parametrize(
    "make", [scripted(BROKEN_REPLY), real(breaks_at=3)], ids=["scripted", "real"]
)


def run(make: Make, *commands: Command) -> list[Event]:
    events: list[Event] = []
    service = DirectService(events.append, make)
    for command in commands:
        service.submit(command)
        service.run_all()
    service.close()
    return events


@ENGINES
def test_every_kind_of_request_ends_exactly_once(make: Make) -> None:
    events = run(
        make,
        Load(1, MODEL),
        Generate(2, QUESTION, SHORT),
        Complete(3, "Hello", SHORT),
        CountTokens(4, QUESTION),
        Inspect(5, QUESTION, (65, 66), GenerateSettings(alternatives=2, traces=True)),
        ReadPrompt(6, of=5, first=0, count=4),
        Unload(7),
    )
    for request in range(1, 8):
        assert isinstance(terminal_of(request, events), Finished)
    assert any(isinstance(event, Loaded) for event in events_of(1, events))
    assert any(isinstance(event, TokensCounted) for event in events_of(4, events))
    assert any(isinstance(event, PromptPage) for event in events_of(6, events))


@ENGINES
def test_without_a_model_every_request_fails_by_name(make: Make) -> None:
    events = run(make, Generate(1, QUESTION), Complete(2, "x"), CountTokens(3, QUESTION))
    for request in (1, 2, 3):
        end = terminal_of(request, events)
        assert isinstance(end, Failed)
        assert end.fault.kind is FaultKind.NO_MODEL


@ENDLESS_ENGINES
def test_a_cancelled_request_ends_cancelled_and_keeps_its_text(make: Make) -> None:
    events: list[Event] = []
    service = DirectService(events.append, make)
    service.submit(Load(1, MODEL))
    service.run_all()
    service.submit(Complete(2, "Hello", ENDLESS))
    while len(text_of(2, events)) < 8:
        service.step()
    text = text_of(2, events)
    service.cancel(2)
    service.run_all()
    assert_cancelled_keeping(text, 2, events)
    end = terminal_of(2, events)
    assert isinstance(end, Finished)
    assert len(end.ids) == end.usage.generated_tokens > 0
    service.close()


@ENDLESS_ENGINES
@pytest.mark.parametrize("last", [Load(9, MODEL), Unload(9)])
def test_a_load_or_unload_ends_what_runs(make: Make, last: Command) -> None:
    events: list[Event] = []
    service = DirectService(events.append, make)
    service.submit(Load(1, MODEL))
    service.run_all()
    service.submit(Complete(2, "Hello", ENDLESS))
    service.submit(Complete(3, "Hello", ENDLESS))
    service.step(12)
    service.submit(last)
    service.run_all()
    for request in (2, 3):
        assert_cancelled_keeping("", request, events)
    end = terminal_of(9, events)
    assert isinstance(end, Finished)
    assert end.reason is FinishReason.DONE
    service.close()


@BREAKING_ENGINES
def test_a_bug_fails_its_request_and_the_next_one_works(make: Make) -> None:
    events = run(make, Load(1, MODEL), Complete(2, "Hello", ENDLESS), Complete(3, "Again", SHORT))
    end = terminal_of(2, events)
    assert isinstance(end, Failed)
    assert end.fault.kind is FaultKind.INTERNAL
    assert isinstance(terminal_of(3, events), Finished)
    assert text_of(3, events)
