"""Opening the chats, whatever state they are in: the program always starts.

What cannot be read is set aside under its own name, what can be recovered is, and the outcome is a
named fault for the window to say. Beside chats of a newer program a file of its own is used
(``beside.py``). Where nothing may be written (read-only folder, another Inkstone), chats live in
memory for this session and the fault says so.
"""

from __future__ import annotations

import errno
import shutil
import sqlite3
from dataclasses import dataclass, replace
from pathlib import Path

from app.store.beside import join_beside, open_beside
from app.store.bundle import Merged
from app.store.chats import ChatStore
from app.store.copies import (
    Copies,
    copy_before_migration,
    newest_sound_copy,
    put_copy,
    schema_copy,
)
from app.store.database import Database
from app.store.faults import (
    DAMAGE_CODES,
    Figure,
    StoreError,
    StoreFault,
    StoreFaultKind,
    primary_code,
    reason_of,
)
from app.store.folders import chats_path, copies_folder, lock_path
from app.store.foreign import read_database
from app.store.instance_lock import InstanceLock
from app.store.reply_journal import ReplyJournal
from app.store.schema import MIGRATIONS, schema_of
from app.store.set_aside import set_database_aside
from app.store.standing import Keeping, Standing
from app.store.worker import InlineWorker, ThreadWorker, Worker


@dataclass(frozen=True, slots=True)
class OpenedStore:
    """The chats, and what the person must be told about how they were opened."""

    store: ChatStore
    fault: StoreFault | None
    lock: InstanceLock | None
    worker: Worker
    joined: StoreFault | None = None  # what had been kept beside newer chats and is here now
    has_file: bool = False  # whether chats lie on disk, open here or not

    @property
    def keeps(self) -> bool:
        """Say whether this session's chats will be on disk."""
        return self.lock is not None

    @property
    def standing(self) -> Standing | None:
        """How this session's chats are kept, where that is not simply on disk with the others."""
        if self.fault is not None and not self.keeps:
            return Standing(Keeping.MEMORY, self.fault, self.has_file)
        if self.fault is not None and self.fault.kind is StoreFaultKind.NEWER:
            return Standing(Keeping.APART, self.fault, "copied" not in self.fault.figures)
        return None

    def close(self, timeout_s: float = 5.0) -> bool:
        """Save what waits and let go of the file; False when something could not be saved."""
        saved = self.store.close(timeout_s)
        self.worker.close(timeout_s)
        if self.lock is not None:
            self.lock.release()
        return saved


def temporary_store(first_turn: int = 1) -> ChatStore:
    """Return a store in memory: nothing of it is ever on disk.

    Args:
        first_turn: the id of its first turn.
    """
    store = ChatStore(Database(":memory:", InlineWorker()), ReplyJournal(None))
    store.count_from(first_turn)
    return store


def open_store(folder: Path, worker: Worker, copier: Worker | None = None) -> OpenedStore:
    """Open the chats in ``folder``, or a store in memory with the fault that says why.

    Args:
        folder: the data folder.
        worker: the thread that writes; it is closed with the store.
        copier: the thread that makes copies; one of its own by default.
    """
    opened = _locked_and_opened(folder, worker, copier)
    return replace(opened, has_file=chats_path(folder).is_file())


def _locked_and_opened(folder: Path, worker: Worker, copier: Worker | None) -> OpenedStore:
    path = chats_path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = InstanceLock(lock_path(folder))
    except StoreError as error:
        return OpenedStore(temporary_store(), error.fault, None, worker)
    except OSError as error:
        fault = _folder_fault(path, error)
        return OpenedStore(temporary_store(), fault, None, worker)
    try:
        return _open_locked(folder, lock, worker, copier or ThreadWorker("inkstone-copies"))
    except StoreError as error:
        lock.release()
        return OpenedStore(temporary_store(), error.fault, None, worker)


def known_schema() -> int:
    """Return how many migrations of the chats this program knows."""
    return len(MIGRATIONS)


def put_back(folder: Path, schema: int) -> Path | None:
    """Put the chats back as a program with so many migrations left them; nobody has them open.

    Returns:
        Where the newer chats lie now; None where nothing was to be done.

    Raises:
        OSError: the chats that are there stay.
    """
    path, copy = chats_path(folder), schema_copy(copies_folder(folder), schema)
    if schema_of(path) <= schema or not copy.is_file():
        return None
    return put_copy(copy, path, "newer")


def _open_locked(folder: Path, lock: InstanceLock, worker: Worker, copier: Worker) -> OpenedStore:
    path = chats_path(folder)
    try:
        store, told = _open_or_recover(path, worker, copier)
    except StoreError as error:
        if error.fault.kind is not StoreFaultKind.NEWER:
            raise
        try:
            return OpenedStore(*open_beside(folder, worker, error.fault), lock, worker)
        except (OSError, sqlite3.Error):
            raise error from None  # neither here nor beside: in memory, for the first reason
    return OpenedStore(store, told, lock, worker, join_beside(folder, store))


def _open_or_recover(
    path: Path, worker: Worker, copier: Worker
) -> tuple[ChatStore, StoreFault | None]:
    if not _was_emptied(path):
        try:
            return _open(path, worker, copier), None
        except sqlite3.DatabaseError as error:
            if primary_code(error) not in DAMAGE_CODES:
                raise _refusal(path, error) from error
    try:
        return _recover(path, worker, copier)
    except sqlite3.DatabaseError as error:
        raise _refusal(path, error) from error


def _recover(path: Path, worker: Worker, copier: Worker) -> tuple[ChatStore, StoreFault]:
    """Put the newest sound copy in the place of a damaged file, and on top what can be read of it.

    The damaged file itself keeps its name and stays.
    """
    aside = set_database_aside(path)
    figures: dict[str, Figure] = {"path": str(path), "aside": str(aside)}
    copy = _use_copy(path)
    if copy is not None:
        figures |= {"copy": str(copy), "copied": int(copy.stat().st_mtime)}
    store = _open(path, worker, copier)
    merged = _salvage(aside, store)
    if merged:
        figures |= {"chats": len(merged), "turns": sum(each.new_turns for each in merged)}
        return store, StoreFault(StoreFaultKind.SALVAGED, figures)
    kind = StoreFaultKind.SET_ASIDE if copy is None else StoreFaultKind.COPY_USED
    return store, StoreFault(kind, figures)


def _salvage(aside: Path, store: ChatStore) -> list[Merged]:
    merged: list[Merged] = []
    try:
        bundles = read_database(aside).bundles
    except StoreError:
        return merged
    for bundle in bundles:
        store.merge(bundle, merged.append)
    store.database.flush()
    return [each for each in merged if each.is_new or each.new_turns]


def _open(path: Path, worker: Worker, copier: Worker) -> ChatStore:
    """Open a database and read what every start needs; damage there shows here."""
    _copy_older_tables(path)
    database = Database(str(path), worker)
    try:
        journal = ReplyJournal(path.with_name(path.name + ".replies"))
        copies = Copies(path, copies_folder(path.parent), copier)
        store = ChatStore(database, journal, copies)
        store.touch()
    except sqlite3.DatabaseError:
        database.close()
        raise
    return store


def _copy_older_tables(path: Path) -> None:
    """Keep the chats as the program before this one left them, where their tables will change.

    Raises:
        StoreError: NEWER, before anything could be written; or the folder's own fault.
    """
    schema, known = schema_of(path), len(MIGRATIONS)
    if schema > known:
        raise StoreError(StoreFaultKind.NEWER, path=str(path), found=schema, known=known)
    if not 0 < schema < len(MIGRATIONS):
        return
    try:
        copy_before_migration(path, copies_folder(path.parent), schema)
    except OSError as error:
        fault = _folder_fault(path, error)
        raise StoreError(fault.kind, **fault.figures) from error


def _was_emptied(path: Path) -> bool:
    """Say whether a file of no length stands where chats were: SQLite would call it new."""
    return (
        path.exists()
        and path.stat().st_size == 0
        and newest_sound_copy(copies_folder(path.parent)) is not None
    )


def _use_copy(path: Path) -> Path | None:
    """Put the newest sound copy where the database was."""
    copy = newest_sound_copy(copies_folder(path.parent))
    if copy is not None:
        put_copy(copy, path)
    return copy


def _folder_fault(path: Path, error: OSError) -> StoreFault:
    if error.errno == errno.ENOSPC:
        free = shutil.disk_usage(path.parent).free
        return StoreFault(StoreFaultKind.DISK_FULL, {"path": str(path), "free": free})
    return StoreFault(StoreFaultKind.READ_ONLY, {"path": str(path)})


def _refusal(path: Path, error: sqlite3.Error) -> StoreError:
    code = primary_code(error)
    if code in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}:
        return StoreError(StoreFaultKind.READ_ONLY, path=str(path))
    if code == sqlite3.SQLITE_FULL:
        free = shutil.disk_usage(path.parent).free
        return StoreError(StoreFaultKind.DISK_FULL, path=str(path), free=free)
    return StoreError(StoreFaultKind.UNREACHABLE, path=str(path), reason=reason_of(error))
