"""One Inkstone per data folder: a lock that the operating system gives back when we end.

Two programs writing one database would be safe in SQLite itself, but not above it: ids are counted
in memory and each window would show a list that the other has changed.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

from app.store.faults import StoreError, StoreFaultKind

if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: IO[bytes]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _try_lock(file: IO[bytes]) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


class InstanceLock:
    """An exclusive lock on ``path``, held until ``release`` or the end of the process."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab+", buffering=0)
        try:
            _try_lock(self._file)
        except OSError as error:
            self._file.close()
            raise StoreError(StoreFaultKind.IN_USE, path=str(path)) from error
        with suppress(OSError):  # a full disk: the lock holds, only whose it is cannot be read
            self._file.truncate(0)
            self._file.write(str(os.getpid()).encode())

    def release(self) -> None:
        """Let the next program in; safe to call twice."""
        self._file.close()
