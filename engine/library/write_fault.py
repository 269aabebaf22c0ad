"""The named fault for a write that the system refused."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

from engine.contract import EngineError, FaultKind

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENODEV, errno.ENXIO, errno.ESTALE, errno.EIO})


def write_fault(code: int, reason: str, path: Path, needed: int = 0, kept: int = 0) -> EngineError:
    """Name what stands in the way of writing.

    Args:
        code: the system's error number; 0 where it gave none.
        reason: the system's own words.
        path: what was to be written.
        needed: bytes that are still to come; 0 where nobody can tell.
        kept: bytes that are there already, and from which the next try goes on.

    Returns:
        ``DISK_FULL`` (a quota counts as a disk), ``FOLDER_GONE`` where the place went away while it
        was written to, ``UNWRITABLE`` for the rest.
    """
    if code in _FULL:
        room = {"needed": needed, "free": free_at(path)} | ({"kept": kept} if kept else {})
        return EngineError(FaultKind.DISK_FULL, path=str(path), **room)
    if code in _GONE and not path.parent.exists():
        return EngineError(FaultKind.FOLDER_GONE, path=str(path))
    return EngineError(FaultKind.UNWRITABLE, path=str(path), reason=_sentence(reason))


def free_at(path: Path) -> int:
    """Bytes that are free where a path lies or would lie; 0 where the system does not say."""
    there = next((each for each in path.parents if each.exists()), path)
    try:
        return shutil.disk_usage(there).free
    except OSError:
        return 0


def _sentence(reason: str) -> str:
    return reason if reason.endswith((".", "!", "?")) else f"{reason}."
