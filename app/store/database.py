"""The chats' database file: one connection that reads, one thread that writes.

WAL mode, so that reading never waits for writing. ``synchronous=FULL``, so that what was committed
survives a power cut (see ``worker.py`` for what it costs and why it is off the window's thread).
What is posted while a commit is under way goes into the next one together: under load the number of
waits for the disk falls by itself.

A write that the disk refuses (full, gone, read-only) is not lost: it stays at the head of the
queue, in memory, and is tried again with every later write and with ``retry``. So is one into a
file that was moved or deleted meanwhile: the system would take it, and nobody would find it again.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from app.store.columns import decode_text
from app.store.faults import (
    DAMAGE_CODES,
    Figure,
    StoreFault,
    StoreFaultKind,
    primary_code,
    reason_of,
)
from app.store.schema import migrate
from app.store.worker import InlineWorker, Worker

Operation = Callable[[sqlite3.Connection], None]
Entry = tuple[int, Operation, Callable[[], None]]
"""A ticket, what to write, and what to do when it is on disk."""
Listener = Callable[[int, StoreFault | None], None]
"""Called after a commit with the last saved ticket and None, or with the fault that delays it.

On the writer's thread."""

_WAL_KEPT = 4 * 1024 * 1024  # bytes; the WAL file is cut back to this after a checkpoint


def connect(path: str) -> sqlite3.Connection:
    """Open a connection with our settings; it may be used from one thread at a time."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.text_factory = decode_text
    with ExitStack() as undo:
        undo.callback(connection.close)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")  # macOS: fsync alone stops at the drive's cache
        connection.execute("PRAGMA secure_delete = ON")  # deleted text is overwritten with zeros
        connection.execute(f"PRAGMA journal_size_limit = {_WAL_KEPT}")
        undo.pop_all()
    return connection


class Database:
    """An open database of chats.

    Args:
        path: the file, or ":memory:" for chats that leave no trace (then everything is inline).
        worker: the thread that writes.

    Attributes:
        reading: the connection of the window's thread.
        fault: why writes are waiting, or None.
        listener: called on the writer's thread after each commit and each refusal.
    """

    def __init__(self, path: str, worker: Worker) -> None:
        self.path = path
        self._in_memory = path == ":memory:"
        self._worker: Worker = InlineWorker() if self._in_memory else worker
        self._waiting: deque[Entry] = deque()
        self._lock = threading.Lock()
        self._posted = 0
        self._saved = 0
        self._closed = False
        self._file: tuple[int, int] | None = None  # which one was opened, whatever its name is now
        self.fault: StoreFault | None = None
        self.listener: Listener = lambda ticket, fault: None
        with ExitStack() as undo:
            self.reading = connect(path)
            undo.callback(self.reading.close)
            migrate(self.reading, path)
            self._writing = self.reading if self._in_memory else connect(path)
            self._file = self._file_there()
            undo.pop_all()

    def read(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a query on the caller's thread; it sees what was committed."""
        return self.reading.execute(sql, values).fetchall()

    def write(self, operation: Operation, after: Callable[[], None] = lambda: None) -> int:
        """Queue an operation for the next commit and return its ticket; never blocks.

        ``after`` runs on the writer's thread when the operation is on disk.
        """
        with self._lock:
            self._posted += 1
            ticket = self._posted
            self._waiting.append((ticket, operation, after))
        self._worker.post(self._commit)
        return ticket

    def is_saved(self, ticket: int) -> bool:
        """Say whether the write with this ticket is on disk."""
        return ticket <= self._saved

    @property
    def posted(self) -> int:
        """The ticket of the newest write."""
        return self._posted

    def retry(self) -> None:
        """Try again what the disk refused."""
        self._worker.post(self._commit)

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Wait until everything written so far is on disk; False when it is not."""
        return self._worker.flush(timeout_s) and self.is_saved(self._posted)

    def snapshot(self, timeout_s: float = 60.0) -> sqlite3.Connection:
        """Return a copy in memory of the chats as they are to be, with all that waits for the disk.

        Not on the window's thread: it waits for the one that writes.

        Raises:
            TimeoutError: the disk hangs.
        """
        made: Future[sqlite3.Connection] = Future()
        self._worker.post(lambda: made.set_result(self._copied()))
        return made.result(timeout_s)

    def checkpoint(self) -> None:
        """Move the log into the database and cut it to nothing; on the writer's thread only."""
        self._writing.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self, timeout_s: float = 5.0) -> bool:
        """Save what waits, then close; False when something could not be saved."""
        self._worker.post(self._commit)
        ended = self._worker.flush(timeout_s)
        if ended and not self._closed:
            self._closed = True
            self._writing.close()
            self.reading.close()
        return ended and self.is_saved(self._posted)

    def _commit(self) -> None:
        """Write everything that waits in one transaction."""
        with self._lock:
            batch = list(self._waiting)
        if not batch or self._closed:
            return
        try:
            self._run(batch)
        except _FAILURES as error:
            self._after_failure(error, batch)
        else:
            self._after_success(batch)

    def _copied(self) -> sqlite3.Connection:
        copy = _in_memory()
        try:
            self.reading.backup(copy, pages=1024)
        except sqlite3.Error:  # the disk hands nothing out: what waits is all there is
            copy.close()
            copy = _in_memory()
            migrate(copy, self.path)
        with self._lock:
            waiting = list(self._waiting)
        for _, operation, _ in waiting:
            with suppress(*_FAILURES):
                operation(copy)
        return copy

    def _file_there(self) -> tuple[int, int] | None:
        """Return what tells the file at our path from all others; None where none is."""
        try:
            there = None if self._in_memory else Path(self.path).stat()
        except OSError:
            return None
        return (there.st_dev, there.st_ino) if there is not None else None

    def _run(self, batch: Sequence[Entry]) -> None:
        if self._file_there() != self._file:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.path)
        self._writing.execute("BEGIN IMMEDIATE")
        try:
            for _, operation, _ in batch:
                operation(self._writing)
            self._writing.execute("COMMIT")
        finally:
            if self._writing.in_transaction:
                self._writing.execute("ROLLBACK")

    def _after_success(self, batch: Sequence[Entry]) -> None:
        with self._lock:
            for _ in batch:
                self._waiting.popleft()
        for _, _, after in batch:
            after()
        self._saved = batch[-1][0]
        self.fault = None
        self.listener(self._saved, None)

    def _after_failure(self, error: Exception, batch: Sequence[Entry]) -> None:
        """Keep the batch where the disk is to blame; skip only what can never be written."""
        code = primary_code(error)
        if is_refusal(error):
            self.fault = self._disk_fault(code, error)
            self.listener(batch[-1][0], self.fault)
        elif len(batch) > 1:
            self._commit_one_by_one(batch)
        else:
            self._skip(batch[0][0])
            if code not in DAMAGE_CODES:
                raise error  # a bug of ours: loud, but it takes no other write with it

    def _commit_one_by_one(self, batch: Sequence[Entry]) -> None:
        """One of them is at fault: alone, it takes nobody with it."""
        bug: Exception | None = None
        for entry in batch:
            try:
                self._run([entry])
            except _FAILURES as error:
                if is_refusal(error):
                    self._after_failure(error, [entry])
                    break  # order is kept: nothing may overtake
                self._skip(entry[0])
                bug = error if primary_code(error) not in DAMAGE_CODES else bug
            else:
                self._after_success([entry])
        if bug is not None:
            raise bug

    def _skip(self, ticket: int) -> None:
        """Give up one write, for example into a damaged page; the file stays in use."""
        with self._lock:
            self._waiting.popleft()
        self._saved = ticket
        self.listener(ticket, StoreFault(StoreFaultKind.WRITE_DAMAGED, {"path": self.path}))

    def _disk_fault(self, code: int, error: Exception) -> StoreFault:
        if self._file_there() != self._file:
            return StoreFault(StoreFaultKind.GONE, {"path": self.path})
        full = code == sqlite3.SQLITE_FULL or getattr(error, "errno", 0) == errno.ENOSPC
        if full or self._free_bytes() < _ROOM_NEEDED:
            figures: dict[str, Figure] = {"path": self.path, "free": self._free_bytes()}
            return StoreFault(StoreFaultKind.DISK_FULL, figures)
        if code == sqlite3.SQLITE_READONLY:
            return StoreFault(StoreFaultKind.READ_ONLY, {"path": self.path})
        return StoreFault(
            StoreFaultKind.UNREACHABLE, {"path": self.path, "reason": reason_of(error)}
        )

    def _free_bytes(self) -> int:
        try:
            return shutil.disk_usage(Path(self.path).parent).free
        except OSError:
            return 0


def _in_memory() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.text_factory = decode_text
    return connection


# The disk's refusals, and values that no column can hold, which are bugs of ours.
_FAILURES = (sqlite3.Error, OSError, ValueError, TypeError, OverflowError)
_ROOM_NEEDED = 64 * 1024  # bytes: with less, SQLite's shared memory file cannot even grow
_DISK_CODES = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
    }
)


def is_refusal(error: Exception) -> bool:
    """Say whether the disk is to blame, so that trying again later makes sense."""
    return isinstance(error, OSError) or primary_code(error) in _DISK_CODES
