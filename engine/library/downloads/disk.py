"""What a download asks of the disk: room, hashes, and a name for what the system refuses."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

from engine.contract import EngineError, FaultKind
from engine.library.write_fault import write_fault

_PIECE = 1 << 20  # bytes


class Cancelled(Exception):
    """The user stopped the download; what arrived is kept for the next try."""


def check_space(path: Path, needed: int) -> None:
    """Raise ``DISK_FULL`` unless ``needed`` bytes fit beside ``path``."""
    free = shutil.disk_usage(path.parent).free
    if needed > free:
        raise EngineError(FaultKind.DISK_FULL, path=str(path), needed=needed, free=free)


def sha256_of(path: Path, cancelled: Callable[[], bool] = lambda: False) -> str:
    """Hex digits of the file's SHA-256; raises ``Cancelled`` when asked to stop."""
    return _digest(path, hashlib.sha256(), cancelled)


def git_sha1_of(path: Path, cancelled: Callable[[], bool] = lambda: False) -> str:
    """Hex digits of the hash that git gives to the file's content (its blob id)."""
    digest = hashlib.sha1(usedforsecurity=False)
    digest.update(b"blob %d\0" % path.stat().st_size)
    return _digest(path, digest, cancelled)


def _digest(path: Path, digest: hashlib._Hash, cancelled: Callable[[], bool]) -> str:
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            if cancelled():
                raise Cancelled
            digest.update(piece)
    return digest.hexdigest()


def disk_fault(error: OSError, path: Path) -> EngineError:
    """The fault for a write that the system refused."""
    return write_fault(error.errno or 0, error.strerror or str(error), path)
