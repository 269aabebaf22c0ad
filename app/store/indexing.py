"""Keeping the search index up to date, a slice at a time, on the thread that writes.

The index follows the turns: a reply is never held up by it, and what it does not know yet is
written down with the turn itself. A damaged index is thrown away and made again from the turns.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from app.store.database import Database, is_refusal
from app.store.search_index import index_slice, make_index, merge_steps, remake_index

Then = Callable[[], None]


class Indexing:
    """The index of one database.

    Attributes:
        is_usable: False where this SQLite has no full-text search; then texts are read through.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._left = 0
        self._has_more = False
        self._was_remade = False  # once is enough: what breaks again has another reason
        self.is_usable = True
        database.write(self._make)

    def catch_up(self, then: Then = lambda: None) -> None:
        """Index every turn that waits; ``then`` runs on the writer's thread when none does."""
        if not self.is_usable:
            then()
            return

        def go_on() -> None:
            if self._left:
                self.catch_up(then)
            else:
                then()

        self._database.write(self._index_slice, after=go_on)

    def wipe(self, then: Then = lambda: None) -> None:
        """Take what was deleted out of the index's own pages, too."""
        if not self.is_usable:
            then()
            return
        self._merge(starts=True, then=then)

    def _merge(self, starts: bool, then: Then) -> None:
        def operation(connection: sqlite3.Connection) -> None:
            self._has_more = merge_steps(connection, starts=starts)

        def go_on() -> None:
            if self._has_more:
                self._merge(starts=False, then=then)
            else:
                then()

        self._database.write(operation, after=go_on)

    def _make(self, connection: sqlite3.Connection) -> None:
        try:
            make_index(connection)
        except sqlite3.OperationalError:
            self.is_usable = False  # no FTS5, or one without the trigram tokenizer

    def _index_slice(self, connection: sqlite3.Connection) -> None:
        connection.execute("SAVEPOINT before_slice")
        try:
            self._left = index_slice(connection)
            connection.execute("SAVEPOINT flushed")  # FTS5 writes here, and fails here if it must
        except sqlite3.DatabaseError as error:
            if is_refusal(error) or self._was_remade:
                raise
            connection.execute("ROLLBACK TO before_slice")
            self._was_remade = True
            self._left = remake_index(connection)
        connection.execute("RELEASE before_slice")
