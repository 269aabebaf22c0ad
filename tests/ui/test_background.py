"""Work off the window's thread: results, faults, and what comes after the end."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Event

import pytest
import shiboken6
from pytestqt.qtbot import QtBot

from app.ui.background import ThreadBackground
from engine.contract import EngineError, Fault, FaultKind


def test_a_result_and_a_fault_arrive_on_the_windows_thread(qtbot: QtBot) -> None:
    background = ThreadBackground()
    results: list[int] = []
    faults: list[Fault] = []

    def fail() -> int:
        raise EngineError(FaultKind.DISK_FULL)

    background.run(lambda: 7, results.append, faults.append)
    background.run(fail, results.append, faults.append)
    qtbot.waitUntil(lambda: bool(results and faults))
    background.close()
    assert results == [7]
    assert [fault.kind for fault in faults] == [FaultKind.DISK_FULL]


@pytest.mark.parametrize("end", ["closed", "deleted with its window"])
def test_a_job_that_ends_later_tells_nobody(
    qtbot: QtBot, caplog: pytest.LogCaptureFixture, end: str
) -> None:
    background, begun, may_end = ThreadBackground(), Event(), Event()
    results: list[bool] = []

    def job() -> bool:
        begun.set()
        return may_end.wait(30)

    background.run(job, results.append, lambda fault: None)
    assert begun.wait(30)
    pool = background._pool
    assert pool is not None
    if end == "closed":
        background.close()
    else:
        shiboken6.delete(background)
    may_end.set()
    pool.shutdown(wait=True)
    qtbot.wait(10)
    assert not results
    assert not caplog.records  # where futures say that telling failed


def test_a_job_that_is_over_at_once_is_told_of_after_run_has_returned(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pool then calls back on the thread that asked."""
    background = ThreadBackground()

    class AtOnce:
        def submit(self, job: Callable[[], int]) -> Future[int]:
            future: Future[int] = Future()
            future.set_result(job())
            return future

        def shutdown(self, *, wait: bool, cancel_futures: bool) -> None:
            pass

    monkeypatch.setattr(background, "_pool", AtOnce())
    told: list[int] = []
    background.run(lambda: 7, told.append, lambda fault: None)
    assert told == []
    qtbot.waitUntil(lambda: told == [7])
    background.close()
