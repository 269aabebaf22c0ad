"""How many threads run a decode step: measured while running, because other programs come and go.

On a quiet machine all threads are fastest. With another busy process, a thread that the system has
put aside holds all others up at the next barrier, and fewer threads are faster. So now and then a
neighbouring count is tried for two steps: often after a change, ever more rarely while nothing
changes, at once when steps become slow.
"""

from __future__ import annotations

SOONEST, RAREST = 16, 256
"""Steps between two trials."""
TRIAL = 2
"""Steps of a trial; the faster one counts, the first may have waited for a thread to wake."""
SLOW, SLOW_STEPS = 1.3, 3
"""So many times the usual duration, so many times in a row, is a reason to try at once."""
BETTER = 0.97
"""A count must be faster by this factor to be chosen."""
MEMORY = 0.2
"""Weight of the newest duration in the mean."""


def counts_up_to(most: int) -> tuple[int, ...]:
    """1, 2, 4, … and ``most``."""
    counts = [1]
    while counts[-1] * 2 < most:
        counts.append(counts[-1] * 2)
    return tuple(counts) if most == 1 else (*counts, most)


class ThreadChoice:
    """Says how many threads run the next step, and is told how long it took.

    Args:
        most: the most threads there are; the choice begins there.

    Attributes:
        usual_s: what a step takes; None before the first.
    """

    def __init__(self, most: int) -> None:
        self._counts = counts_up_to(most)
        self._chosen = len(self._counts) - 1
        self.usual_s: float | None = None
        self._slow = 0
        self._interval = SOONEST
        self._left = SOONEST
        self._down = True
        self._trial: int | None = None
        self._tried: list[float] = []

    @property
    def count(self) -> int:
        """Threads for the next step."""
        return self._counts[self._chosen if self._trial is None else self._trial]

    @property
    def is_trying(self) -> bool:
        """Whether the next step is part of a trial."""
        return self._trial is not None

    def took(self, seconds: float, steps: int = 1) -> None:
        """With ``count`` threads ``steps`` steps in a row took so long, each on average."""
        if self._trial is not None:
            self._tried.append(seconds)
            if len(self._tried) == TRIAL:
                self._judge(self._trial, min(self._tried))
            return
        usual = seconds if self.usual_s is None else self.usual_s
        self._slow = self._slow + min(steps, SLOW_STEPS - 1) if seconds > SLOW * usual else 0
        self.usual_s = usual + MEMORY * (seconds - usual)
        self._left -= steps
        if len(self._counts) > 1 and (self._left <= 0 or self._slow >= SLOW_STEPS):
            self._begin_trial()

    def _begin_trial(self) -> None:
        """Try the next smaller count, next time the next larger."""
        down, up = self._chosen - 1, self._chosen + 1
        if up == len(self._counts) or (self._down and down >= 0):
            self._trial = down
        else:
            self._trial = up
        self._down = not self._down
        self._tried = []
        self._slow = 0

    def _judge(self, trial: int, seconds: float) -> None:
        """Keep the faster count."""
        self._trial = None
        if self.usual_s is not None and seconds < BETTER * self.usual_s:
            self._chosen, self.usual_s = trial, seconds
            self._interval = SOONEST
        else:
            self._interval = min(RAREST, 2 * self._interval)
        self._left = self._interval
