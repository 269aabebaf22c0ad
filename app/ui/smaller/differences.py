"""Where two answers differ, word by word; Chinese, which has no spaces, character by character."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

_ALONE = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
"""Characters that are a word each: Chinese and Japanese ones, and full-width signs."""

_PIECES = re.compile(rf"\s+|[{_ALONE}]|[^\s{_ALONE}]+")


@dataclass(frozen=True, slots=True)
class Compared:
    """Two answers beside one another.

    Attributes:
        source, copy: their pieces in order, spaces included, each with whether the other lacks it.
        same: words that both have, in the same order.
        words: of the longer one.
    """

    source: tuple[tuple[str, bool], ...]
    copy: tuple[tuple[str, bool], ...]
    same: int
    words: int


def compared(source: str, copy: str) -> Compared:
    """Compare two answers."""
    theirs, ours = _PIECES.findall(source.strip()), _PIECES.findall(copy.strip())
    left, right = _words(theirs), _words(ours)
    matcher = difflib.SequenceMatcher(
        None, [theirs[at] for at in left], [ours[at] for at in right], autojunk=False
    )
    both = [
        (left[block.a + step], right[block.b + step])
        for block in matcher.get_matching_blocks()
        for step in range(block.size)
    ]
    return Compared(
        _marked(theirs, {mine for mine, _ in both}),
        _marked(ours, {mine for _, mine in both}),
        len(both),
        max(len(left), len(right)),
    )


def marks(text: str, pieces: tuple[tuple[str, bool], ...]) -> list[tuple[int, int]]:
    """From where to where a text is marked, by its pieces, which begin with its first word."""
    found: list[tuple[int, int]] = []
    at = len(text) - len(text.lstrip())
    for piece, is_marked in pieces:
        if is_marked and found and found[-1][1] == at:
            found[-1] = (found[-1][0], at + len(piece))
        elif is_marked:
            found.append((at, at + len(piece)))
        at += len(piece)
    return found


def _words(pieces: list[str]) -> list[int]:
    """Where the words are among the pieces."""
    return [at for at, piece in enumerate(pieces) if not piece.isspace()]


def _marked(pieces: list[str], same: set[int]) -> tuple[tuple[str, bool], ...]:
    """Mark what is not the same; a space too, between two words that are marked."""
    lacks = [at not in same and not piece.isspace() for at, piece in enumerate(pieces)]
    for at, piece in enumerate(pieces):
        if piece.isspace() and 0 < at < len(pieces) - 1 and "\n" not in piece:
            lacks[at] = lacks[at - 1] and lacks[at + 1]
    return tuple(zip(pieces, lacks, strict=True))
