"""Reading ``tokenizer.model``, SentencePiece's own file, as older model folders have it.

The file is a protocol buffer (``sentencepiece_model.proto``): pieces are field 1, each with its
text (1), score (2, float) and type (3); the trainer's settings are field 2, of which ``model_type``
(3) says Unigram or BPE; the normalizer's are field 3, of which ``precompiled_charsmap`` (2) and
``add_dummy_prefix`` (3) matter. The format is simple enough to be read here; the sentencepiece
package would be one more binary to ship.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.contract import EngineError, FaultKind

UNIGRAM, BPE = 1, 2
_RANKED = re.compile(rb"[A-Za-z0-9+/]+={0,2} \d+\s")
"""The first line of tiktoken's format: a token in base64 and its rank."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # wire types


@dataclass(frozen=True, slots=True)
class SentencePieceFile:
    """The content of a ``tokenizer.model``.

    Attributes:
        texts, scores, types: of each piece; types are ``TokenType``'s.
        model: ``UNIGRAM`` or ``BPE``.
        charsmap: the compiled normalization, or empty.
        space_first: whether a space is put before every text.
    """

    texts: list[str]
    scores: list[float]
    types: list[int]
    model: int
    charsmap: bytes
    space_first: bool


def read_sentencepiece(path: Path) -> SentencePieceFile:
    """Read a ``tokenizer.model``.

    Raises:
        EngineError: FILE_UNREADABLE; TOKENIZER_INVALID for a file that is no SentencePiece model.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise EngineError(
            FaultKind.FILE_UNREADABLE, path=str(path), reason=str(error.strerror)
        ) from error
    if _RANKED.match(content):  # its splitting rule stands in Python code beside it
        raise EngineError(
            FaultKind.TOKENIZER_INVALID, path=str(path), detail="a tiktoken file alone"
        )
    try:
        return _parse(content)
    except (ValueError, IndexError, struct.error) as error:
        raise EngineError(
            FaultKind.TOKENIZER_INVALID, path=str(path), detail=f"no SentencePiece model: {error}"
        ) from error


def _parse(content: bytes) -> SentencePieceFile:
    texts: list[str] = []
    scores: list[float] = []
    types: list[int] = []
    model, charsmap, space_first = UNIGRAM, b"", True
    for number, value in _fields(content):
        if number == 1 and isinstance(value, bytes):
            piece = dict(_fields(value))
            texts.append(_as_bytes(piece.get(1, b"")).decode())
            scores.append(struct.unpack("<f", _as_bytes(piece.get(2, bytes(4))))[0])
            types.append(_as_int(piece.get(3, 1)))
        elif number == 2 and isinstance(value, bytes):
            model = _as_int(dict(_fields(value)).get(3, UNIGRAM))
        elif number == 3 and isinstance(value, bytes):
            normalizer = dict(_fields(value))
            charsmap = _as_bytes(normalizer.get(2, b""))
            space_first = bool(normalizer.get(3, 1))
    if not texts or model not in {UNIGRAM, BPE}:
        raise ValueError(f"{len(texts)} pieces, model type {model}")
    return SentencePieceFile(texts, scores, types, model, charsmap, space_first)


def _fields(content: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Field numbers and values; fixed-size numbers as their bytes."""
    position = 0
    while position < len(content):
        key, position = _varint(content, position)
        wire = key & 7
        if wire == _VARINT:
            number, position = _varint(content, position)
            yield key >> 3, number
            continue
        if wire == _BYTES:
            length, position = _varint(content, position)
        elif wire in {_FIXED32, _FIXED64}:
            length = 4 if wire == _FIXED32 else 8
        else:
            raise ValueError(f"wire type {wire} at byte {position}")
        if position + length > len(content):
            raise ValueError(f"field of {length} bytes at byte {position} of {len(content)}")
        yield key >> 3, content[position : position + length]
        position += length


def _varint(content: bytes, position: int) -> tuple[int, int]:
    """A base-128 number and the position after it."""
    value = shift = 0
    while True:
        byte = content[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
        if shift > 63:
            raise ValueError(f"number too long at byte {position}")


def _as_bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ValueError("a number where bytes belong")  # noqa: TRY004  content, not a caller's type
    return value


def _as_int(value: int | bytes) -> int:
    if isinstance(value, bytes):
        raise ValueError("bytes where a number belongs")  # noqa: TRY004  content, not a caller's type
    return value
