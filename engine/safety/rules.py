"""Rules: what may not stand in a text, on which side, and what then happens.

A rule finds its own places in folded text. Words and regular expressions run on RE2, whose time
grows with the text and with nothing else: no rule file can make it hang.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any

import re2

Span = tuple[int, int]
Finder = Callable[[str], Iterator[Span]]

LINE_BREAK = "\n"  # every kind of it, folded

_MEMORY = 64 << 20  # of the automaton of all words together
_LEAST_LETTERS = 0.6
"""Of a word's matched letters so many must be letters: "sh1t" is meant, the road A55 is not."""


class Action(IntEnum):
    """What happens at a place; the stronger wins where two rules meet."""

    WARN = 1
    MASK = 2
    STOP = 3


class Side(StrEnum):
    """Where a rule holds."""

    INPUT = "input"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        name: the word, the pattern's name, or the kind of personal data.
        group: the name of its list.
        action: what happens.
        sides: where it holds.
        find: its places in folded text, from left to right.
        width: the longest place that is seen as a whole, in folded characters.
        hint: a regular expression without groups that matches wherever ``find`` may find anything.
        reads_lines: whether a line break is told from a space; else it is read as one.
    """

    name: str
    group: str
    action: Action
    sides: frozenset[Side]
    find: Finder
    width: int
    hint: str
    reads_lines: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A place that a rule found, in folded characters."""

    start: int
    end: int
    rule: Rule


class RuleSet:
    """The rules of one side.

    Args:
        rules: of both sides.
        side: which one's to keep.
    """

    def __init__(self, rules: Sequence[Rule], side: Side) -> None:
        self._rules = [rule for rule in rules if side in rule.sides]
        self.width = max((rule.width for rule in self._rules), default=0)
        hints = sorted({rule.hint for rule in self._rules})
        self._hint = compiled("|".join(f"(?:{hint})" for hint in hints)) if hints else None

    def __bool__(self) -> bool:
        return bool(self._rules)

    def find(self, text: str) -> list[Hit]:
        """Every place of every rule in folded text, from left to right."""
        if self._hint is None:
            return []
        flat = text.replace(LINE_BREAK, " ")
        if self._hint.search(text) is None and (flat == text or self._hint.search(flat) is None):
            return []
        hits = [
            Hit(*span, rule)
            for rule in self._rules
            for span in rule.find(text if rule.reads_lines else flat)
        ]
        return sorted(hits, key=lambda hit: (hit.start, hit.end))


def compiled(pattern: str) -> Any:
    """A compiled expression; capital letters do not count.

    Raises:
        re2.error: it is not one.
    """
    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    options.case_sensitive = False
    return re2.compile(pattern, options)


def pattern_finder(expression: Any, group: int, accepts: Callable[[str, Span], bool]) -> Finder:
    """Find the places of one group of an expression, one after the other.

    Args:
        expression: compiled.
        group: whose place is meant; what surrounds it is looked at again.
        accepts: whether a place counts.
    """

    def find(text: str) -> Iterator[Span]:
        begin = 0
        while begin <= len(text) and (found := expression.search(text, begin)) is not None:
            start, end = found.span(group)
            if end > start and accepts(text, (start, end)):
                yield start, end
            begin = max(end, begin + 1)

    return find


def reads_as_word(text: str, span: Span, letters: int) -> bool:
    """Whether enough of the letters that a word has are letters in this place."""
    return sum(c.isalpha() for c in text[slice(*span)]) >= _LEAST_LETTERS * letters


def outside(phrases: Sequence[str]) -> Callable[[str, Span], bool]:
    """Whether a place lies in none of these phrases (folded).

    A phrase may go on in the next line, and one of a script that sets no spaces also around
    whatever stands between its letters: the word itself is found so.
    """
    unspaced = [phrase for phrase in phrases if phrase and is_han(phrase[0])]

    def accepts(text: str, span: Span) -> bool:
        if _in_phrase(text.replace(LINE_BREAK, " "), span, phrases):
            return False
        return not unspaced or not _in_phrase(*_bare(text, span), unspaced)

    return accepts


def is_han(letter: str) -> bool:
    """Whether a letter is of a script that sets no spaces between words."""
    return (
        "\u3040" <= letter <= "\u30ff" or "\u3400" <= letter <= "\u9fff" or letter >= "\U00020000"
    )


def _in_phrase(text: str, span: Span, phrases: Sequence[str]) -> bool:
    start, end = span
    return any(
        text.find(phrase, max(0, end - len(phrase)), start + len(phrase)) >= 0 for phrase in phrases
    )


def _bare(text: str, span: Span) -> tuple[str, Span]:
    """The letters and digits alone, and where the place lies among them."""
    before, place, after = (
        "".join(c for c in part if c.isalnum())
        for part in (text[: span[0]], text[slice(*span)], text[span[1] :])
    )
    return before + place + after, (len(before), len(before) + len(place))
