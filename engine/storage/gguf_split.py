"""GGUF models in several files (``name-00001-of-00003.gguf``). Standard library only.

The first file holds all key/values; every file holds its own tensors. Source: llama.cpp's
``gguf-split``, whose keys are ``split.no``, ``split.count`` and ``split.tensors.count``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from engine.contract import EngineError, FaultKind
from engine.storage.gguf_header import GgufHeader, read_gguf_header

_PART = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf", re.IGNORECASE)


def is_later_part(path: Path) -> bool:
    """Whether the name says that this is a part of a model, and not its first."""
    match = _PART.fullmatch(path.name)
    return match is not None and int(match["number"]) > 1


def earlier_parts(path: Path) -> frozenset[str]:
    """The names of the parts before this one; none where the name says nothing of parts."""
    match = _PART.fullmatch(path.name)
    if match is None:
        return frozenset()
    ending = path.name[match.end("number") :]
    return frozenset(f"{match['stem']}-{n:05}{ending}" for n in range(1, int(match["number"])))


def read_gguf_headers(path: Path) -> Sequence[GgufHeader]:
    """The header of a model's every file, the first first; ``path`` may be any of them.

    Raises:
        EngineError: those of ``read_gguf_header``; ``FILE_MISSING`` for a part that is not there,
            ``FILE_DAMAGED`` for parts that do not belong together.
    """
    match = _PART.fullmatch(path.name)
    if match is None:
        header = read_gguf_header(path)
        count = header.metadata.get("split.count", 1)
        if count not in {0, 1}:
            raise _damaged(path, f"one of {count} parts, under another name")
        return [header]
    headers = [read_gguf_header(part) for part in _parts(path, match)]
    _check_parts(headers)
    return headers


def _parts(path: Path, match: re.Match[str]) -> list[Path]:
    count = int(match["count"])
    ending = path.name[match.end("count") :]
    parts = [
        path.with_name(f"{match['stem']}-{number:05}-of-{count:05}{ending}")
        for number in range(1, count + 1)
    ]
    if path not in parts:
        raise _damaged(path, f"part {match['number']} of {match['count']}")
    for part in parts:  # all are looked for before any is read
        if not part.is_file():
            raise EngineError(FaultKind.FILE_MISSING, path=str(part))
    return parts


def _check_parts(headers: list[GgufHeader]) -> None:
    first = headers[0]
    names: set[str] = set()
    for header in headers:
        count = header.metadata.get("split.count", len(headers))
        if count != len(headers):
            raise _damaged(header.path, f"one of {count} parts, not of {len(headers)}")
        twice = names & header.tensors.keys()
        if twice:
            raise _damaged(header.path, f"the tensor {min(twice)} is in an earlier part too")
        names |= header.tensors.keys()
    expected = first.metadata.get("split.tensors.count", len(names))
    if expected != len(names):
        raise _damaged(first.path, f"{len(names)} tensors in all parts, {expected} expected")


def _damaged(path: Path, detail: str) -> EngineError:
    return EngineError(FaultKind.FILE_DAMAGED, path=str(path), detail=detail)
