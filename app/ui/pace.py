"""When the growing reply is laid out: at most thirty times a second, less often where it costs.

A computer without a graphics card writes with the same cores that draw. So a layout is followed by
a pause of thirty times its cost, up to 90 ms, which still reads as flowing and is over when the
engine's next message comes (``engine/service/gathering.py``); and however slow the machine, by
twice its cost, so that the window has two thirds of its time for the user.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QTimer, Slot

SHORTEST_MS, SPARING_MS = 33, 90
_SPARING, _REST = 30.0, 2.0  # times the last layout's cost


@dataclass(frozen=True, slots=True)
class Spent:
    """What laying out has cost: seconds, and how many times it was done."""

    seconds: float = 0.0
    times: int = 0

    def since(self, before: Spent) -> Spent:
        """Return what was spent after ``before``."""
        return Spent(self.seconds - before.seconds, self.times - before.times)


class Pace(QObject):
    """Calls ``work`` soon after it is asked for, but not too often."""

    def __init__(self, work: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._work = work
        self._ended = 0.0
        self._cost = 0.0
        self._is_working = self._is_asked = False
        self.spent = Spent()  # on all the work so far
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_time)

    def ask(self) -> None:
        """There is something to lay out; the work itself may say so, too."""
        if self._is_working:
            self._is_asked = True
        elif not self._timer.isActive():
            sparing = min(SPARING_MS / 1000, _SPARING * self._cost)
            rest = max(SHORTEST_MS / 1000, sparing, _REST * self._cost)
            left = self._ended + rest - time.perf_counter()
            self._timer.start(max(0, round(left * 1000)))

    def flush(self) -> None:
        """Do now what has been asked for, if anything."""
        if self._timer.isActive():
            self._timer.stop()
            self._on_time()

    @Slot()
    def _on_time(self) -> None:
        start = time.perf_counter()
        self._is_working, self._is_asked = True, False
        self._work()
        self._is_working = False
        self._ended = time.perf_counter()
        self._cost = self._ended - start
        self.spent = Spent(self.spent.seconds + self._cost, self.spent.times + 1)
        if self._is_asked:
            self.ask()
