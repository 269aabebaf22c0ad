"""Chats in and out of files: import, export, backup, restore, each beside the conversation."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.exporting import json_of
from app.chat.importing import ImportFailure, read_chats
from app.chat.saving import Saving
from app.chat.turn_row import microseconds, now
from app.store.backup import Kept, is_database, keep_all, make_backup, read_all, restore_backup
from app.store.faults import StoreError, StoreFault, StoreFaultKind, reason_of
from app.store.foreign import read_database
from app.store.settings import write_atomically
from app.store.worker import ThreadWorker, Worker


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """What an import or a restore did, for the sentence that says so."""

    path: Path
    kept: Kept
    empty: int = 0  # chats in which nothing was said
    failures: tuple[ImportFailure, ...] = ()
    sources: frozenset[str] = frozenset()
    lost_turns: int = 0  # of a damaged database


class Transfer(QObject):
    """Imports and exports; one after the other.

    Args:
        saving: speaks for the store.
        worker: the thread; one of its own by default.
    """

    imported = Signal(object)  # ImportOutcome: the list of chats is to be read again
    exported = Signal(object)  # Path
    failed = Signal(object)  # StoreFault

    def __init__(
        self, saving: Saving, worker: Worker | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._store = saving.store
        self._worker = worker or ThreadWorker("inkstone-transfer")
        self._ended.connect(self._on_ended)

    _ended = Signal(object)  # emitted on the worker's thread, received on ours

    def import_from(self, path: Path) -> None:
        """Read chats of ours or of another program and add what is not there yet."""
        self._run(path, lambda: self._import(path))

    def export_json(self, chats: Sequence[int], path: Path) -> None:
        """Write whole chats as JSON; all of them when none is named."""
        self._run(path, lambda: self._export(frozenset(chats), path))

    def export_text(self, text: str, path: Path) -> None:
        """Write a page that ``app.chat.exporting`` made."""
        self._run(path, lambda: _written(text, path))

    def export_file(self, path: Path, write: Callable[[], Path]) -> None:
        """Write a file by a function of one's own, with the same endings as the others."""
        self._run(path, write)

    def back_up(self, path: Path) -> None:
        """Write everything that was said into one file."""
        self._run(path, lambda: self._back_up(path))

    def restore(self, path: Path, *, replaces: bool) -> None:
        """Bring a backup back: add what is missing, or replace everything by it."""
        self._run(path, lambda: self._restore(path, replaces))

    def close(self, timeout_s: float = 5.0) -> bool:
        """Wait for what is under way; False when it did not end in time."""
        return self._worker.close(timeout_s)

    def _run(self, path: Path, work: Callable[[], ImportOutcome | Path]) -> None:
        def job() -> None:
            try:
                self._ended.emit(work())
            except StoreError as error:
                self._ended.emit(error.fault)
            except (OSError, sqlite3.Error) as error:
                figures = {"path": str(path), "reason": reason_of(error)}
                self._ended.emit(StoreFault(StoreFaultKind.UNREACHABLE, figures))

        self._worker.post(job)

    def _import(self, path: Path) -> ImportOutcome:
        if is_database(path):
            foreign = read_database(path)
            kept = keep_all(self._store, foreign.bundles)
            lost = foreign.lost_turns
            return ImportOutcome(path, kept, sources=frozenset({"inkstone"}), lost_turns=lost)
        report = read_chats(path)
        return ImportOutcome(
            path,
            keep_all(self._store, report.bundles),
            report.empty,
            tuple(report.failures),
            frozenset(report.sources),
        )

    def _restore(self, path: Path, replaces: bool) -> ImportOutcome:
        kept = restore_backup(self._store, path, microseconds(now()), replaces=replaces)
        return ImportOutcome(path, kept, sources=frozenset({"inkstone"}))

    def _back_up(self, path: Path) -> Path:
        make_backup(self._store, path)
        return path

    def _export(self, chats: frozenset[int], path: Path) -> Path:
        bundles = read_all(self._store)
        wanted = [bundle for bundle in bundles if not chats or bundle.row.id in chats]
        return _written(json_of(wanted), path)

    @Slot(object)
    def _on_ended(self, ending: ImportOutcome | Path | StoreFault) -> None:
        match ending:
            case ImportOutcome():
                self.imported.emit(ending)
            case StoreFault():
                self.failed.emit(ending)
            case _:
                self.exported.emit(ending)


def _written(text: str, path: Path) -> Path:
    write_atomically(path, text.encode("utf-8", errors="replace"))
    return path
