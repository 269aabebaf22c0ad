"""GGUF's key/value part: a cursor that never reads past the end, and values that parse when asked.

A vocabulary of 262,144 strings costs a walk over its lengths when the header is read (its end is
written nowhere) and is read only when somebody asks for it, and not kept here. Every count is
checked against the bytes that are really there before anything of its size is built.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from mmap import mmap
from pathlib import Path
from typing import Any

from engine.contract import EngineError, FaultKind
from engine.storage.string_array import StringArray

Buffer = bytes | mmap

MAX_STRING = 64 << 20  # bytes; chat templates, the longest real ones, are below 100 kB
MAX_ELEMENTS = 1 << 24  # of all arrays; the largest vocabularies have half a million merges
MAX_DEPTH = 4  # arrays in arrays; real files have none

_STRING, _ARRAY, _BOOL = 8, 9, 7
# type number -> struct code, byte size
_SCALARS = {
    0: ("B", 1),
    1: ("b", 1),
    2: ("H", 2),
    3: ("h", 2),
    4: ("I", 4),
    5: ("i", 4),
    6: ("f", 4),
    7: ("?", 1),
    10: ("Q", 8),
    11: ("q", 8),
    12: ("d", 8),
}
_U64 = struct.Struct("<Q")


class Cursor:
    """Reads little-endian values one after the other; faults are named, with the file's path."""

    def __init__(self, buffer: Buffer, path: Path, offset: int = 0) -> None:
        self.buffer = buffer
        self.size = len(buffer)
        self.offset = offset
        self.path = path
        self.elements_left = MAX_ELEMENTS

    def damaged(self, detail: str) -> EngineError:
        """The fault for content that contradicts itself."""
        return EngineError(FaultKind.FILE_DAMAGED, path=str(self.path), detail=detail)

    def advance(self, count: int) -> int:
        """Step over ``count`` bytes and return where they start."""
        start = self.offset
        if count > self.size - start:
            raise EngineError(
                FaultKind.FILE_TRUNCATED,
                path=str(self.path),
                size=self.size,
                expected=start + count,
            )
        self.offset = start + count
        return start

    def u32(self) -> int:
        """An unsigned 32-bit number."""
        value: int = struct.unpack_from("<I", self.buffer, self.advance(4))[0]
        return value

    def u64(self) -> int:
        """An unsigned 64-bit number."""
        value: int = _U64.unpack_from(self.buffer, self.advance(8))[0]
        return value

    def string(self, what: str, limit: int = MAX_STRING) -> bytes:
        """A length and that many bytes; ``what`` names it in the fault."""
        length = self.u64()
        if length > limit:
            raise self.damaged(f"{what}: a string of {length} bytes")
        start = self.advance(length)
        return self.buffer[start : start + length]

    def name(self, what: str, limit: int) -> str:
        """A string that must be UTF-8: a key or a tensor's name."""
        try:
            return self.string(what, limit).decode()
        except UnicodeDecodeError:
            raise self.damaged(f"{what}: not UTF-8") from None


@dataclass(frozen=True, slots=True)
class LazyArray:
    """An array that was stepped over: its elements lie from byte ``start`` to ``end``."""

    element: int
    count: int
    start: int
    end: int


@dataclass(slots=True)
class Metadata(Mapping[str, Any]):
    """The key/values; arrays are read anew whenever they are asked for, so that none stays here."""

    path: Path
    buffer: Buffer
    entries: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, key: str) -> Any:
        value = self.entries[key]
        if isinstance(value, LazyArray):
            raw = self.buffer[value.start : value.end]
            return _elements(Cursor(raw, self.path), value.element, value.count, key)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def length(self, key: str) -> int:
        """Elements of the array ``key``, without parsing it; 0 where there is no such array."""
        value = self.entries.get(key)
        return value.count if isinstance(value, LazyArray) else 0


def step_over_value(cursor: Cursor, key: str) -> Any:
    """Read a scalar or a string, or step over an array and remember where it is."""
    kind = cursor.u32()
    if kind == _STRING:
        return _text(cursor.string(key))
    if kind == _ARRAY:
        element, count = _array_head(cursor, key)
        start = cursor.offset
        _step_over_elements(cursor, element, count, key, depth=1)
        return LazyArray(element, count, start, cursor.offset)
    return _scalar(cursor, kind, key)


def _text(raw: bytes) -> str:
    # some vocabularies hold lone bytes of a character as their own "strings"
    return raw.decode("utf-8", errors="replace")


def _scalar(cursor: Cursor, kind: int, key: str) -> int | float | bool:
    if kind not in _SCALARS:
        raise cursor.damaged(f"{key}: value type {kind}")
    code, size = _SCALARS[kind]
    start = cursor.advance(size)
    if kind == _BOOL:
        return cursor.buffer[start] != 0
    value: int | float = struct.unpack_from("<" + code, cursor.buffer, start)[0]
    return value


def _array_head(cursor: Cursor, key: str) -> tuple[int, int]:
    element, count = cursor.u32(), cursor.u64()
    if element not in _SCALARS and element not in {_STRING, _ARRAY}:
        raise cursor.damaged(f"{key}: array of value type {element}")
    if count > cursor.elements_left:
        raise cursor.damaged(f"{key}: an array of {count} elements")
    cursor.elements_left -= count
    return element, count


def _step_over_elements(cursor: Cursor, element: int, count: int, key: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise cursor.damaged(f"{key}: arrays nested deeper than {MAX_DEPTH}")
    if element == _STRING:
        _step_over_strings(cursor, count, key)
    elif element == _ARRAY:
        for _ in range(count):
            inner, inner_count = _array_head(cursor, key)
            _step_over_elements(cursor, inner, inner_count, key, depth + 1)
    else:
        cursor.advance(count * _SCALARS[element][1])


def _step_over_strings(cursor: Cursor, count: int, key: str) -> None:
    # the one loop that runs a quarter of a million times a file: no calls but one
    buffer, size, read = cursor.buffer, cursor.size, _U64.unpack_from
    offset, last = cursor.offset, size - 8
    for _ in range(count):
        if offset > last:
            break
        length = read(buffer, offset)[0]
        if length > MAX_STRING:
            raise cursor.damaged(f"{key}: a string of {length} bytes")
        offset += 8 + length
    else:
        cursor.advance(offset - cursor.offset)
        return
    cursor.advance(offset + 8 - cursor.offset)  # past the end: raises


def _elements(cursor: Cursor, element: int, count: int, key: str) -> Sequence[Any]:
    """Numbers and arrays as a list, strings as a ``StringArray``; ``cursor`` is behind them then.

    They were stepped over before: all of them are there.
    """
    if element == _STRING:
        texts = StringArray(cursor.buffer[cursor.offset :], count)
        cursor.offset += texts.nbytes
        return texts
    if element == _ARRAY:
        heads = (_array_head(cursor, key) for _ in range(count))
        return [_elements(cursor, inner, inner_count, key) for inner, inner_count in heads]
    code, size = _SCALARS[element]
    start = cursor.advance(count * size)
    if element == _BOOL:
        return [byte != 0 for byte in cursor.buffer[start : cursor.offset]]
    return list(struct.unpack_from(f"<{count}{code}", cursor.buffer, start))
