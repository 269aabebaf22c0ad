"""Guesses for the next tokens, from the text itself: a reply often repeats what stands before it.

Quotes, code that is edited, tables, names: where the last three tokens stood before, what followed
them then is guessed to follow now (Saxena 2023, "prompt lookup decoding"). The guesses are computed
in one step with the token before them and checked by ``decode.draw_tokens``, so they change nothing
but the speed. Whether they help the speed depends on the text and on the machine (a step of five
tokens costs 1.0 to 3 times a step of one), so both are measured, and guessing stops for a while
where it does not pay.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from statistics import median

_KEY = 3
"""Tokens that must agree before a guess is made."""

_FEWEST, _MOST = 2, 8
"""Guesses a step: as many more as the last ones proved right."""

_KNOWN = 4
"""Steps of each kind whose times must be known before they are compared."""

_SHORTEST_REST, _LONGEST_REST = 32, 512
"""Tokens without guesses after they did not pay; twice as many each time in a row."""

_QUIET = 6
"""After so many tokens that nothing before foretold, as many are likely new again."""


class PromptLookup:
    """What followed each three tokens the last time.

    Attributes:
        repeated: the last place whose three tokens had come before.
    """

    def __init__(self) -> None:
        self._after: dict[tuple[int, ...], int] = {}
        self._known = 0  # ids whose followers are noted
        self.repeated = 0

    def propose(self, ids: Sequence[int], most: int) -> list[int]:
        """What may follow ``ids``; they must begin with the ids of the last call."""
        for end in range(max(self._known, _KEY), len(ids)):
            key = tuple(ids[end - _KEY : end])
            if key in self._after:
                self.repeated = end
            self._after[key] = end
        self._known = len(ids)
        start = self._after.get(tuple(ids[-_KEY:]))
        if start is None:
            return []
        self.repeated = len(ids)
        guesses: list[int] = []
        for place in range(start, start + most):  # past the end it goes on with its own guesses
            guesses.append(ids[place] if place < len(ids) else guesses[place - len(ids)])
        return guesses


class Speculation:
    """Guesses for one reply, as long as they pay."""

    def __init__(self) -> None:
        self._lookup = PromptLookup()
        self._guesses = _FEWEST
        self._plain_s: deque[float] = deque(maxlen=16)
        self._guessed: deque[tuple[float, int]] = deque(maxlen=16)  # (seconds, tokens gained)
        self._rest = 0
        self._next_rest = _SHORTEST_REST
        self._ids = 0

    def propose(self, ids: Sequence[int], room: int) -> list[int]:
        """Guesses for the tokens after ``ids``, at most ``room``; none while they do not pay."""
        if self._rest > 0 or len(self._plain_s) < _KNOWN:
            return []
        self._ids = len(ids)
        return self._lookup.propose(ids, min(self._guesses, room))

    @property
    def quiet_tokens(self) -> int:
        """So many tokens may come before guesses are likely: one where the text repeats itself."""
        if self._rest > 0:
            return self._rest
        new = self._ids - self._lookup.repeated
        return 1 if new < _QUIET or len(self._plain_s) < _KNOWN else new

    def observe(self, step_s: float, guesses: int, gained: int) -> None:
        """Note a decode step, or some in a row: time, guesses, and the tokens that came."""
        if guesses == 0:
            self._plain_s.append(step_s / gained)
            self._rest = max(self._rest - gained, 0)
            return
        if gained > guesses:
            self._guesses = min(self._guesses * 2, _MOST)
        elif gained == 1:
            self._guesses = max(self._guesses // 2, _FEWEST)
        self._guessed.append((step_s, gained))
        if len(self._guessed) >= _KNOWN:
            self._judge()

    def _judge(self) -> None:
        """Rest if guessing was slower than not guessing."""
        with_guesses = sum(gained for _, gained in self._guessed) / sum(s for s, _ in self._guessed)
        if with_guesses * median(self._plain_s) >= 1:
            self._next_rest = _SHORTEST_REST
            return
        self._rest = self._next_rest
        self._next_rest = min(self._next_rest * 2, _LONGEST_REST)
        self._guessed.clear()
