"""What is carried from one computer to another by name: prompts and presets of one's own.

A file is taken over whole or not at all. Where a name is taken by something else, somebody decides:
the file's takes its place, or gets a number.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar
from unicodedata import category

LONGEST_NAME = 40  # characters

_NO_LINE = frozenset({"Cc", "Cs", "Zl", "Zp"})  # controls, half characters, ends of lines
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""They turn what follows around, beyond the name that they stand in."""


class Named(Protocol):
    """A frozen dataclass with a name; capitals make no other name."""

    @property
    def name(self) -> str:
        """What it is called."""


Thing = TypeVar("Thing", bound=Named)


class CarriedFileError(ValueError):
    """A file that cannot be taken over.

    Attributes:
        reason: names a text of the language.
        name: of the entry that is wrong, if any.
        key: which of its values.
    """

    def __init__(self, reason: str, name: str = "", key: str = "") -> None:
        super().__init__(reason)
        self.reason, self.name, self.key = reason, name, key


def is_name(name: object) -> bool:
    """Tell whether something can be a name: one line of at most 40 characters, read as written."""
    is_text = isinstance(name, str) and bool(name.strip()) and len(name) <= LONGEST_NAME
    return is_text and not any(category(ch) in _NO_LINE or ch in _TURNING for ch in str(name))


def is_text(text: object) -> bool:
    """Tell whether something is a text that can be kept: not empty, and no half characters."""
    return isinstance(text, str) and bool(text.strip()) and all(category(ch) != "Cs" for ch in text)


def free_name(name: str, taken: Collection[str]) -> str:
    """Return a name with the first number that makes it one of its own."""
    used = {each.casefold() for each in taken}
    number = 2
    while (made := f"{name[: LONGEST_NAME - 4].rstrip()} {number}").casefold() in used:
        number += 1
    return made


def clashes(there: Sequence[Thing], brought: Sequence[Thing]) -> list[str]:
    """Return the names in ``brought`` that stand for something else in ``there``."""
    known = {each.name.casefold(): each for each in there}
    return [
        each.name
        for each in brought
        if (old := known.get(each.name.casefold())) is not None and not _alike(old, each)
    ]


def merged(there: Sequence[Thing], brought: Sequence[Thing], *, replaces: bool) -> list[Thing]:
    """Return what was there with what a file brought, each thing once.

    Args:
        there: in their order, which is kept.
        brought: of the file; what is there already, with the same name, is passed over.
        replaces: whether the file's takes the place of a namesake; else it gets a number.
    """
    made = list(there)
    for each in brought:
        names = [one.name.casefold() for one in made]
        if each.name.casefold() not in names:
            made.append(each)
            continue
        at = names.index(each.name.casefold())
        if _alike(made[at], each):
            continue
        if replaces:
            made[at] = each
        else:
            made.append(_renamed(each, free_name(each.name, names)))
    return made


def _alike(one: Thing, other: Thing) -> bool:
    return _renamed(one, "") == _renamed(other, "")


def _renamed(thing: Thing, name: str) -> Thing:
    return replace(thing, name=name)  # type: ignore[type-var]  # a protocol cannot say "dataclass"
