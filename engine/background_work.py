"""Work that reports by a callback, as an iterator of events.

Reading a model's weights is one deep call that tells how far it is; the service wants an iterator
that it can advance, show and cancel. A short-lived thread runs the call, and the iterator yields
its latest report. The thread never outlives the iterator.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import TypeVar

from engine.contract import Event

Result = TypeVar("Result")
Report = Callable[[int, int], None]

_SHOW_EVERY_S = 0.05


class Abandoned(Exception):
    """Raised inside the work, at its next report, after the iterator was closed."""


def run_reporting(
    work: Callable[[Report], Result], event: Callable[[int, int], Event]
) -> Generator[Event, None, Result]:
    """Run ``work`` on a thread and yield its latest report; the generator returns its result.

    Args:
        work: called with a callback that takes (done, total).
        event: makes an event of a report.

    Raises:
        Whatever the work raises, in the thread that iterates.
    """
    latest = (0, 0)
    is_wanted = True

    def report(done: int, total: int) -> None:
        nonlocal latest
        if not is_wanted:
            raise Abandoned
        latest = (done, total)

    with ThreadPoolExecutor(1, "inkstone-reading") as pool:  # leaving it joins the thread
        future = pool.submit(work, report)
        try:
            while not _is_over(future):
                yield event(*latest)
        finally:
            is_wanted = False
    return future.result()


def _is_over(future: Future[Result]) -> bool:
    """Whether the work ended, after waiting for it as long as a report may stay unseen."""
    try:
        future.exception(_SHOW_EVERY_S)
    except NotYet:
        return False
    return True
