"""Backups that a person makes and brings back. A backup is a whole database in one file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from app.store.bundle import Bundle, Merged
from app.store.chats import ChatStore
from app.store.copies import is_sound
from app.store.faults import StoreError, StoreFaultKind, Unreadable
from app.store.foreign import read_connection, read_database


@dataclass(frozen=True, slots=True)
class Kept:
    """What came into the store: from an import, or from a backup."""

    chats: int = 0  # new ones
    completed: int = 0  # that were there and lacked something
    unchanged: int = 0  # that were there already
    turns: int = 0  # new ones


def make_backup(store: ChatStore, target: Path) -> None:
    """Write everything that was said into one file, beside the conversation; from any thread.

    Raises:
        OSError, sqlite3.Error: there is no backup; a file that was there before is as it was.
    """
    part = target.with_name(target.name + ".part")
    part.unlink(missing_ok=True)
    with closing(_everything(store)) as connection:
        connection.execute("VACUUM INTO ?", (str(part),))
    part.replace(target)


def read_all(store: ChatStore) -> tuple[Bundle, ...]:
    """Return all chats, also what the disk has not taken; not on the window's thread.

    Raises:
        OSError, sqlite3.Error, StoreError: they cannot be read.
    """
    if is_on_disk(store):
        return read_database(Path(store.database.path)).bundles
    with closing(store.database.snapshot()) as connection:
        return read_connection(connection).bundles


def is_on_disk(store: ChatStore) -> bool:
    """Wait for what is being saved, and say whether all of it is in the store's file."""
    database = store.database
    return database.flush() and database.path != ":memory:" and Path(database.path).exists()


def _everything(store: ChatStore) -> sqlite3.Connection:
    on_disk = is_on_disk(store)
    return sqlite3.connect(store.database.path) if on_disk else store.database.snapshot()


def is_database(path: Path) -> bool:
    """Say whether a file is a SQLite database, by its first bytes."""
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False


def keep_all(store: ChatStore, bundles: Iterable[Bundle]) -> Kept:
    """Merge chats into the store and wait until they are on disk; not on the window's thread.

    Raises:
        StoreError: UNREACHABLE, when the disk refused; what was merged before it is kept.
    """
    merged: list[Merged] = []
    for bundle in bundles:
        store.merge(bundle, merged.append)
    if not store.database.flush(timeout_s=600):
        fault = store.database.fault
        reason = fault.kind.value if fault else ""
        raise StoreError(StoreFaultKind.UNREACHABLE, path=store.database.path, reason=reason)
    return Kept(
        chats=sum(each.is_new for each in merged),
        completed=sum(not each.is_new and each.new_turns > 0 for each in merged),
        unchanged=sum(not each.is_new and each.new_turns == 0 for each in merged),
        turns=sum(each.new_turns for each in merged),
    )


def restore_backup(store: ChatStore, source: Path, when: int, *, replaces: bool) -> Kept:
    """Bring a backup back: add what is missing, or replace everything by it.

    Args:
        store: the chats.
        source: a file that ``make_backup`` or Inkstone's own copies made.
        when: the moment, microseconds UTC, that replaced chats are marked as deleted with.
        replaces: delete the chats that there are, once the backup has been read.

    Raises:
        StoreError: IMPORT_UNREADABLE (also where only some of it is damaged) and NEWER, and nothing
            was changed; UNREACHABLE.
    """
    foreign = read_database(source)
    if foreign.lost_turns or not is_sound(source):
        reason = Unreadable.DAMAGED.value
        raise StoreError(StoreFaultKind.IMPORT_UNREADABLE, path=str(source), reason=reason)
    bundles = foreign.bundles
    if replaces:
        store.database.write(lambda c: _delete_all(c, when))
    kept = keep_all(store, bundles)
    if replaces:
        store.purge()
    return kept


def _delete_all(connection: sqlite3.Connection, when: int) -> None:
    connection.execute("UPDATE chats SET deleted = ? WHERE deleted IS NULL", (when,))
