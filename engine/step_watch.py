"""Somebody who looks whether a long step is still wanted, while it is computed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from engine.kernels.interruption import Interruption

LOOK_S = 0.01


@contextmanager
def watched(interruption: Interruption, wishes: Sequence[Callable[[], bool]]) -> Iterator[None]:
    """Interrupt the step that is run inside as soon as one of the wishes is true.

    Args:
        interruption: of the kernels that compute.
        wishes: asked from another thread, every hundredth of a second.
    """
    interruption.clear()
    is_over = threading.Event()

    def look() -> None:
        while not is_over.wait(LOOK_S):
            if any(wish() for wish in wishes):
                interruption.set()
                return

    watcher = threading.Thread(target=look, name="step-watch", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        watcher.join()
        interruption.clear()
