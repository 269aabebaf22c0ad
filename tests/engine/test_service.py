"""The service: whose turn it is, the laws, and the thread."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue

import pytest

from engine.contract import (
    Command,
    Complete,
    EngineError,
    Event,
    Failed,
    Fault,
    FaultKind,
    Finished,
    FinishReason,
    Load,
    Loaded,
    Stage,
    TextDelta,
    Unload,
)
from engine.engine import Engine
from engine.service import EngineService
from tests.doubles.engines import DirectService, LoadScript, Reply, ScriptedRunner
from tests.engine.laws import assert_cancelled_keeping, events_of, terminal_of, text_of

MODEL = Path("scripted.gguf")


def direct(*replies: Reply, **more: object) -> tuple[DirectService, list[Event]]:
    events: list[Event] = []
    runner = ScriptedRunner(replies, **more)  # type: ignore[arg-type]
    service = DirectService(events.append, lambda: runner)
    service.submit(Load(1, MODEL))
    return service, events


def test_a_load_ends_once_and_says_what_was_loaded() -> None:
    service, events = direct()
    service.run_all()
    end = terminal_of(1, events)
    assert isinstance(end, Finished)
    assert end.reason is FinishReason.DONE
    assert any(isinstance(event, Loaded) for event in events)


def test_deltas_concatenate_to_the_whole() -> None:
    service, events = direct(Reply("one two  three\nfour"))
    service.submit(Complete(2, "p"))
    service.run_all()
    assert text_of(2, events) == "one two  three\nfour"
    terminal_of(2, events)


def test_a_command_after_a_load_waits_for_it() -> None:
    service, events = direct(Reply("after"))
    service.submit(Complete(2, "p"))
    service.run_all()
    first_of_two = next(i for i, event in enumerate(events) if event.request == 2)
    assert all(event.request == 1 for event in events[:first_of_two])
    assert isinstance(events[first_of_two - 1], Finished)


def test_two_replies_advance_side_by_side() -> None:
    service, events = direct(Reply("a " * 20), Reply("b " * 20))
    service.submit(Complete(2, "p"))
    service.submit(Complete(3, "p"))
    service.run_all()
    deltas = [event.request for event in events if isinstance(event, TextDelta)]
    assert deltas[:6] in ([2, 3] * 3, [3, 2] * 3)


def test_a_cancelled_reply_keeps_its_text_and_ends_cancelled() -> None:
    service, events = direct(Reply("kept ", endless=True))
    service.submit(Complete(2, "p"))
    service.step(20)
    service.cancel(2)
    service.run_all()
    assert_cancelled_keeping("kept ", 2, events)


def test_a_reply_cancelled_before_its_turn_ends_cancelled_without_running() -> None:
    service, events = direct()
    service.submit(Complete(2, "p"))
    service.cancel(2)
    service.run_all()
    assert_cancelled_keeping("", 2, events)
    assert len(events_of(2, events)) == 1


@pytest.mark.parametrize("command", [Load(9, MODEL), Unload(9)])
def test_a_load_or_unload_ends_what_runs_and_waits(command: Command) -> None:
    service, events = direct(Reply(endless=True))
    service.submit(Complete(2, "p"))
    service.step(12)
    service.submit(Complete(3, "p"))
    service.submit(command)
    service.run_all()
    assert_cancelled_keeping("… ", 2, events)
    assert_cancelled_keeping("", 3, events)
    end = terminal_of(9, events)
    assert isinstance(end, Finished)
    assert end.reason is FinishReason.DONE


def test_a_second_load_ends_the_first_one() -> None:
    service, events = direct(loads=[LoadScript(steps=100), LoadScript()])
    service.step(3)
    service.submit(Load(2, MODEL))
    service.run_all()
    assert_cancelled_keeping("", 1, events)
    assert isinstance(terminal_of(2, events), Finished)


def test_a_bug_fails_its_request_and_the_next_one_works() -> None:
    service, events = direct(Reply("half", bug=ZeroDivisionError("x / 0")), Reply("whole"))
    service.submit(Complete(2, "p"))
    service.run_all()
    service.submit(Complete(3, "p"))
    service.run_all()
    end = terminal_of(2, events)
    assert isinstance(end, Failed)
    assert end.fault.kind is FaultKind.INTERNAL
    assert "ZeroDivisionError: x / 0" in str(end.fault.figures["detail"])
    assert "engines.py" in str(end.fault.figures["detail"])
    assert text_of(2, events) == "half"
    assert text_of(3, events) == "whole"


def test_a_fault_keeps_its_kind_and_figures() -> None:
    fault = Fault(FaultKind.PROMPT_TOO_LONG, {"tokens": 9000, "context": 2048})
    service, events = direct(Reply(fault=fault))
    service.submit(Complete(2, "p"))
    service.run_all()
    assert terminal_of(2, events) == Failed(2, fault)


def test_a_runner_that_forgets_its_end_is_a_bug() -> None:
    class Forgetful(ScriptedRunner):
        def run(self, command: Command, cancelled: Callable[[], bool]) -> Iterator[Event | None]:
            yield None

    events: list[Event] = []
    service = DirectService(events.append, Forgetful)
    service.submit(Unload(1))
    service.run_all()
    end = terminal_of(1, events)
    assert isinstance(end, Failed)
    assert end.fault.kind is FaultKind.INTERNAL


def test_an_engine_that_cannot_start_fails_the_request_and_is_tried_again() -> None:
    attempts: list[int] = []

    def make() -> ScriptedRunner:
        attempts.append(1)
        if len(attempts) == 1:
            raise EngineError(FaultKind.DEVICE_MISSING, device="cuda")
        return ScriptedRunner()

    events: list[Event] = []
    service = DirectService(events.append, make)
    service.submit(Unload(1))
    service.run_all()
    service.submit(Unload(2))
    service.run_all()
    assert terminal_of(1, events) == Failed(1, Fault(FaultKind.DEVICE_MISSING, {"device": "cuda"}))
    assert isinstance(terminal_of(2, events), Finished)


def test_a_request_number_in_use_is_a_bug_of_the_caller() -> None:
    service, _ = direct()
    with pytest.raises(ValueError, match="request 1 is still running"):
        service.submit(Unload(1))


def wait_for_end(request: int, events: Queue[Event]) -> list[Event]:
    seen = [events.get(timeout=60)]
    while not (seen[-1].request == request and isinstance(seen[-1], Finished | Failed)):
        seen.append(events.get(timeout=60))
    return seen


def test_the_thread_answers_cancels_and_closes() -> None:
    events: Queue[Event] = Queue()
    runner = ScriptedRunner([Reply(endless=True)], tokens_per_second=1000)
    service = EngineService(events.put, lambda: runner)
    assert service.close(60) is True
    service = EngineService(events.put, lambda: runner)
    service.submit(Load(1, MODEL))
    wait_for_end(1, events)
    service.submit(Complete(2, "p"))
    while not isinstance(events.get(timeout=60), TextDelta):
        pass
    service.cancel(2)
    end = wait_for_end(2, events)[-1]
    assert isinstance(end, Finished)
    assert end.reason is FinishReason.CANCELLED
    assert service.close() is True
    assert runner.is_closed
    with pytest.raises(RuntimeError):
        service.submit(Unload(3))


def test_closing_ends_what_runs_as_cancelled() -> None:
    events: Queue[Event] = Queue()
    runner = ScriptedRunner([Reply(endless=True)])
    service = EngineService(events.put, lambda: runner)
    service.submit(Load(1, MODEL))
    service.submit(Complete(2, "p"))
    while not isinstance(events.get(timeout=60), TextDelta):
        pass
    assert service.close() is True
    end = wait_for_end(2, events)[-1]
    assert isinstance(end, Finished)
    assert end.reason is FinishReason.CANCELLED


def test_closing_gives_up_on_an_engine_that_hangs() -> None:
    entered, release = threading.Event(), threading.Event()

    class Hanging(ScriptedRunner):
        def run(self, command: Command, cancelled: Callable[[], bool]) -> Iterator[Event | None]:
            entered.set()
            release.wait(60)
            yield Finished(command.request, FinishReason.DONE)

    events: list[Event] = []
    service = EngineService(events.append, Hanging)
    service.submit(Unload(1))
    assert entered.wait(60)
    assert service.close(0.05) is False
    release.set()
    for thread in threading.enumerate():
        if thread.name == "inkstone-engine":
            thread.join(60)
    assert events == []  # the sink may be gone by now, so nothing reaches it any more


def test_importing_the_service_loads_no_heavy_library() -> None:
    heavy = "{'torch', 'numpy', 'numba', 'transformers', 'tokenizers', 'PySide6'}"
    code = f"import engine.service, sys; print({heavy} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=300
    )
    assert done.stdout.strip() == "set()"


def test_before_the_first_load_there_is_no_model_and_nothing_to_unload() -> None:
    events: list[Event] = []
    service = DirectService(events.append, Engine)
    service.submit(Complete(1, "p"))
    service.run_all()
    service.submit(Unload(2))
    service.run_all()
    assert Failed(1, Fault(FaultKind.NO_MODEL)) in events
    assert isinstance(terminal_of(2, events), Finished)


def test_starting_progress_is_named_apart_from_reading() -> None:
    service, events = direct()
    service.run_all()
    stages = [event.stage for event in events_of(1, events) if hasattr(event, "stage")]
    assert set(stages) == {Stage.READING}
