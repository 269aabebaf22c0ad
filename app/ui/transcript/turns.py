"""The turns of a chat: where each one stands, how tall it is, and its widget while it is near.

Pure figures and states; widgets are made and placed by the transcript. Ten thousand turns cost ten
thousand estimates and no widgets.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from app.chat.turn import Turn, TurnState
from app.rendering.reader import Reader
from app.ui.transcript import question
from app.ui.transcript.code_choices import CodeChoices
from app.ui.transcript.live import Live
from app.ui.transcript.paper import Measure
from app.ui.transcript.reply_height import estimate_height
from app.ui.transcript.turn_widget import TurnWidget
from engine.contract import Role

TOP, BOTTOM = 24, 4  # px above the first turn, below the last


@dataclass(slots=True)
class Entry:
    """A turn in the column."""

    turn: Turn
    height: int
    top: int = 0
    widget: TurnWidget | None = None
    live: Live | None = None
    laid_out: bool = False  # ``height`` is the widget's, not an estimate
    choices: CodeChoices | None = None  # made with the first widget, kept when it goes

    @property
    def bottom(self) -> int:
        """The first pixel below."""
        return self.top + self.height


class Turns:
    """The shown path, from the first turn to the last."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.entries: list[Entry] = []
        self._tops: list[int] = []
        self._index: dict[int, int] = {}
        self.measure = Measure(0, 720, seal=False)
        self.line = 25  # px of running text, for estimates

    def replace(self, turns: Sequence[Turn]) -> list[Entry]:
        """Show another path; entries of turns that stay are kept. Returns those that go."""
        old = {entry.turn.id: entry for entry in self.entries}
        self.entries = [self._kept(old.pop(turn.id, None), turn) for turn in turns]
        self._index = {turn.id: k for k, turn in enumerate(turns)}
        self.restack(0)
        return list(old.values())

    def append(self, turn: Turn) -> Entry:
        """Add a turn at the end."""
        entry = self._new(turn)
        self._index[turn.id] = len(self.entries)
        self.entries.append(entry)
        self.restack(len(self.entries) - 1)
        return entry

    def find(self, turn: int) -> Entry | None:
        """Return a turn's entry by the turn's number."""
        index = self._index.get(turn)
        return None if index is None else self.entries[index]

    def index_of(self, entry: Entry) -> int:
        """Return the place of an entry."""
        return self._index[entry.turn.id]

    def fit(self, measure: Measure) -> None:
        """Take another column, with every height estimated anew."""
        if measure == self.measure:
            return
        self.measure = measure
        for entry in self.entries:
            entry.height = self._estimate(entry.turn)
            entry.laid_out = False
        self.restack(0)

    def restack(self, first: int) -> None:
        """Work out where the turns from ``first`` on stand."""
        del self._tops[first:]
        y = self.entries[first - 1].bottom if first else TOP
        for entry in self.entries[first:]:
            entry.top = y
            self._tops.append(y)
            y += entry.height

    @property
    def height(self) -> int:
        """The height of all turns."""
        return self.entries[-1].bottom + BOTTOM if self.entries else 0

    def at(self, y: int) -> int:
        """Return the place of the turn at a height."""
        return max(0, bisect_right(self._tops, y) - 1)

    def between(self, top: int, bottom: int) -> range:
        """Return the places of the turns that reach into a band."""
        if not self.entries:
            return range(0)
        return range(self.at(top), min(len(self.entries), self.at(bottom) + 1))

    def _kept(self, entry: Entry | None, turn: Turn) -> Entry:
        if entry is None:
            return self._new(turn)
        if entry.turn != turn and entry.widget is not None and entry.live is None:
            entry.widget.show_turn(turn)
            entry.laid_out = False
        entry.turn = turn
        return entry

    def _new(self, turn: Turn) -> Entry:
        live = Live(turn, self._reader) if turn.state is TurnState.STREAMING else None
        return Entry(turn, self._estimate(turn), live=live)

    def _estimate(self, turn: Turn) -> int:
        if turn.role is Role.ASSISTANT:
            return estimate_height(turn, self.measure, self.line)
        return question.estimate_height(turn, self.measure, self.line)
