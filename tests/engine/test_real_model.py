"""The real engine on the starter model: the laws, reuse, cancelling in time, memory given back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue

import psutil
import pytest

from engine.contract import (
    CommandRunner,
    Complete,
    Event,
    Failed,
    Finished,
    FinishReason,
    Generate,
    GenerateSettings,
    Load,
    Loaded,
    LoadSettings,
    Message,
    Progress,
    Role,
    Sampling,
    TextDelta,
    Unload,
)
from engine.service import EngineService, real_engine
from tests.engine.laws import terminal_of, text_of

GREEDY = Sampling(temperature=0)
_STEPS_ON_THE_WAY = 16  # a step may bring as many tokens at once, where guesses held


class Running:
    """A service with the model loaded; ``end`` waits for a request's end."""

    def __init__(self, path: Path, make: Callable[[], CommandRunner] | None) -> None:
        self.queue: Queue[Event] = Queue()
        self.events: list[Event] = []
        self.service = EngineService(self.queue.put, make)
        self.requests = 0
        self.end(self.submit(Load(self.next(), path, LoadSettings(context=2048))))

    def next(self) -> int:
        self.requests += 1
        return self.requests

    def submit(self, command: Load | Unload | Generate | Complete) -> int:
        self.service.submit(command)
        return command.request

    def take(self) -> Event:
        self.events.append(self.queue.get(timeout=120))
        return self.events[-1]

    def end(self, request: int) -> Finished:
        event = self.take()
        while event.request != request or not isinstance(event, Finished | Failed):
            event = self.take()
        assert isinstance(event, Finished), event
        return event


@pytest.fixture(scope="module")
def running(starter_model: Path) -> Iterator[Running]:
    running = Running(starter_model, real_engine)  # a thread: shared by tests, unlike a process
    yield running
    assert running.service.close()


def question(text: str) -> Message:
    return Message(Role.USER, text)


def test_a_question_is_answered_and_ends_its_turn(running: Running) -> None:
    command = Generate(running.next(), (question("Hello!"),), GenerateSettings(GREEDY))
    end = running.end(running.submit(command))
    assert end.reason is FinishReason.END_OF_TURN
    assert terminal_of(end.request, running.events) is end
    assert len(text_of(end.request, running.events)) > 10
    assert "<|im_end|>" not in text_of(end.request, running.events)
    assert end.timings.tokens_per_second is not None


def test_a_second_turn_reuses_the_first_turns_tokens(running: Running) -> None:
    settings = GenerateSettings(GREEDY, max_tokens=30)
    first = (question("Name three colours."),)
    one = running.end(running.submit(Generate(running.next(), first, settings)))
    reply = Message(Role.ASSISTANT, text_of(one.request, running.events), ids=one.ids)
    second = (*first, reply, question("And three more."))
    two = running.end(running.submit(Generate(running.next(), second, settings)))
    # All but the last sampled token, which was never fed.
    assert two.usage.reused_tokens >= one.usage.prompt_tokens + one.usage.generated_tokens - 1
    again = running.end(running.submit(Generate(running.next(), second, settings)))
    assert again.usage.reused_tokens == again.usage.prompt_tokens - 1
    assert again.ids == two.ids


def test_the_same_seed_repeats_a_reply(running: Running) -> None:
    settings = GenerateSettings(Sampling(seed=11), max_tokens=20)
    ids = [
        running.end(running.submit(Complete(running.next(), "The sea", settings))).ids
        for _ in range(2)
    ]
    assert ids[0] == ids[1]


def test_a_seed_repeats_a_reply_whatever_was_computed_before_or_is_beside_it(
    starter_model: Path,
) -> None:
    """Read from the cache, read anew after a start, and answered beside another conversation."""
    running = Running(starter_model, real_engine)

    def ask(turns: tuple[Message, ...], seed: int) -> Generate:
        return Generate(running.next(), turns, GenerateSettings(Sampling(seed=seed), max_tokens=60))

    conversations = []
    for seed in range(4):
        first = (question("Tell me of the sea, the harbour and ships. " * (seed + 1)),)
        one = running.end(running.submit(ask(first, seed)))
        reply = Message(Role.ASSISTANT, text_of(one.request, running.events), ids=one.ids)
        second = (*first, reply, question("And what came next?"))
        two = running.end(running.submit(ask(second, seed)))
        assert two.usage.reused_tokens > one.usage.prompt_tokens
        conversations.append((second, two.ids))
    for seed, (turns, ids) in enumerate(conversations):
        load = Load(running.next(), starter_model, LoadSettings(context=2048))
        running.end(running.submit(load))
        anew = running.end(running.submit(ask(turns, seed)))
        assert (anew.usage.reused_tokens, anew.ids) == (0, ids)
        other = running.submit(ask((question("Name ten rivers and ten lakes."),), 9))
        beside = running.end(running.submit(ask(turns, seed)))
        assert (beside.usage.reused_tokens, beside.ids) == (beside.usage.prompt_tokens - 1, ids)
        if not any(isinstance(e, Finished) and e.request == other for e in running.events):
            running.end(other)
    assert running.service.close()


@pytest.mark.parametrize(
    ("words", "begun"), [(1500, Progress), (3, TextDelta)], ids=["reading", "writing"]
)
def test_a_cancel_ends_the_reply_after_the_step_that_runs(
    running: Running, words: int, begun: type[Event]
) -> None:
    """In the middle of a long prompt and of writing: counted in steps, whatever a step takes.

    ``tests/bench/cancel.py`` has the milliseconds.
    """
    settings = GenerateSettings(Sampling(temperature=0, min_tokens=500))
    request = running.submit(Complete(running.next(), f"{words} " + "word " * words, settings))
    while not isinstance(running.take(), begun):
        pass
    running.service.cancel(request)
    seen = len(running.events) + running.queue.qsize()  # said before, and not yet read here
    end = running.end(request)
    late = [event for event in running.events[seen:] if isinstance(event, Progress | TextDelta)]
    assert end.reason is FinishReason.CANCELLED
    assert end.usage.generated_tokens < 500
    assert len(late) <= _STEPS_ON_THE_WAY, len(late)


def test_loading_and_answering_leave_the_window_its_turns(starter_model: Path) -> None:
    """The work is done in the engine's process: what is left for this one is a small share.

    Shares of processor time, for a busy machine makes seconds of any length. How long the window's
    thread stands still at most, ``tests/bench/heartbeat.py`` measures.
    """
    before = time.process_time()
    running = Running(starter_model, None)
    settings = GenerateSettings(GREEDY, max_tokens=40)
    running.end(running.submit(Complete(running.next(), "The", settings)))
    here = time.process_time() - before
    [child] = psutil.Process().children()
    there = child.cpu_times().user + child.cpu_times().system
    assert running.service.close()
    assert here < there / 5, (here, there)


def test_what_was_loaded_is_described(running: Running) -> None:
    loaded = next(event for event in running.events if isinstance(event, Loaded))
    assert loaded.context == 2048
    assert loaded.model.architecture == "llama"
    assert loaded.memory.weights > 90_000_000
    assert loaded.memory.cache > 2048 * 1000
    assert loaded.memory.peak > loaded.memory.weights
    assert loaded.threads >= 1
