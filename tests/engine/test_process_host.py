"""The engine's process: it answers like a thread, and its death is one named fault, not the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue

import psutil
import pytest

from engine.contract import Complete, Event, Failed, FaultKind, Finished, Load, Unload
from engine.service import EngineService
from engine.service import process_host as module


class Heard:
    """A service and what it said."""

    def __init__(self) -> None:
        self.queue: Queue[Event] = Queue()
        self.service = EngineService(self.queue.put)

    def end(self, request: int) -> Finished | Failed:
        while True:
            event = self.queue.get(timeout=120)
            if event.request == request and isinstance(event, Finished | Failed):
                return event

    def wait_until_sent(self, request: int) -> None:
        """Until the process has a command that it did not answer."""
        host = self.service._host
        assert isinstance(host, module.ProcessHost)
        while host._child is None or request not in host._child.outstanding:
            time.sleep(0.01)

    def child(self) -> psutil.Process:
        return psutil.Process().children()[0]


Start = Callable[[], Heard]


@pytest.fixture
def start() -> Iterator[Start]:
    """Makes services, and closes them whatever happens."""
    started: list[Heard] = []

    def make() -> Heard:
        started.append(Heard())
        return started[-1]

    yield make
    for heard in started:
        heard.service.close(1)


def test_commands_are_answered_by_another_process_that_ends_with_the_service(start: Start) -> None:
    heard = start()
    assert psutil.Process().children() == []  # nothing runs before the first command
    heard.service.submit(Complete(1, "x"))
    end = heard.end(1)
    heard.service.submit(Unload(2))
    assert isinstance(end, Failed)
    assert end.fault.kind is FaultKind.NO_MODEL
    assert isinstance(heard.end(2), Finished)
    child = heard.child()
    assert heard.service.close()
    assert not child.is_running()


def test_faults_cross_with_their_figures(start: Start, tmp_path: Path) -> None:
    heard = start()
    heard.service.submit(Load(1, tmp_path / "missing.gguf"))
    end = heard.end(1)
    assert isinstance(end, Failed)
    assert end.fault.kind is FaultKind.FILE_MISSING
    assert str(tmp_path) in str(end.fault.figures["path"])
    assert heard.service.close()


def test_a_killed_process_fails_what_it_had_and_another_one_starts(start: Start) -> None:
    heard = start()
    heard.service.submit(Unload(1))
    heard.end(1)
    first = heard.child()
    first.suspend()  # so that the next command is certainly not answered before the kill
    heard.service.submit(Unload(2))
    heard.wait_until_sent(2)
    first.kill()
    end = heard.end(2)
    assert isinstance(end, Failed)
    assert end.fault.kind is FaultKind.ENGINE_ENDED
    assert heard.end(0) == Failed(0, end.fault), "also where nothing was asked"
    heard.service.submit(Unload(3))
    assert isinstance(heard.end(3), Finished)
    assert heard.service.close()


def test_a_process_that_hangs_is_killed_when_time_is_up(start: Start) -> None:
    heard = start()
    heard.service.submit(Unload(1))
    heard.end(1)
    child = heard.child()
    child.suspend()
    assert heard.service.close(0.2) is False
    assert not child.is_running()


def test_a_process_that_cannot_start_is_a_named_fault(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    heard = start()
    heard.service.submit(Unload(1))
    end = heard.end(1)
    assert isinstance(end, Failed)
    assert "did not start" in str(end.fault.figures["detail"])
    assert heard.service.close()


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_a_killed_window_leaves_no_engine_behind() -> None:
    code = (
        "import sys, time; from engine.service import EngineService; from engine.contract import *;"
        "s = EngineService(lambda e: print('up', flush=True)); s.submit(Unload(1)); time.sleep(60)"
    )
    root = Path(module.__file__).parents[2]
    window = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=root)
    assert window.stdout is not None
    window.stdout.readline()
    (child,) = psutil.Process(window.pid).children()
    window.send_signal(signal.SIGKILL)
    window.wait()
    window.stdout.close()
    psutil.wait_procs([child], timeout=60)
    assert not child.is_running()


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_ctrl_c_in_the_terminal_does_not_reach_the_engine(start: Start) -> None:
    heard = start()
    heard.service.submit(Unload(1))
    heard.end(1)
    heard.child().send_signal(signal.SIGINT)
    heard.service.submit(Unload(2))
    assert isinstance(heard.end(2), Finished)
    assert heard.service.close()
