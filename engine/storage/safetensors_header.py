"""The header of a safetensors file, checked before anything is mapped. Standard library only.

The ``safetensors`` library reads the tensors; this reads what they are, so that the library of
models can identify a file without torch, and so that every fault has a name.
Source of the layout: the safetensors format description (8 bytes of length, JSON, data).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, TypeGuard

from engine.contract import EngineError, FaultKind

MAX_HEADER = 100_000_000  # bytes; the library's own limit
MAX_RANK = 64

_BITS = {
    "F64": 64,
    "F32": 32,
    "F16": 16,
    "BF16": 16,
    "F8_E4M3": 8,
    "F8_E5M2": 8,
    "F8_E4M3FNUZ": 8,
    "F8_E5M2FNUZ": 8,
    "F8_E8M0": 8,
    "F6_E2M3": 6,
    "F6_E3M2": 6,
    "F4": 4,
    "C64": 64,
    "I64": 64,
    "I32": 32,
    "I16": 16,
    "I8": 8,
    "U64": 64,
    "U32": 32,
    "U16": 16,
    "U8": 8,
    "BOOL": 8,
}


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """One tensor of a file: its dtype by the format's name, its shape, its bytes and their place.

    Attributes:
        begin: bytes of the file before it.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    nbytes: int
    begin: int


@dataclass(frozen=True, slots=True)
class SafetensorsHeader:
    """What a safetensors file says about itself."""

    path: Path
    size: int
    tensors: Mapping[str, StoredTensor]
    metadata: Mapping[str, str]


def read_safetensors_header(path: Path) -> SafetensorsHeader:
    """Read and check the header of the file at ``path``.

    Raises:
        EngineError: ``FILE_MISSING``, ``FILE_UNREADABLE``, ``FILE_TRUNCATED``, ``FILE_DAMAGED``,
            ``QUANTIZATION_UNSUPPORTED`` (a dtype that the format does not name).
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(0)
            length = int.from_bytes(file.read(8), "little")
            _check_length(path, size, length)
            raw = file.read(length)
    except FileNotFoundError:
        raise EngineError(FaultKind.FILE_MISSING, path=str(path)) from None
    except OSError as error:
        raise EngineError(
            FaultKind.FILE_UNREADABLE, path=str(path), reason=error.strerror or str(error)
        ) from error
    return parse_safetensors_header(raw, size, path)


def _check_length(path: Path, size: int, length: int) -> None:
    if size < 8:
        raise _truncated(path, size, 8)
    if length > MAX_HEADER:
        raise _damaged(path, f"a header of {length} bytes")
    if length > size - 8:
        raise _truncated(path, size, 8 + length)


def parse_safetensors_header(raw: bytes, size: int, path: Path) -> SafetensorsHeader:
    """Check a header's JSON against a file of ``size`` bytes."""
    content = _parse_json(raw, path)
    if not isinstance(content, dict):
        raise _damaged(path, "the header is not an object")
    metadata = content.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise _damaged(path, "__metadata__ is not a table of texts")
    tensors: dict[str, StoredTensor] = {}
    places: list[tuple[int, int, str]] = []
    base = 8 + len(raw)
    for name, entry in content.items():
        tensors[name], begin, end = _read_entry(name, entry, base, path)
        places.append((begin, end, name))
    _check_places(sorted(places), base, size, path)
    return SafetensorsHeader(path, size, tensors, metadata)


def _parse_json(raw: bytes, path: Path) -> Any:
    def no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise _damaged(path, "a name occurs twice")
        return found

    try:
        return json.loads(raw.decode(), object_pairs_hook=no_duplicates)
    except (ValueError, RecursionError) as error:  # includes bytes that are not UTF-8
        raise _damaged(path, f"the header is not JSON: {type(error).__name__}") from error


def _read_entry(name: str, entry: Any, base: int, path: Path) -> tuple[StoredTensor, int, int]:
    if not isinstance(entry, dict):
        raise _damaged(path, f"{name}: not an object")
    dtype, shape, offsets = (entry.get(key) for key in ("dtype", "shape", "data_offsets"))
    if not isinstance(dtype, str) or not _are_counts(shape) or not _are_counts(offsets):
        raise _damaged(path, f"{name}: dtype, shape or data_offsets")
    if dtype not in _BITS:
        raise EngineError(FaultKind.QUANTIZATION_UNSUPPORTED, path=str(path), quantization=dtype)
    if len(offsets) != 2 or len(shape) > MAX_RANK:
        raise _damaged(path, f"{name}: {len(shape)} dimensions, {len(offsets)} offsets")
    begin, end = offsets
    bits = prod(shape) * _BITS[dtype]
    if bits % 8 or end - begin != bits // 8:
        raise _damaged(path, f"{name}: {end - begin} bytes for {bits} bits")
    return StoredTensor(name, dtype, tuple(shape), end - begin, base + begin), begin, end


def _are_counts(value: Any) -> TypeGuard[list[int]]:
    # bool is an int to isinstance, and JSON's true is no count
    return isinstance(value, list) and all(type(v) is int and 0 <= v < 1 << 63 for v in value)


def _check_places(places: list[tuple[int, int, str]], base: int, size: int, path: Path) -> None:
    """The tensors fill the data part without overlap or gap, as the format demands."""
    filled = 0
    for begin, end, name in places:
        if begin != filled:
            raise _damaged(path, f"{name}: begins at {begin}, the tensors before end at {filled}")
        filled = end
    if base + filled > size:
        raise _truncated(path, size, base + filled)
    if base + filled < size:
        raise _damaged(path, f"{size - base - filled} bytes after the last tensor")


def _damaged(path: Path, detail: str) -> EngineError:
    return EngineError(FaultKind.FILE_DAMAGED, path=str(path), detail=detail)


def _truncated(path: Path, size: int, expected: int) -> EngineError:
    return EngineError(FaultKind.FILE_TRUNCATED, path=str(path), size=size, expected=expected)
