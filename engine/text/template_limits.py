"""A budget for templates: they come with downloaded files, and some mean harm.

A sandbox keeps a template from reaching anything; it does not keep it from counting to a billion or
doubling a string forty times. Every loop turn, call and operation of a template therefore draws
from a budget of steps, time and size, and whatever builds large values at one blow (``'a' * n``,
``ljust``, ``**``) is measured before it is done.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from engine.contract import EngineError, FaultKind, TemplateFlaw

MOST_STEPS = 1_000_000  # a conversation of a thousand turns takes some ten thousand
MOST_SECONDS = 5.0
MOST_NUMBER = 1_000_000  # the largest whole number that may be given to an operation or call
SPARE_CHARACTERS = 4_000_000  # beside eight times what the conversation itself has

_MULTIPLIERS = frozenset({"replace", "join", "indent", "expandtabs", "translate"})
_WIDTH = re.compile(r"\d{6,}|\*")

Item = TypeVar("Item")


@dataclass(slots=True)
class Budget:
    """What one rendering may use up.

    Attributes:
        characters: the longest text that it may build.
        steps: loop turns, calls and operations left.
        deadline: a time of ``time.monotonic``.
    """

    characters: int
    steps: int = MOST_STEPS
    deadline: float = field(default_factory=lambda: time.monotonic() + MOST_SECONDS)

    def draw(self) -> None:
        """Use one step.

        Raises:
            EngineError: TEMPLATE_INVALID when steps or time have run out.
        """
        self.steps -= 1
        if self.steps < 0 or (self.steps % 256 == 0 and time.monotonic() > self.deadline):
            raise refused("the template does not end", TemplateFlaw.ENDLESS)

    def check(self, value: Any) -> Any:
        """``value``, unless it is too large a text or list.

        Raises:
            EngineError: TEMPLATE_INVALID for one that is.
        """
        if isinstance(value, (str, bytes, list, tuple)) and len(value) > self.characters:
            raise refused("the template builds too large a text", TemplateFlaw.LARGE)
        return value

    def meter(self, items: Iterable[Item]) -> Iterator[Item]:
        """``items``, one step each."""
        for item in items:
            self.draw()
            yield item

    def operate(self, operator: str, left: Any, right: Any) -> None:
        """Use a step for ``left operator right``, if its result cannot be too large.

        Raises:
            EngineError: TEMPLATE_INVALID where it could.
        """
        self.draw()
        if operator == "+" and _is_sized(left) and _is_sized(right):
            self._expect(len(left) + len(right))
        elif operator == "*" and _is_sized(left) and isinstance(right, int):
            self._expect(len(left) * right)
        elif operator == "*" and _is_sized(right) and isinstance(left, int):
            self._expect(len(right) * left)
        elif operator in {"*", "**"}:
            check_numbers(left, right)
        elif operator == "%" and isinstance(left, str):
            check_widths(left)

    def multiply(self, name: str, owner: Any, values: Iterable[Any]) -> None:
        """Refuse a ``replace``, ``join`` or ``indent`` whose result could be too large.

        Raises:
            EngineError: TEMPLATE_INVALID where it could.
        """
        if name in {"format", "format_map"} and isinstance(owner, str):
            check_widths(owner)
        if name in _MULTIPLIERS and _is_sized(owner):
            largest = max((_extent(value) for value in values), default=1)
            if len(owner) * largest > 64 * self.characters:
                raise refused("the template builds too large a text", TemplateFlaw.LARGE)

    def _expect(self, length: int) -> None:
        if length > self.characters:
            raise refused("the template builds too large a text", TemplateFlaw.LARGE)


def check_numbers(*values: Any) -> None:
    """Refuse whole numbers that could only be meant to exhaust the machine."""
    for value in values:
        if isinstance(value, int) and abs(value) > MOST_NUMBER:
            raise refused(f"the number {value.bit_length()} bits long", TemplateFlaw.LARGE)


def check_widths(pattern: str) -> None:
    """Refuse a formatting pattern with a field width that no text has."""
    if _WIDTH.search(pattern) is not None:
        raise refused("a field width of millions", TemplateFlaw.LARGE)


def _extent(value: Any) -> int:
    if _is_sized(value):
        return len(value)
    return abs(value) if isinstance(value, int) else 1


def refused(words: str, flaw: TemplateFlaw, line: int = 0) -> EngineError:
    """The fault for a template that cannot be run.

    Args:
        words: Jinja's, or ours; English and technical.
        flaw: what is wrong, for whoever says it in another language.
        line: where; 0 where nobody knows.
    """
    detail = f"line {line}: {words}" if line else words
    return EngineError(
        FaultKind.TEMPLATE_INVALID, detail=detail, flaw=flaw.value, line=line, words=words
    )


def _is_sized(value: Any) -> bool:
    return isinstance(value, (str, list, tuple))
