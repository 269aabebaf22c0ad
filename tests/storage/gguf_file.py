"""GGUF files written byte by byte, so that tests can also write wrong ones."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_INTEGER, _FLOAT, _BOOL, _STRING, _ARRAY = 4, 6, 7, 8, 9


def text(value: str | bytes) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(raw)) + raw


def _kind(value: Any) -> int:
    kinds = {bool: _BOOL, int: _INTEGER, float: _FLOAT, str: _STRING, list: _ARRAY}
    return kinds[type(value)]


def _payload(value: Any) -> bytes:
    match value:
        case bool():
            return struct.pack("<?", value)
        case int():
            return struct.pack("<I", value)
        case float():
            return struct.pack("<f", value)
        case str():
            return text(value)
        case _:
            kind = _kind(value[0]) if value else _INTEGER
            head = struct.pack("<IQ", kind, len(value))
            return head + b"".join(_payload(one) for one in value)


@dataclass
class GgufFile:
    """What to write; ``tensors`` are (name, shape in PyTorch's order, type number, bytes)."""

    pairs: dict[str, Any] = field(default_factory=dict)
    tensors: list[tuple[str, Sequence[int], int, bytes]] = field(default_factory=list)
    magic: bytes = b"GGUF"
    version: int = 3
    tensor_count: int | None = None
    pair_count: int | None = None
    offsets: dict[str, int] = field(default_factory=dict)
    alignment: int = 32

    def header(self) -> bytes:
        out = [self.magic, struct.pack("<I", self.version)]
        tensors = len(self.tensors) if self.tensor_count is None else self.tensor_count
        pairs = len(self.pairs) if self.pair_count is None else self.pair_count
        out.append(struct.pack("<QQ", tensors, pairs))
        for key, value in self.pairs.items():
            out += [text(key), struct.pack("<I", _kind(value)), _payload(value)]
        offset = 0
        for name, shape, kind, data in self.tensors:
            place = self.offsets.get(name, offset)
            out += [text(name), struct.pack("<I", len(shape))]
            out += [struct.pack("<Q", size) for size in reversed(shape)]
            out.append(struct.pack("<IQ", kind, place))
            offset += -(-len(data) // self.alignment) * self.alignment
        return b"".join(out)

    def to_bytes(self) -> bytes:
        out = self._pad(self.header())
        for _, _, _, data in self.tensors:
            out += self._pad(data)
        return out

    def write(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.to_bytes())
        return path

    def _pad(self, raw: bytes) -> bytes:
        return raw + bytes(-len(raw) % self.alignment)
