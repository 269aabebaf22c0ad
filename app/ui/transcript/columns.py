"""How wide a table's columns are: as the text asks, shared out, or wider than the page.

Pure figures, so that the rules can be read and tested without a window.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.rendering.blocks import Align, Table, plain_text

# an amount or a range, with what it counts: 1,204 · −0.01 · $5 · 80–85 °C · 10 泡以上 · 4–6 h
_NUMBER = re.compile(
    r"[~≈<>≤≥±]?\s*[-+−]?\s*[$€£¥₹]?\s*\d[\d.,]*"
    r"(\s*[-–—~～/×]\s*\d[\d.,]*)?\s*[^\d\s]{0,8}(\s[^\d\s]{1,8})?"
)
_WIDEST = 420  # px: a column that could be wider breaks its lines instead
_LEAST = 160  # px: a word longer than this may be broken


@dataclass(frozen=True, slots=True)
class Need:
    """What a column asks for, in pixels, its padding included."""

    longest_word: int
    whole: int  # without any line break
    unbreakable: int = 0  # of this nothing is ever broken or cut


def share_out(needs: Sequence[Need], room: int) -> list[int]:
    """Return the columns' widths: their sum is ``room``, or more if the words do not fit."""
    least = [max(min(need.longest_word, _LEAST), need.unbreakable) for need in needs]
    whole = [max(low, min(need.whole, _WIDEST)) for need, low in zip(needs, least, strict=True)]
    if sum(whole) <= room:
        return _spread(whole, room - sum(whole), whole)
    if sum(least) <= room and room >= 0.45 * sum(whole):
        gaps = [want - low for want, low in zip(whole, least, strict=True)]
        return _spread(least, room - sum(least), gaps)
    return [max(low, min(want, 240)) for want, low in zip(whole, least, strict=True)]


def _spread(widths: Sequence[int], extra: int, weights: Sequence[int]) -> list[int]:
    """Add ``extra`` to the widths in proportion to the weights; the last takes the remainder."""
    total = sum(weights) or 1
    shared = [
        width + extra * weight // total for width, weight in zip(widths, weights, strict=True)
    ]
    shared[-1] += sum(widths) + extra - sum(shared)
    return shared


def alignments(table: Table, look_at: int = 80) -> list[Align]:
    """Return how columns are set: as written, else numbers to the right and words to the left.

    The first column names its rows and stays on the left. Rows after the first ``look_at`` have no
    say, so that a table that grows does not change its face.
    """
    columns = [[plain_text(row[k]) for row in table.rows[:look_at]] for k in range(len(table.head))]
    guesses = [Align.LEFT, *(_guess(cells) for cells in columns[1:])]
    return [
        guess if align is Align.NONE else align
        for align, guess in zip(table.align, guesses, strict=True)
    ]


def _guess(cells: Sequence[str]) -> Align:
    filled = [cell for cell in cells if cell.strip() not in {"", "-", "–", "—"}]
    numbers = filled and all(len(c) <= 24 and _NUMBER.fullmatch(c.strip()) for c in filled)
    return Align.RIGHT if numbers else Align.LEFT
