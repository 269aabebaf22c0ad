"""How fast bytes may come and do come: a limit that several threads share, and a meter."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

_SLICE = 0.1  # seconds: the longest wait that does not ask whether to stop


@dataclass(frozen=True, slots=True)
class Patience:
    """When a server is given up; tests are less patient.

    Attributes:
        tries: connections in a row that brought nothing, or only a trickle.
        pause: seconds before the second of them; the third waits twice as long.
        longest_wait: seconds that a server may ask to be left alone ("Retry-After").
        window, least: a connection that brings fewer than ``least`` bytes in ``window`` seconds
            is a trickle.
    """

    tries: int = 3
    pause: float = 1.0
    longest_wait: float = 120.0
    window: float = 30.0
    least: int = 30_000


def wait(seconds: float, cancelled: Callable[[], bool]) -> None:
    """Wait, but not longer than until ``cancelled`` says so."""
    end = time.monotonic() + seconds
    while not cancelled() and (left := end - time.monotonic()) > 0:
        time.sleep(min(left, _SLICE))


class RateLimit:
    """Bytes a second that all connections together may take; 0 is no limit.

    ``take`` books bytes that have arrived and waits until they were allowed to, so the limit holds
    over any few seconds whatever the size of the pieces.
    """

    def __init__(self, bytes_per_second: int = 0) -> None:
        self._lock = threading.Lock()
        self._rate = bytes_per_second
        self._free_at = 0.0  # when everything that was booked will have been paid for

    @property
    def rate(self) -> int:
        """Bytes a second; 0 is no limit."""
        return self._rate

    def change(self, bytes_per_second: int) -> None:
        """Hold another rate from now on."""
        with self._lock:
            self._rate = bytes_per_second
            self._free_at = 0.0

    def take(self, count: int, cancelled: Callable[[], bool]) -> None:
        """Book ``count`` bytes and wait for as long as they cost."""
        with self._lock:
            if not self._rate:
                return
            now = time.monotonic()
            self._free_at = max(self._free_at, now) + count / self._rate
            seconds = self._free_at - now
        wait(seconds, cancelled)


class RateMeter:
    """Bytes a second over the last seconds."""

    _SPAN = 5.0  # seconds

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def count(self, done: int, now: float) -> None:
        """Note how many bytes there were at a time."""
        if self._seen and done < self._seen[-1][1]:
            self._seen.clear()  # it began again
        self._seen.append((now, done))
        while now - self._seen[0][0] > self._SPAN:
            self._seen.popleft()

    def rate(self, now: float) -> float:
        """Bytes a second; 0 while nothing can be said, or when nothing has come for long."""
        if not self._seen or now - self._seen[-1][0] > self._SPAN:
            return 0.0
        (first, before), (_, after) = self._seen[0], self._seen[-1]
        return (after - before) / (now - first) if now - first > 0.2 else 0.0
