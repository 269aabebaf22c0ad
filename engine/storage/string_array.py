"""A file's array of strings without an object for each: its bytes, and where each string begins.

Python's own strings take about 60 bytes beside their letters: a vocabulary of 262,144 and the
table that finds them took 40 MB, this takes 5.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator, Sequence
from typing import overload

_LENGTH = struct.Struct("<Q")


class StringArray(Sequence[str]):
    """Strings that are decoded whenever they are asked for.

    Args:
        raw: begins with each string's length (unsigned, 64 bit, little-endian) and its bytes, one
            after the other. What is no UTF-8 is shown as U+FFFD: some vocabularies hold lone bytes.
        count: of strings; all of them lie within ``raw``.
    """

    def __init__(self, raw: bytes, count: int) -> None:
        self._raw = raw
        read, size, at = _LENGTH.unpack_from, _LENGTH.size, 0
        begins = array("I" if len(raw) < 1 << 32 else "Q", [0]) * (count + 1)
        for number in range(count):
            begins[number] = at + size
            at += size + read(raw, at)[0]
        begins[count] = at + size
        self._begins = begins

    @property
    def nbytes(self) -> int:
        """Of ``raw`` that the strings and their lengths take."""
        return self._begins[-1] - _LENGTH.size

    def __len__(self) -> int:
        return len(self._begins) - 1

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self)))]
        if at < 0:
            at += len(self)
            if at < 0:
                raise IndexError(at)
        begins = self._begins
        end = begins[at + 1] - 8  # raises past the last
        return self._raw[begins[at] : end].decode("utf-8", "replace")

    def __iter__(self) -> Iterator[str]:
        raw, size, begins = self._raw, _LENGTH.size, iter(self._begins)
        begin = next(begins)
        for following in begins:
            yield raw[begin : following - size].decode("utf-8", "replace")
            begin = following
