"""Tokens as they are shown: white space visible, half characters as bytes, how sure by a ground."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from app.chat.inspection import probability
from engine.contract import Channel, PromptToken, TokenChoice

_SIGNS = {" ": "·", "\n": "↵", "\t": "⇥", "\r": "␍"}
_UNSURE = (0.9, 0.6, 0.3, 0.1)  # below each of them a token is one step less sure
LEAST_SHOWN = 1e-4  # a smaller probability is said to be below it


class Mark(Enum):
    """Where the model had a prompt's token from."""

    NONE = auto()
    REUSED = auto()  # the cache
    READ = auto()  # computed for this reply


@dataclass(frozen=True, slots=True)
class Cell:
    """One token.

    Attributes:
        text: as it is painted.
        heat: how unsure the model was of it: 0 is sure, 4 the least.
        ink: a colour of the palette.
        mark: the line below it.
    """

    text: str
    heat: int = 0
    ink: str = "ink"
    mark: Mark = Mark.NONE


def shown(raw: bytes) -> str:
    """Return what a token spells so that all of it can be seen."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return f"<{raw.hex(' ').upper()}>"
    signs = [_shown(character) for character in text]
    if text and unicodedata.combining(text[0]):
        signs[0] = _code(text[0])  # alone it would sit on the token before
    return "".join(signs) or "∅"


def _shown(character: str) -> str:
    if sign := _SIGNS.get(character):
        return sign
    is_unseen = unicodedata.category(character).startswith(("C", "Z"))
    return _code(character) if is_unseen else character


def _code(character: str) -> str:
    return f"<{ord(character):04X}>"


def heat(share: float) -> int:
    """Return how unsure a probability is: 0 to 4."""
    return sum(share < bound for bound in _UNSURE)


def raw_of(choice: TokenChoice) -> bytes:
    """Return the bytes of a token that came."""
    for candidate in choice.trace.candidates if choice.trace is not None else ():
        if candidate.id == choice.id:
            return candidate.raw
    return choice.text.encode()


def is_control(choice: TokenChoice) -> bool:
    """Tell whether a token that came is one that is never shown as text."""
    candidates = choice.trace.candidates if choice.trace is not None else ()
    return any(each.is_control for each in candidates if each.id == choice.id)


def reply_cells(choices: Sequence[TokenChoice], channels: Sequence[Channel]) -> list[Cell]:
    """Return the cells of a reply's tokens."""
    cells = []
    for choice, channel in zip(choices, channels, strict=True):
        ink = "rouge" if is_control(choice) else _INKS[channel]
        cells.append(Cell(shown(raw_of(choice)), heat(probability(choice)), ink))
    return cells


_INKS = {Channel.ANSWER: "ink", Channel.REASONING: "ink2", Channel.TOOL_CALL: "azurite"}


def prompt_cells(tokens: Sequence[PromptToken], first: int, reused: int) -> list[Cell]:
    """Return the cells of a stretch of a prompt.

    Args:
        tokens: the stretch.
        first: the place of its first token in the prompt.
        reused: how many tokens of the prompt were in the cache.
    """
    return [
        Cell(
            shown(token.raw),
            ink="rouge" if token.is_control else "ink",
            mark=Mark.REUSED if place < reused else Mark.READ,
        )
        for place, token in enumerate(tokens, first)
    ]
