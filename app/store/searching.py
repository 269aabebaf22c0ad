"""Searching on a thread of its own: the window never waits, and the newest question wins."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from app.store.chats import ChatStore
from app.store.database import connect
from app.store.search import SearchResults, find_turns
from app.store.worker import InlineWorker, Worker

Told = Callable[[SearchResults], None]


class Searcher:
    """Searches one store.

    Args:
        store: the chats.
        worker: the thread; ``close`` ends it.
        told: called with the results, on that thread.
    """

    def __init__(self, store: ChatStore, worker: Worker, told: Told) -> None:
        self._store = store
        in_memory = store.database.path == ":memory:"
        self._worker: Worker = InlineWorker() if in_memory else worker
        self._told = told
        self._newest = 0
        self._connection: sqlite3.Connection | None = None

    def find(self, text: str, chat: int | None = None, limit: int = 50) -> None:
        """Search; an older search that is still under way is given up.

        What was said since the last search is brought into the index first, as far as one slice
        goes; after a large import the results say how much is not looked through yet.
        """
        self._newest += 1
        number = self._newest
        if self._connection is not None:
            self._connection.interrupt()

        def job() -> None:
            if number == self._newest:
                self._search(number, text, chat, limit)

        self._store.index.catch_up()
        self._store.database.write(lambda c: None, after=lambda: self._worker.post(job))

    def close(self, timeout_s: float = 5.0) -> bool:
        """End a search that is under way, and the thread."""
        self._newest += 1
        if self._connection is not None:
            self._connection.interrupt()
        ended = self._worker.close(timeout_s)
        if ended and self._connection is not None and self._connection is not self._shared():
            self._connection.close()
        return ended

    def _search(self, number: int, text: str, chat: int | None, limit: int) -> None:
        if self._connection is None:
            self._connection = self._shared() or connect(self._store.database.path)
        is_indexed = self._store.index.is_usable
        try:
            results = find_turns(self._connection, text, limit, chat, is_indexed=is_indexed)
        except sqlite3.OperationalError:
            if number == self._newest:
                raise  # not interrupted by us: a bug
            return
        except sqlite3.DatabaseError:  # the index is damaged: read the texts themselves
            results = find_turns(self._connection, text, limit, chat, is_indexed=False)
        if number == self._newest:
            self._told(results)

    def _shared(self) -> sqlite3.Connection | None:
        """Return the connection of a store in memory, which nobody else can see."""
        database = self._store.database
        return database.reading if database.path == ":memory:" else None
