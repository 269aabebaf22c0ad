"""Older copies of the chats, so that a destroyed file costs a day and not everything.

A copy is made at most once a day, beside the conversation and never in its way: a reader in WAL
mode does not hold up the writer. Reading every page also finds damage early. After something was
deleted for good the older copies go too, as soon as a new one stands in their place: deleted means
deleted, and the program does not end without a copy unless that takes longer than an end may.
"""

from __future__ import annotations

import logging
import shutil
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path

from app.store.set_aside import set_database_aside
from app.store.worker import Worker

Then = Callable[[], None]

_log = logging.getLogger(__name__)

KEPT = 3  # copies, where nothing else is asked for
_DAY_S = 20 * 3600  # a little less than a day, so that a start at the same hour makes its copy


class Copies:
    """Makes the copies of one database on a thread of its own.

    Args:
        path: the database.
        folder: where the copies lie.
        worker: the thread; not the one that writes, which must not wait for a copy.
    """

    def __init__(self, path: Path, folder: Path, worker: Worker) -> None:
        self._path = path
        self._folder = folder
        self._worker = worker
        self._copying: sqlite3.Connection | None = None
        self._is_renewing = False

    def copy_when_due(self, kept: int = KEPT) -> None:
        """Make today's copy if there is none yet, and keep so many."""

        def job() -> None:
            self._copy(lambda c, f: make_copy_when_due(c, f, kept))

        self._worker.post(job)

    def renew(self, then: Then = lambda: None) -> None:
        """Put a new copy in the place of all older ones: something was deleted for good.

        ``then`` runs on the copying thread when none of the older ones is left.
        """
        self._is_renewing = True

        def job() -> None:
            older = [*_copies(self._folder), *self._folder.glob("schema-*.db")]
            new = self._copy(make_copy) if older else None
            _drop([copy for copy in older if copy != new])
            self._is_renewing = False
            then()

        self._worker.post(job)

    def close(self, timeout_s: float = 5.0) -> bool:
        """Leave a copy that is being made unfinished, but wait for one that replaces the others.

        Should that take too long, the older ones go without it: they hold what was deleted.
        """
        if self._is_renewing:
            self._worker.flush(timeout_s)
        if (copying := self._copying) is not None:
            with suppress(sqlite3.ProgrammingError):  # it has just ended, and is closed
                copying.interrupt()
        return self._worker.close(timeout_s)

    def _copy(self, make: Callable[[sqlite3.Connection, Path], Path | None]) -> Path | None:
        try:
            with closing(_reader(self._path)) as self._copying:
                return make(self._copying, self._folder)
        except (sqlite3.Error, OSError) as error:
            _log.info("no copy of the chats was made: %s", error)
            return None
        finally:
            self._copying = None


def newest_sound_copy(folder: Path) -> Path | None:
    """Return the newest copy that SQLite reads without complaint."""
    return next((copy for copy in _copies(folder) if is_sound(copy)), None)


def is_sound(path: Path) -> bool:
    """Say whether a database file passes SQLite's own check and holds chats."""
    try:
        with closing(_reader(path)) as connection:
            verdict = connection.execute("PRAGMA quick_check(1)").fetchone()
            sql = "SELECT 1 FROM sqlite_schema WHERE name = 'chats'"
            return bool(verdict == ("ok",)) and connection.execute(sql).fetchone() is not None
    except sqlite3.Error:
        return False


def make_copy_when_due(
    connection: sqlite3.Connection, folder: Path, kept: int = KEPT
) -> Path | None:
    """Copy the chats if the newest copy is older than a day; return the new copy.

    Raises:
        OSError, sqlite3.Error: no copy could be made; the older ones are still there.
    """
    copies = _copies(folder)
    if copies and time.time() - copies[0].stat().st_mtime < _DAY_S:
        _drop_oldest(folder, kept)
        return None
    return make_copy(connection, folder, kept)


def make_copy(connection: sqlite3.Connection, folder: Path, kept: int = KEPT) -> Path:
    """Copy the chats now and drop the oldest copies.

    Raises:
        OSError, sqlite3.Error: no copy could be made; the older ones are still there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / time.strftime("chats-%Y%m%d-%H%M%S.db")
    part = copy.with_suffix(".part")
    part.unlink(missing_ok=True)
    connection.execute("VACUUM INTO ?", (str(part),))
    part.replace(copy)
    _drop_oldest(folder, kept)
    return copy


def copy_before_migration(path: Path, folder: Path, schema: int) -> Path:
    """Copy the chats before their tables change, so that the older program can have them back.

    Args:
        path: the database, which nobody writes to now.
        folder: where copies lie.
        schema: how many migrations the database has had.

    Raises:
        OSError, sqlite3.Error: no copy could be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    copy = schema_copy(folder, schema)
    part = copy.with_suffix(".part")
    part.unlink(missing_ok=True)
    with closing(_reader(path)) as connection:
        connection.execute("VACUUM INTO ?", (str(part),))
    part.replace(copy)
    _drop([older for older in folder.glob("schema-*.db") if older != copy])
    return copy


def schema_copy(folder: Path, schema: int) -> Path:
    """Return where the chats lie as they were with so many migrations."""
    return folder / f"schema-{schema}.db"


def put_copy(copy: Path, path: Path, why: str = "") -> Path | None:
    """Put a copy where a database is to be: whole, or nothing changes.

    Args:
        copy: stays where it is.
        path: of the database.
        why: the database that is there is set aside for this; empty where none is there.

    Returns:
        Where the database that was there lies now.

    Raises:
        OSError: nothing was changed.
    """
    part = path.with_name(path.name + ".part")
    try:
        shutil.copyfile(copy, part)
    except OSError:
        part.unlink(missing_ok=True)  # what is cut short would only fill the disk
        raise
    aside = set_database_aside(path, why) if why else None
    part.replace(path)
    return aside


def _drop_oldest(folder: Path, kept: int) -> None:
    for old in _copies(folder)[max(1, kept) :]:
        old.unlink(missing_ok=True)


def _drop(copies: Sequence[Path]) -> None:
    for copy in copies:
        try:
            copy.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("an older copy of the chats could not be dropped: %s", error)


def _copies(folder: Path) -> list[Path]:
    """Return the copies, the newest first; their names sort by time."""
    return sorted(folder.glob("chats-*.db"), reverse=True)


def _reader(path: Path) -> sqlite3.Connection:
    """Open a database without writing into it."""
    uri = f"{path.resolve().as_uri()}?mode=ro"
    return sqlite3.connect(uri, uri=True, check_same_thread=False)
