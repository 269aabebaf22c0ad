"""How many threads run a step of many rows (a part of a prompt): judged by the processor's time.

Prompts are few steps, so numbers of threads cannot be tried out as often as while decoding. But the
processor time of a step against its duration tells at once whether other programs took cores away:
a thread that the system has put aside then holds all others up at every barrier. Where that is so
twice in a row, the next steps run on the cores that are left, and the faster number stays.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

LOST_CORES = 0.3
"""Cores that the system gave to others in a step, to try fewer threads: above what a window takes
that shows a reply, below the half core that one busy process takes from a thread."""
SHORTEST_S = 0.01
"""A shorter step says nothing: one time slice of another program would fill a third of it."""
STEPS = 2
"""Steps in a row that must have lost cores, and steps that fewer threads are tried for."""
BETTER = 0.95
"""A number of threads must be faster by this factor to be chosen."""
WORKED_S, AGAIN_S = 2.0, 30.0
"""After so much work, or so long, on fewer threads one step has all again: the other program may
have ended. Fewer threads that were slower are not tried again for as much work."""


class RowThreads:
    """Says how many threads run the next step of many rows, and is told what it took.

    Args:
        most: the most threads there are.
        clock: seconds that only grow.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._chosen = most
        self._fewer: int | None = None  # on trial
        self._lossy: list[float] = []  # seconds a row, of steps in a row that lost cores
        self._tried: list[float] = []
        self._usual = 0.0  # seconds a row with the chosen number, while it is below the most
        self._worked_s = 0.0  # since a number was last judged
        self._rest_s = 0.0  # of work before fewer threads are tried once more
        self._judged_at = -math.inf

    def begin(self) -> int:
        """How many threads the next step has."""
        if self._fewer is not None:
            return self._fewer
        return self._most if self._is_due else self._chosen

    @property
    def _is_due(self) -> bool:
        """Whether all threads are to be tried again."""
        late = self._clock() - self._judged_at > AGAIN_S
        return self._chosen < self._most and (self._worked_s > WORKED_S or late)

    def took(self, rows: int, seconds: float, processor_s: float) -> None:
        """A step of so many rows took ``seconds``, and this much time of processors."""
        if self._most == 1 or seconds < SHORTEST_S:
            return
        pace = seconds / rows
        self._worked_s += seconds
        if self._fewer is not None:
            self._tried.append(pace)
            if len(self._tried) == STEPS:
                self._judge(self._fewer, min(self._tried))
        elif self._is_due:
            self._settle(self._most if pace < BETTER * self._usual else self._chosen)
        elif self._chosen < self._most:
            self._usual = pace
        else:
            self._watch(pace, self._most - processor_s / seconds)

    def _watch(self, pace: float, lost: float) -> None:
        """All threads ran: see whether they had their cores."""
        if lost <= LOST_CORES or self._worked_s < self._rest_s:
            self._lossy = []
            return
        self._lossy.append(pace)
        if len(self._lossy) >= STEPS:
            self._fewer = max(1, self._most - math.ceil(lost - LOST_CORES))
            self._lossy, self._tried = self._lossy[-STEPS:], []

    def _judge(self, fewer: int, pace: float) -> None:
        """Keep the faster number; where fewer threads were slower, leave them alone for a while."""
        helped = pace < BETTER * min(self._lossy)
        self._usual, self._rest_s = pace, 0.0 if helped else WORKED_S
        self._fewer, self._lossy = None, []
        self._settle(fewer if helped else self._most)

    def _settle(self, chosen: int) -> None:
        self._chosen, self._worked_s, self._judged_at = chosen, 0.0, self._clock()
