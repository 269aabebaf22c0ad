"""Which number a text has in a list of texts: a dictionary of some bytes an entry.

A vocabulary and its merges are 100,000 to 500,000 texts that live as long as the model. A ``dict``
keeps a string, a number and three words for each, about 150 bytes; this keeps 11, and finds the
texts themselves in the list, which may decode them when it is asked.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, islice
from typing import Any, Protocol

import numpy as np

_CHUNK = 1 << 14  # texts at a time, so that others of this process run in between


class Lookup(Protocol):
    """Whatever knows the numbers of texts: a ``TextIndex``, or a ``dict``."""

    def get(self, text: str, /) -> int | None:
        """The number of a text; None where it has none."""
        ...

    def __iter__(self) -> Iterator[str]: ...


class TextIndex:
    """Numbers by their texts; of equal texts the last one counts, as in a ``dict``.

    Args:
        texts: that are looked up; asked again at every look.
        numbers: the places in ``texts`` that count, in ascending order; None: all of them.
    """

    def __init__(self, texts: Sequence[str], numbers: Iterable[int] | None = None) -> None:
        self._texts = texts
        chosen = np.arange(len(texts)) if numbers is None else np.fromiter(numbers, np.int64)
        words = _chosen(texts, chosen)
        hashes = np.empty(len(chosen), np.int64)
        for at in range(0, len(chosen), _CHUNK):
            some = np.array([hash(word) for word in islice(words, _CHUNK)], np.int64)
            hashes[at : at + len(some)] = some
        self._mask = (1 << max(1, len(chosen)).bit_length()) - 1
        buckets = hashes & self._mask
        order = buckets.argsort(kind="stable")
        ends = np.bincount(buckets, minlength=self._mask + 1).cumsum()
        self._numbers = array("I", chosen[order].astype(np.uint32).tobytes())
        self._tags = array("H", (hashes[order] >> 48).astype(np.uint16).tobytes())
        self._ends = array("I", ends.astype(np.uint32).tobytes())

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[str]:
        """The texts, in the list's order."""
        return _chosen(self._texts, np.asarray(self._numbers))

    def get(self, text: str, /) -> int | None:
        """The last number of ``text``; None where it has none."""
        found = hash(text)
        bucket, tag = found & self._mask, found >> 48 & 0xFFFF
        first = self._ends[bucket - 1] if bucket else 0
        for at in range(self._ends[bucket] - 1, first - 1, -1):
            if self._tags[at] == tag:
                number = self._numbers[at]
                if self._texts[number] == text:
                    return number
        return None


def _chosen(texts: Sequence[str], numbers: Any) -> Iterator[str]:
    """The texts of some numbers, in the list's order: a list is read faster than asked."""
    wanted = np.zeros(len(texts), np.bool_)
    wanted[numbers] = True
    return compress(texts, wanted.tobytes())
