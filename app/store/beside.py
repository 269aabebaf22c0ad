"""Chats beside newer ones: what an older program keeps when it may not touch the newer file.

It begins with the copy that the newer program made before it changed the tables, where there is
one, so that the chats of that day are there. The next program that reads both files puts them
together and drops the one beside: what was deleted for good later must not lie there still.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from app.store.bundle import Merged
from app.store.chats import ChatStore
from app.store.copies import is_sound, put_copy, schema_copy
from app.store.database import Database
from app.store.drafts import write_draft
from app.store.faults import Figure, StoreError, StoreFault, StoreFaultKind
from app.store.folders import beside_path, beside_paths, copies_folder
from app.store.foreign import read_database
from app.store.reply_journal import ReplyJournal
from app.store.rows import ChatRow, Draft
from app.store.schema import MIGRATIONS
from app.store.set_aside import LOGS, set_database_aside
from app.store.worker import InlineWorker, Worker

_SIDES = (*LOGS, ".replies")


def open_beside(folder: Path, worker: Worker, newer: StoreFault) -> tuple[ChatStore, StoreFault]:
    """Open the chats beside newer ones, or begin them.

    Args:
        folder: the data folder, whose lock is held.
        worker: the thread that writes.
        newer: why the chats themselves are not opened.

    Raises:
        OSError, sqlite3.Error: nothing can be kept here.
    """
    schema = len(MIGRATIONS)
    path, copy = beside_path(folder, schema), schema_copy(copies_folder(folder), schema)
    figures: dict[str, Figure] = {**newer.figures, "beside": str(path)}
    if copy.is_file() and is_sound(copy):
        figures["copied"] = int(copy.stat().st_mtime)
        if not path.exists():
            put_copy(copy, path)
    if path.is_file() and not is_sound(path):
        set_database_aside(path, sides=_SIDES)
    return _store_of(path, worker), StoreFault(newer.kind, figures)


def join_beside(folder: Path, store: ChatStore) -> StoreFault | None:
    """Put what was kept beside newer chats with the others; return what came of it, if anything.

    What cannot be read, or is of a program newer than this one, stays where it is.
    """
    merged: list[Merged] = []
    for path in beside_paths(folder):
        try:
            merged += _join(path, store)
        except (StoreError, OSError, sqlite3.Error):
            continue
    new = [each for each in merged if each.new_turns]
    if not new:
        return None
    figures: dict[str, Figure] = {
        "chats": len(new),
        "turns": sum(each.new_turns for each in new),
    }
    return StoreFault(StoreFaultKind.JOINED, figures)


def _join(path: Path, store: ChatStore) -> list[Merged]:
    drafts, chats = _settled(path)
    bundles = read_database(path).bundles
    merged: list[Merged] = []
    for bundle in bundles:
        store.merge(bundle, merged.append)
    if not store.database.flush():
        return []  # the next start tries again: what is there by then is not added twice
    homes = {bundle.row.id: each.chat for bundle, each in zip(bundles, merged, strict=True)}
    for chat, draft in drafts.items():
        _keep_draft(store, homes.get(chat), chats[chat], draft)
    if store.database.flush():
        path.unlink()
        _drop_sides(path)
    return merged


def _settled(path: Path) -> tuple[dict[int, Draft], dict[int, ChatRow]]:
    """Bring in what a kill left unfinished; return what was typed there and not sent, by chat."""
    store = _store_of(path, InlineWorker())
    chats = {row.id: row for row in store.chats()}
    drafts = {chat: store.draft(chat) for chat in chats}
    store.close()
    return {chat: draft for chat, draft in drafts.items() if draft != Draft()}, chats


def _keep_draft(store: ChatStore, home: int | None, row: ChatRow, draft: Draft) -> None:
    """Give a draft to its chat, or to one of its own where that has another draft already."""
    if home is None or store.draft(home) not in {Draft(), draft}:
        home = store.new_chat_id()
        chat = ChatRow(home, row.title, row.title_by, created=row.created, updated=row.updated)
        store.put_chat(chat)
    chosen = home
    store.database.write(lambda c: write_draft(c, chosen, draft))


def _store_of(path: Path, worker: Worker) -> ChatStore:
    with closing(sqlite3.connect(path)):  # made, or refused, before anything depends on it
        pass
    store = ChatStore(
        Database(str(path), worker), ReplyJournal(path.with_name(path.name + ".replies"))
    )
    store.touch()
    return store


def _drop_sides(path: Path) -> None:
    for suffix in _SIDES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
