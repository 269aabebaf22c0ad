"""The thread that writes: order, waiting, ending, and a bug that stays one bug."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from app.store.worker import InlineWorker, ThreadWorker


@pytest.fixture
def worker() -> Iterator[ThreadWorker]:
    made = ThreadWorker()
    yield made
    assert made.close()


def test_jobs_run_in_order_on_one_other_thread(worker: ThreadWorker) -> None:
    ran: list[tuple[int, int]] = []
    for number in range(100):
        worker.post(lambda number=number: ran.append((number, threading.get_ident())))  # type: ignore[misc]
    assert worker.flush()
    assert [number for number, _ in ran] == list(range(100))
    assert len({thread for _, thread in ran}) == 1
    assert ran[0][1] != threading.get_ident()


def test_a_flush_waits_for_a_job_that_runs_and_gives_up_in_time(worker: ThreadWorker) -> None:
    go = threading.Event()
    worker.post(lambda: go.wait(5) and None)
    assert not worker.flush(timeout_s=0.05)
    go.set()
    assert worker.flush()


def test_closing_runs_what_was_posted_and_takes_no_more(worker: ThreadWorker) -> None:
    ran: list[int] = []
    worker.post(lambda: ran.append(1))
    assert worker.close()
    worker.post(lambda: ran.append(2))
    assert ran == [1]


def test_a_worker_that_never_worked_closes_at_once() -> None:
    worker = ThreadWorker()
    assert worker.flush()
    assert worker.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_bug_in_a_job_is_loud_and_the_next_job_runs(worker: ThreadWorker) -> None:
    loud: list[type[BaseException] | None] = []
    hook = threading.excepthook
    threading.excepthook = lambda bug: loud.append(bug.exc_type)
    try:
        worker.post(lambda: {}[0])
        while not loud:
            worker.flush()
        ran: list[int] = []
        worker.post(lambda: ran.append(1))
        assert worker.flush()
    finally:
        threading.excepthook = hook
    assert (loud, ran) == ([KeyError], [1])


def test_the_synchronous_double_runs_at_once() -> None:
    ran: list[int] = []
    worker = InlineWorker()
    worker.post(lambda: ran.append(1))
    assert ran == [1]
    assert worker.flush()
    assert worker.close()
