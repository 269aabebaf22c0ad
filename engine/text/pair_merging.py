"""Byte-pair merging: neighbours are joined, the best-ranked pair first (Sennrich et al. 2016).

The ``tokenizers`` library does the same in Rust, but needs its merges as a model of its own:
building one for a vocabulary of 128,000 takes half a second of processor time in which no other
thread of this process runs, the window's among them. Two dictionaries take a tenth of that and let
others run meanwhile. Running text repeats its words, so most of them are merged once.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

Rank = Callable[[str, str], float | None]
"""The rank of two neighbours, the lowest is joined first; None for a pair that never is."""

_Entry = tuple[float, int, int, int]  # rank, left place, right place, length of both


def merge_pairs(symbols: list[str], rank: Rank) -> list[str]:
    """The symbols joined as far as ``rank`` allows; ties go to the left. ``symbols`` is used up."""
    count = len(symbols)
    following = list(range(1, count + 1))
    before = list(range(-1, count - 1))
    heap: list[_Entry] = []
    for left in range(count - 1):
        _offer(heap, symbols, left, left + 1, rank)
    while heap:
        _, left, right, length = heappop(heap)
        if not symbols[left] or not symbols[right]:
            continue  # one of the two was joined with another neighbour meanwhile
        if len(symbols[left]) + len(symbols[right]) != length:
            continue
        symbols[left] += symbols[right]
        symbols[right] = ""
        following[left] = after = following[right]
        if after < count:
            before[after] = left
            _offer(heap, symbols, left, after, rank)
        if before[left] >= 0:
            _offer(heap, symbols, before[left], left, rank)
    return [symbol for symbol in symbols if symbol]


def _offer(heap: list[_Entry], symbols: list[str], left: int, right: int, rank: Rank) -> None:
    """Put a pair on the heap if it can be joined."""
    found = rank(symbols[left], symbols[right])
    if found is not None:
        heappush(heap, (found, left, right, len(symbols[left]) + len(symbols[right])))
