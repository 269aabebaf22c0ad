"""Somebody who looks whether a long step is still wanted, while it is computed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from engine.kernels.interruption import Interruption

LOOK_S = 0.01


@contextmanager
def watched(interruption: Interruption, is_over: Callable[[], bool]) -> Iterator[None]:
    """Interrupt the step that is run inside as soon as nobody wants it.

    Args:
        interruption: of the kernels that compute.
        is_over: whether nobody does; asked from another thread, every hundredth of a second.
    """
    interruption.clear()
    is_done = threading.Event()

    def look() -> None:
        while not is_done.wait(LOOK_S):
            if is_over():
                interruption.set()
                return

    watcher = threading.Thread(target=look, name="step-watch", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_done.set()
        watcher.join()
        interruption.clear()
