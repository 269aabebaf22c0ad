"""The header of a GGUF file: metadata and where each tensor lies. Standard library only.

Everything that can be wrong with a file is found here, before memory is spent on it: a cut-off
download, counts that no file of this size can have, tensors that overlap or lie past the end.
Source of the layout: the GGUF specification, versions 2 and 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from mmap import ACCESS_READ, mmap
from pathlib import Path

from engine.contract import EngineError, FaultKind
from engine.storage.ggml_types import GGML_TYPES, GgmlType
from engine.storage.gguf_metadata import Buffer, Cursor, Metadata, step_over_value

MAX_PAIRS = 1 << 16  # key/values; real files have below a hundred
MAX_TENSORS = 1 << 20
MAX_NAME = 1 << 10  # bytes of a tensor's name; ggml itself allows 64
MAX_KEY = (1 << 16) - 1  # bytes, by the specification
MAX_DIMENSIONS = 4

_MAGIC = b"GGUF"
_OLD_MAGICS = (b"lmgg", b"fmgg", b"tjgg", b"algg")  # ggml, ggmf, ggjt, ggla: before GGUF
_VERSIONS = (2, 3)
_SMALLEST_PAIR, _SMALLEST_TENSOR = 13, 24  # bytes: empty key and a byte; empty name, no dimensions


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """One tensor: shape in PyTorch's order, type, and its bytes' place in the file."""

    name: str
    shape: tuple[int, ...]
    type: GgmlType
    offset: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """What a GGUF file says about itself."""

    path: Path
    size: int
    metadata: Metadata
    tensors: Mapping[str, TensorInfo]


def map_file(path: Path) -> Buffer:
    """Map a file into memory for reading; an empty file is empty bytes.

    Raises:
        EngineError: ``FILE_MISSING``, ``FILE_UNREADABLE``.
    """
    try:
        with path.open("rb") as file:
            if file.seek(0, 2) == 0:
                return b""
            return mmap(file.fileno(), 0, access=ACCESS_READ)
    except FileNotFoundError:
        raise EngineError(FaultKind.FILE_MISSING, path=str(path)) from None
    except OSError as error:
        raise EngineError(
            FaultKind.FILE_UNREADABLE, path=str(path), reason=error.strerror or str(error)
        ) from error


def read_gguf_header(path: Path) -> GgufHeader:
    """Read the header of the GGUF file at ``path``.

    Raises:
        EngineError: ``FILE_MISSING``, ``FILE_UNREADABLE``, and those of ``parse_gguf_header``.
    """
    return parse_gguf_header(map_file(path), path)


def parse_gguf_header(buffer: Buffer, path: Path) -> GgufHeader:
    """Read a header out of a whole file's bytes.

    Raises:
        EngineError: ``FORMAT_UNSUPPORTED`` (not GGUF, another version, big-endian),
            ``FILE_TRUNCATED``, ``FILE_DAMAGED``, ``QUANTIZATION_UNSUPPORTED`` (a tensor type whose
            size is not known).
    """
    cursor = Cursor(buffer, path)
    _check_magic(cursor)
    _check_version(cursor)
    tensor_count, pair_count = cursor.u64(), cursor.u64()
    _check_count(cursor, "tensors", tensor_count, MAX_TENSORS, _SMALLEST_TENSOR)
    _check_count(cursor, "key/values", pair_count, MAX_PAIRS, _SMALLEST_PAIR)
    metadata = _read_pairs(cursor, pair_count)
    alignment = _alignment(cursor, metadata)
    raw = [_read_tensor(cursor) for _ in range(tensor_count)]
    base = -(-cursor.offset // alignment) * alignment
    tensors = _place_tensors(cursor, raw, base, alignment)
    return GgufHeader(path, len(buffer), metadata, tensors)


def _check_magic(cursor: Cursor) -> None:
    magic = cursor.buffer[cursor.advance(4) : 4]
    if magic == _MAGIC:
        return
    old = magic[::-1].decode() if magic in _OLD_MAGICS else "unknown"
    raise EngineError(FaultKind.FORMAT_UNSUPPORTED, path=str(cursor.path), format=old)


def _check_version(cursor: Cursor) -> None:
    version = cursor.u32()
    if version in _VERSIONS:
        return
    swapped = int.from_bytes(version.to_bytes(4, "little"), "big")
    named = f"GGUF {swapped}, big-endian" if swapped in _VERSIONS else f"GGUF {version}"
    raise EngineError(FaultKind.FORMAT_UNSUPPORTED, path=str(cursor.path), format=named)


def _check_count(cursor: Cursor, what: str, count: int, most: int, smallest: int) -> None:
    if count > most:
        raise cursor.damaged(f"{count} {what}")
    if count * smallest > cursor.size - cursor.offset:
        raise EngineError(
            FaultKind.FILE_TRUNCATED,
            path=str(cursor.path),
            size=cursor.size,
            expected=cursor.offset + count * smallest,
        )


def _read_pairs(cursor: Cursor, count: int) -> Metadata:
    metadata = Metadata(cursor.path, cursor.buffer)
    for _ in range(count):
        key = cursor.name("key", MAX_KEY)
        if key in metadata.entries:
            raise cursor.damaged(f"the key {key} occurs twice")
        metadata.entries[key] = step_over_value(cursor, key)
    return metadata


def _alignment(cursor: Cursor, metadata: Metadata) -> int:
    alignment = metadata.entries.get("general.alignment", 32)
    if type(alignment) is not int or alignment <= 0 or alignment & (alignment - 1):
        raise cursor.damaged(f"an alignment of {alignment}")
    return alignment


@dataclass(frozen=True, slots=True)
class _RawTensor:
    name: str
    dimensions: tuple[int, ...]  # ggml's order: the fastest running first
    type: int
    offset: int  # from the start of the data


def _read_tensor(cursor: Cursor) -> _RawTensor:
    name = cursor.name("a tensor's name", MAX_NAME)
    rank = cursor.u32()
    if rank > MAX_DIMENSIONS:
        raise cursor.damaged(f"{name}: {rank} dimensions")
    dimensions = tuple(cursor.u64() for _ in range(rank))
    return _RawTensor(name, dimensions, cursor.u32(), cursor.u64())


def _place_tensors(
    cursor: Cursor, raw: list[_RawTensor], base: int, alignment: int
) -> dict[str, TensorInfo]:
    tensors: dict[str, TensorInfo] = {}
    for one in raw:
        if one.name in tensors:
            raise cursor.damaged(f"the tensor {one.name} occurs twice")
        if one.offset % alignment:
            raise cursor.damaged(f"{one.name}: at {one.offset}, not a multiple of {alignment}")
        kind = _type_of(cursor, one)
        nbytes = _bytes_of(cursor, one, kind)
        tensors[one.name] = TensorInfo(
            one.name, one.dimensions[::-1], kind, base + one.offset, nbytes
        )
    _check_places(cursor, tensors, base, alignment)
    return tensors


def _type_of(cursor: Cursor, raw: _RawTensor) -> GgmlType:
    kind = GGML_TYPES.get(raw.type)
    if kind is None:
        raise EngineError(
            FaultKind.QUANTIZATION_UNSUPPORTED,
            path=str(cursor.path),
            quantization=f"ggml type {raw.type}",
        )
    return kind


def _bytes_of(cursor: Cursor, raw: _RawTensor, kind: GgmlType) -> int:
    values = prod(raw.dimensions)
    if values == 0:
        raise cursor.damaged(f"{raw.name}: no values")
    columns = raw.dimensions[0] if raw.dimensions else 1
    if columns % kind.values:
        raise cursor.damaged(f"{raw.name}: {columns} columns of {kind.name}")
    return values // kind.values * kind.bytes


def _check_places(
    cursor: Cursor, tensors: Mapping[str, TensorInfo], base: int, alignment: int
) -> None:
    """Tensors must neither overlap nor lie past the end.

    A file that ends before its last tensor was cut off, as long as its tensors lie where their
    sizes put them; an offset further out than all of them together is damage.
    """
    furthest = base + sum(t.nbytes + alignment for t in tensors.values())
    end = base
    for tensor in sorted(tensors.values(), key=lambda t: t.offset):
        if tensor.offset < end:
            raise cursor.damaged(f"{tensor.name} overlaps another tensor")
        end = tensor.offset + tensor.nbytes
        if end > furthest and end > cursor.size:
            raise cursor.damaged(f"{tensor.name}: at {tensor.offset}, past the end")
    if tensors and end > cursor.size:
        raise EngineError(
            FaultKind.FILE_TRUNCATED, path=str(cursor.path), size=cursor.size, expected=end
        )
