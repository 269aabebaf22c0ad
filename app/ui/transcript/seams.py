"""Words that stand across a seam: a very long line is set in pieces, and read as one.

A place across a seam belongs to the piece in which it begins. Everything is in lower case and
counted in characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Seams:
    """Of words that are looked for, what stands at the ends of one piece.

    Attributes:
        head: characters at its beginning that end words begun in the piece before.
        tail: characters at its end that begin words which the next piece ends.
        is_head_shown: the place that ``head`` belongs to is the one that is shown.
    """

    head: int = 0
    tail: int = 0
    is_head_shown: bool = False


def across(before: str, after: str, words: str) -> tuple[int, int]:
    """Return how much of some words stands before and behind a seam; (0, 0) for none there."""
    end = 0
    while words and (found := before.find(words, end)) >= 0:
        end = found + len(words)
    tail = before[end:][1 - len(words) or len(before) :]
    place = (tail + after[: len(words) - 1]).find(words) if words and tail else -1
    if place < 0:
        return 0, 0
    return len(tail) - place, len(words) - (len(tail) - place)


def count_in_pieces(pieces: Sequence[str], goes_on: Sequence[bool], words: str) -> list[int]:
    """Return how often words stand in each of some pieces, and across the seam at its end.

    Args:
        pieces: in order.
        goes_on: of each piece, whether it goes on with the one before.
        words: in lower case.
    """
    lower = [piece.lower() for piece in pieces]
    counts = [piece.count(words) if words else 0 for piece in lower]
    for number in range(1, len(lower)):
        if goes_on[number] and across(lower[number - 1], lower[number], words)[0]:
            counts[number - 1] += 1
    return counts
