"""What the GPUs compute, read elsewhere: a driver may take its time."""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.contract import Fault
from engine.library.gpu_load import GpuLoad, read_gpu_loads

_EVERY_S = 1.0  # the driver's own sample may be as long
_NEWS_S = 10.0
Taken = Callable[[float | None, int | None], None]


class GpuWatch:
    """Reads on a background; where the first reading finds no GPU, nothing is read again.

    Args:
        run: the background's way to run a job.
        read: asks every GPU; may block.
    """

    def __init__(
        self,
        run: Callable[..., None],
        read: Callable[[], tuple[GpuLoad, ...]] = read_gpu_loads,
    ) -> None:
        self._run, self._read = run, read
        self._last: tuple[GpuLoad, ...] = ()
        self._read_at: float | None = None
        self._is_asked = self._is_absent = self._is_followed = False
        self._asked_at = 0.0
        self._seen: list[tuple[GpuLoad, ...]] = []
        self._waiting: list[Taken] = []

    @property
    def now(self) -> tuple[GpuLoad, ...]:
        """The last reading; empty when it is no news any more."""
        is_news = self._read_at is not None and time.monotonic() - self._read_at < _NEWS_S
        return self._last if is_news else ()

    def ask(self) -> None:
        """Read again, unless that is being done."""
        if not (self._is_asked or self._is_absent):
            self._is_asked, self._asked_at = True, time.monotonic()
            self._run(self._read, self._on_read, self._on_failed)

    def begin(self) -> None:
        """Gather from here what a request takes."""
        self._seen, self._is_followed = [], True

    def follow(self) -> None:
        """Read while a request runs, once a second."""
        if self._read_at is None or time.monotonic() - self._read_at >= _EVERY_S:
            self.ask()

    def take(self, then: Taken) -> None:
        """Tell what a request that ended took: of the busiest GPU, and bytes of all of them.

        The mean of what was read while it ran; for a short one, what is read next. None twice where
        there is no GPU, or where the driver is silent. Requests are told in their order.
        """
        self._waiting.append(then)
        is_silent = self._is_asked and time.monotonic() - self._asked_at >= _NEWS_S
        if self._seen or self._is_absent or is_silent:
            self._tell()
        else:
            self.ask()

    def _on_read(self, loads: tuple[GpuLoad, ...]) -> None:
        self._is_asked = False
        self._is_absent = self._read_at is None and not loads
        self._last, self._read_at = loads, time.monotonic()
        if loads and self._is_followed:
            self._seen.append(loads)
        if self._waiting:
            self._tell()

    def _on_failed(self, _: Fault) -> None:
        self._on_read(())

    def _tell(self) -> None:
        seen = self._seen or ([self.now] if self.now else [])
        waiting, self._waiting = self._waiting, []
        self._seen, self._is_followed = [], False
        load = sum(map(busiest, seen)) / len(seen) if seen else None
        used = max((sum(each.used for each in loads) for loads in seen), default=None)
        for then in waiting:
            then(load, used)


def busiest(loads: tuple[GpuLoad, ...]) -> float:
    """Return the load of the GPU that computes most, 0 to 1."""
    return max((each.load for each in loads), default=0.0)
