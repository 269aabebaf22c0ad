"""What a setting is: its type, default, range, unit and scope, declared once.

Whoever shows, reads or checks a setting does it from here: the settings page of the window, the
file, the command line and the tests. A setting has no words: a front end has them by its key.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import StrEnum

Value = bool | int | float | str | tuple[str, ...]
"""What a setting may be; a tuple holds lines of text."""


class Kind(StrEnum):
    """What sort of value, and so which control, a setting has."""

    SWITCH = "switch"
    CHOICE = "choice"
    WHOLE = "whole"
    DECIMAL = "decimal"
    LINE = "line"
    TEXT = "text"
    FONT = "font"
    LINES = "lines"


class Scope(StrEnum):
    """What a setting can hold for; a narrower one goes before a wider one."""

    PROGRAM = "program"
    MODEL = "model"  # and for every model without a value of its own
    CHAT = "chat"  # and for every chat without a value of its own


class Applies(StrEnum):
    """When a change takes effect."""

    NOW = "now"
    NEXT_REPLY = "next-reply"
    NEXT_LOAD = "next-load"
    NEXT_START = "next-start"
    SERVER_START = "server-start"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting.

    Attributes:
        key: its name in files and on the command line.
        default: a value that works; its type is the setting's.
        section: where a page shows it.
        scope: what it can hold for.
        applies: when a change takes effect.
        low, high: the least and the greatest number, both allowed.
        step: from one number to the next by an arrow key.
        off: the number outside the range, or at its end, that means "automatic", "off" or "no
            limit"; None where every number means itself.
        unit: of a number, by name: "tokens", "minutes"; empty for a bare number.
        choices: all values that can be chosen, where there are only so many.
        is_long: whether a text may have several lines.
        fonts: what a text names, where it is a typeface: "any", or one with letters of one width,
            "fixed". One that a computer has not is allowed: settings are carried from another.
        pattern: what a text has to look like, or each line of several; an empty one always may be.
    """

    key: str
    default: Value
    section: str
    scope: Scope = Scope.PROGRAM
    applies: Applies = Applies.NOW
    low: float = -math.inf
    high: float = math.inf
    step: float = 1
    off: float | None = None
    unit: str = ""
    choices: tuple[str | int, ...] = ()
    is_long: bool = False
    fonts: str = ""
    pattern: str = ""

    @property
    def kind(self) -> Kind:
        """What sort of value this is."""
        match self.default:
            case _ if self.choices:
                return Kind.CHOICE
            case bool():
                return Kind.SWITCH
            case int():
                return Kind.WHOLE
            case float():
                return Kind.DECIMAL
            case str():
                return Kind.TEXT if self.is_long else Kind.FONT if self.fonts else Kind.LINE
            case _:
                return Kind.LINES

    def allows(self, value: object) -> bool:
        """Tell whether a value has the right type and lies in the range."""
        if type(value) is not type(self.default):
            return False
        match value:
            case _ if self.choices:
                return value in self.choices
            case int() | float():
                is_switch = isinstance(value, bool)
                return is_switch or value == self.off or self.low <= value <= self.high
            case str():
                has_one_line = not any(ch in value for ch in "\r\n\0")
                return (self.is_long or has_one_line) and self._looks_right(value)
            case _:
                return isinstance(value, tuple) and all(
                    isinstance(line, str) and self._looks_right(line) for line in value
                )

    def _looks_right(self, text: str) -> bool:
        return not (text and self.pattern) or re.fullmatch(self.pattern, text) is not None

    def read(self, stored: object) -> Value:
        """Return a value as a JSON file has it, or the default for one that is not allowed."""
        value = tuple(stored) if isinstance(stored, list) else stored
        if type(self.default) is float and type(value) is int:
            value = float(value)
        return value if self.allows(value) else self.default  # type: ignore[return-value]

    def parse(self, text: str) -> Value:
        """Return the value that a person wrote.

        Raises:
            ValueError: it is none, or outside the range.
        """
        value = self._parsed(text)
        if not self.allows(value):
            raise ValueError(text)
        return value

    def _parsed(self, text: str) -> Value:
        match self.default:
            case bool():
                return {"on": True, "true": True, "off": False, "false": False}[_known(text)]
            case int():
                return int(text)
            case float():
                return float(text)
            case str():
                return text
            case _:
                return tuple(text.splitlines())


def _known(text: str) -> str:
    if text not in {"on", "true", "off", "false"}:
        raise ValueError(text)
    return text


def by_key(settings: tuple[Setting, ...]) -> dict[str, Setting]:
    """Return settings by their keys.

    Raises:
        ValueError: two have the same key.
    """
    found = {each.key: each for each in settings}
    if len(found) != len(settings):
        raise ValueError("two settings have the same key")
    return found
