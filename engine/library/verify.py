"""Whether a model's files are what they should be: their structure, and a hash that is known.

Ollama and the hub's cache call a file by its SHA-256; what was verified before is known too.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from engine.contract import EngineError, FaultKind
from engine.library.identify import identify
from engine.storage.gguf_split import read_gguf_headers
from engine.storage.model_folder import weight_files

_CHUNK = 4 << 20
_NAMED = re.compile(r"(?:sha256-)?([0-9a-f]{64})")


class Verdict(StrEnum):
    """What the hash was compared with."""

    MATCHES_PUBLISHED = "published"  # the hash that its store names it by
    MATCHES_EARLIER = "earlier"  # what was verified before
    FIRST = "first"  # sound, and nothing to compare with
    CHANGED = "changed"  # not what was verified before, or not what its store says


@dataclass(frozen=True, slots=True)
class Verified:
    """The verdict, and the hash over all files (of one file: its own SHA-256)."""

    verdict: Verdict
    sha256: str


def verify(
    path: Path,
    earlier: str = "",
    progress: Callable[[int, int], None] = lambda done, total: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Verified | None:
    """Read every byte of a model; None when it was cancelled.

    Args:
        path: a GGUF file or a safetensors folder.
        earlier: the hash of an earlier verification.
        progress: told (bytes done, bytes in all).
        cancelled: asked between chunks.

    Raises:
        EngineError: those of ``identify`` for a file whose structure is not sound;
            ``FILE_UNREADABLE``.
    """
    identify(path)
    files = _files(path)
    sizes = [file.stat().st_size for file in files]
    hashes, done = [], 0
    for file, size in zip(files, sizes, strict=True):
        found = _hash(file, _Counted(done, sum(sizes), progress), cancelled)
        if found is None:
            return None
        hashes.append(found)
        done += size
    whole = hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()
    named = [_named(file) for file in files]
    if any(name and name != found for name, found in zip(named, hashes, strict=True)):
        return Verified(Verdict.CHANGED, whole)
    if all(named):
        return Verified(Verdict.MATCHES_PUBLISHED, whole)
    if not earlier:
        return Verified(Verdict.FIRST, whole)
    return Verified(Verdict.MATCHES_EARLIER if earlier == whole else Verdict.CHANGED, whole)


@dataclass(frozen=True, slots=True)
class _Counted:
    """Tells progress over all files from that in one."""

    before: int
    total: int
    progress: Callable[[int, int], None]

    def __call__(self, done: int) -> None:
        self.progress(self.before + done, self.total)


def _files(path: Path) -> tuple[Path, ...]:
    if path.is_dir():
        return tuple(sorted(weight_files(path)))
    return tuple(header.path for header in read_gguf_headers(path))


def _named(file: Path) -> str:
    """The hash that a file is called by, after its links; empty where it is not."""
    match = _NAMED.fullmatch(os.path.basename(os.path.realpath(file)))
    return match[1] if match else ""


def _hash(file: Path, progress: Callable[[int], None], cancelled: Callable[[], bool]) -> str | None:
    told, done = hashlib.sha256(), 0
    try:
        with file.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                if cancelled():
                    return None
                told.update(chunk)
                done += len(chunk)
                progress(done)
    except OSError as error:
        raise EngineError(
            FaultKind.FILE_UNREADABLE, path=str(file), reason=error.strerror or str(error)
        ) from error
    return told.hexdigest()
