"""A text on its way out, looked through before anybody sees it.

The latest characters are held back, as many as the longest rule needs, and a place that a rule
finds is treated before it leaves. What leaves depends on the text alone and not on the pieces in
which it came: the text is looked at whenever it has grown by a fixed number of folded characters.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.safety.fold import Folding
from engine.safety.rules import Action, Hit, Rule, RuleSet
from engine.safety.words import LONGEST_PHRASE

STEP = 16  # folded characters between two looks
MASK = "█"
_BEFORE = 2 * LONGEST_PHRASE  # folded characters before the held ones that a look sees


@dataclass(slots=True)
class _Place:
    """Neighbouring hits, treated as one by the strongest of them."""

    start: int
    end: int
    rule: Rule


@dataclass(slots=True)
class Scanner:
    """One text, piece by piece.

    Attributes:
        rules: what is looked for.
        folding: how it is read.
        seen: what stands before the text already, and is not given out again.
        step: how much it grows between two looks; a text that is there already needs few.
        found: the rules that were met, in order, until somebody takes them.
        stopped_by: the rule that ended the text; nothing is given out after it.
    """

    rules: RuleSet
    folding: Folding
    seen: str = ""
    step: int = STEP
    found: list[Rule] = field(default_factory=list)
    stopped_by: Rule | None = None
    _raw: str = ""
    _folded: str = ""
    _places: list[int] = field(default_factory=list)
    _done: int = 0  # folded characters that are given out
    _given: int = 0  # original characters that are given out
    _next_look: int = 0
    _hold: int = 0

    def __post_init__(self) -> None:
        self._hold = self.rules.width + LONGEST_PHRASE + 1
        self._raw = self.seen[-self._hold :]
        self._folded, self._places = self.folding.fold_places(self._raw)
        self._done, self._given = len(self._folded), len(self._raw)
        self._next_look = self._done + self.step

    @property
    def held(self) -> int:
        """Original characters that wait."""
        return len(self._raw) - self._given

    def push(self, text: str) -> str:
        """Take a piece; what may be shown now."""
        if self.stopped_by is not None:
            return ""
        folded, places = self.folding.fold_places(text)
        base = len(self._raw)
        self._raw += text
        self._folded += folded
        self._places += [base + place for place in places]
        shown = ""
        while self._next_look <= len(self._folded) and self.stopped_by is None:
            shown += self._look(self._next_look, is_last=False)
            self._next_look += self.step
        self._forget()
        return shown

    def finish(self) -> str:
        """The text has ended; what may be shown of its rest."""
        if self.stopped_by is not None:
            return ""
        shown = self._look(len(self._folded), is_last=True)
        if self.stopped_by is None:
            shown += self._raw[self._given :]
            self._given, self._done = len(self._raw), len(self._folded)
        self._next_look = self._done + self.step
        return shown

    def _look(self, end: int, *, is_last: bool) -> str:
        """Treat what was found up to a folded place, and give out what no rule can reach."""
        begin = max(0, self._done - _BEFORE)
        clear = end if is_last else max(self._done, end - self._hold)
        settled = end if is_last else end - LONGEST_PHRASE
        shown = ""
        for place in _joined(self.rules.find(self._folded[begin:end]), begin):
            start = max(place.start, self._done)
            if place.end <= self._done:
                continue
            is_stop = place.rule.action is Action.STOP and place.end <= settled
            if not is_stop and place.start >= clear:
                break
            shown += self._give(start)
            self.found.append(place.rule)
            if place.rule.action is Action.STOP:
                self.stopped_by = place.rule
                return shown
            text = self._give(place.end)
            shown += masked(text) if place.rule.action is Action.MASK else text
        return shown + self._give(max(clear, self._done))

    def _give(self, until: int) -> str:
        """Take out the original characters of the folded ones up to a place."""
        if until <= self._done:
            return ""
        end = max(self._given, self._places[until - 1] + 1)
        text = self._raw[self._given : end]
        self._done, self._given = until, end
        return text

    def _forget(self) -> None:
        """Drop what no look needs any more."""
        spare = self._done - _BEFORE
        if spare < 4 * self._hold:
            return
        base = min(self._places[spare], self._given)
        self._raw, self._folded = self._raw[base:], self._folded[spare:]
        self._places = [place - base for place in self._places[spare:]]
        self._done, self._given = self._done - spare, self._given - base
        self._next_look -= spare


def masked(text: str) -> str:
    """The text with its letters and digits blackened; its form stays."""
    return "".join(MASK if c.isalnum() else c for c in text)


def _joined(hits: list[Hit], begin: int) -> list[_Place]:
    """Hits that touch each other as one place, with places counted from the text's beginning."""
    places: list[_Place] = []
    for hit in hits:
        start, end = hit.start + begin, hit.end + begin
        if places and start < places[-1].end:
            last = places[-1]
            last.end = max(last.end, end)
            if hit.rule.action > last.rule.action:
                last.rule = hit.rule
        else:
            places.append(_Place(start, end, hit.rule))
    return places
