"""Older copies of the chats, so that a destroyed file costs a day and not everything.

A copy is made at most once a day, beside the conversation and never in its way: a reader in WAL
mode does not hold up the writer. Reading every page also finds damage early. After something was
deleted for good the older copies go too: deleted means deleted.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

_KEPT = 3
_DAY_S = 20 * 3600  # a little less than a day, so that a start at the same hour makes its copy


def newest_sound_copy(folder: Path) -> Path | None:
    """Return the newest copy that SQLite reads without complaint."""
    return next((copy for copy in _copies(folder) if is_sound(copy)), None)


def is_sound(path: Path) -> bool:
    """Say whether a database file passes SQLite's own check."""
    try:
        uri = f"{path.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            verdict = connection.execute("PRAGMA quick_check(1)").fetchone()
            return bool(verdict == ("ok",)) and _has_chats(connection)
    except sqlite3.Error:
        return False


def copy_when_due(path: Path, folder: Path) -> Path | None:
    """Copy the chats if the newest copy is older than a day; return the new copy.

    Raises:
        OSError, sqlite3.Error: no copy could be made; the older ones are still there.
    """
    copies = _copies(folder)
    if copies and time.time() - copies[0].stat().st_mtime < _DAY_S:
        return None
    return make_copy(path, folder)


def make_copy(path: Path, folder: Path) -> Path:
    """Copy the chats now and drop the oldest copies.

    Raises:
        OSError, sqlite3.Error: no copy could be made; the older ones are still there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / time.strftime("chats-%Y%m%d-%H%M%S.db")
    part = copy.with_suffix(".part")
    part.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("VACUUM INTO ?", (str(part),))
    part.replace(copy)
    for old in _copies(folder)[_KEPT:]:
        old.unlink(missing_ok=True)
    return copy


def _copies(folder: Path) -> list[Path]:
    """Return the copies, the newest first; their names sort by time."""
    return sorted(folder.glob("chats-*.db"), reverse=True)


def _has_chats(connection: sqlite3.Connection) -> bool:
    found = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'chats'").fetchone()
    return found is not None
