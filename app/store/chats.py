"""Chats and their turns: every query and every write that the program knows, as a verb.

Reads return at once and see what was committed; writes return a ticket and are on disk when
``is_saved`` says so. Whoever writes keeps the truth in memory until then.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.store.bundle import Bundle, Merged, merge_bundle
from app.store.columns import (
    CHAT_COLUMNS,
    chat_row,
    read_number,
    text_value,
    unpack_ids,
)
from app.store.copies import KEPT, Copies
from app.store.database import Database, Operation
from app.store.drafts import read_document, read_draft, write_document, write_draft
from app.store.indexing import Indexing
from app.store.recovery import recover_interrupted
from app.store.reply_journal import Piece, ReplyJournal
from app.store.rows import ChatRow, Draft, TurnRow
from app.store.turn_reads import chat_of_turn, read_turns
from app.store.turn_writes import purge, put_turns


class ChatStore:
    """The chats of one database.

    Args:
        database: where they lie.
        journal: the replies that are being written.
        copies: older copies of the database, which a deletion for good must reach too.
    """

    def __init__(
        self, database: Database, journal: ReplyJournal, copies: Copies | None = None
    ) -> None:
        self.database = database
        self._journal = journal
        self._copies = copies
        self.index = Indexing(database)
        recover_interrupted(database, journal)
        self._counting = threading.Lock()
        self._last_chat = self._largest("chats")
        self._last_turn = self._largest("turns")

    # --- identity -----------------------------------------------------------------------------

    def new_chat_id(self) -> int:
        """Return an id that no chat has had since the program started; from any thread."""
        with self._counting:
            self._last_chat += 1
            return self._last_chat

    def new_turn_id(self) -> int:
        """Return an id larger than every turn's: a parent's id is always the smaller one."""
        with self._counting:
            self._last_turn += 1
            return self._last_turn

    def count_from(self, first_turn: int) -> None:
        """Give the next turn at least this id."""
        self._last_turn = max(self._last_turn, first_turn - 1)

    def is_saved(self, ticket: int) -> bool:
        """Say whether the write with this ticket is on disk."""
        return self.database.is_saved(ticket)

    def close(self, timeout_s: float = 5.0) -> bool:
        """Save what waits and let go of the files; False when something could not be saved."""
        self.database.flush(timeout_s)  # what is wiped is to be wiped from the copies, too
        if self._copies is not None:
            self._copies.close(timeout_s)
        saved = self.database.close(timeout_s)
        self._journal.close()
        return saved

    # --- reading ------------------------------------------------------------------------------

    def chats(self) -> list[ChatRow]:
        """Return all chats that are not deleted, the latest first."""
        rows = self.database.read(
            f"SELECT {', '.join(CHAT_COLUMNS)}, (SELECT count(*) FROM turns WHERE chat = chats.id)"
            " FROM chats WHERE deleted IS NULL ORDER BY updated DESC, id DESC"
        )
        return [chat_row(row) for row in rows]

    def touch(self) -> None:
        """Read every page that a start needs.

        Raises:
            sqlite3.DatabaseError: one of them is damaged.
        """
        self.database.read("SELECT sum(length(title)) FROM chats")
        self.database.read("SELECT count(*) FROM turns INDEXED BY turns_by_chat")

    def links(self, chat: int) -> list[tuple[int, int | None]]:
        """Return the tree of a chat: each turn with its parent, read from the index alone."""
        rows = self.database.read(
            "SELECT id, parent FROM turns INDEXED BY turns_by_chat"
            " WHERE chat = ? AND deleted IS NULL ORDER BY id",
            (chat,),
        )
        return [(turn, read_number(parent)) for turn, parent in rows]

    def turns(self, ids: Sequence[int]) -> list[TurnRow]:
        """Return turns without their token ids, in this order.

        One whose page cannot be read comes back as LOST, with its place in the tree.
        """
        return read_turns(self.database, ids)

    def token_ids(self, turn: int) -> tuple[int, ...]:
        """Return the token ids kept with a turn, or none."""
        try:
            rows = self.database.read("SELECT ids FROM turns WHERE id = ?", (turn,))
        except sqlite3.DatabaseError:
            return ()  # without ids a turn is only slower: the engine tokenizes its text
        return unpack_ids(rows[0][0]) if rows else ()

    def chat_of(self, turn: int) -> int | None:
        """Return the chat that a turn is in, or None where there is no such turn."""
        return chat_of_turn(self.database, turn)

    def choices(self, chat: int) -> dict[int, int]:
        """Return which child is shown under a parent (0: the roots), where it is not the newest."""
        return dict(self.database.read("SELECT parent, child FROM choices WHERE chat = ?", (chat,)))

    def draft(self, chat: int) -> Draft:
        """Return what was typed in a chat and not sent."""
        return read_draft(self.database, chat)

    def document(self, chat: int, name: str) -> bytes | None:
        """Return what ``put_document`` kept of a waiting file; from any thread."""
        return read_document(self.database, chat, name)

    def has_deleted(self) -> bool:
        """Say whether something deleted is still on disk."""
        sql = (
            "SELECT 1 FROM chats WHERE deleted IS NOT NULL"
            " UNION ALL SELECT 1 FROM turns WHERE deleted IS NOT NULL LIMIT 1"
        )
        return bool(self.database.read(sql))

    # --- writing ------------------------------------------------------------------------------

    def put_chat(self, row: ChatRow) -> int:
        """Add a chat, or change everything about it but its turns."""
        names, marks = ", ".join(CHAT_COLUMNS), ", ".join("?" * len(CHAT_COLUMNS))
        updates = ", ".join(f"{name} = excluded.{name}" for name in CHAT_COLUMNS[1:])
        sql = f"INSERT INTO chats({names}) VALUES({marks}) ON CONFLICT(id) DO UPDATE SET {updates}"
        values = [text_value(getattr(row, name)) for name in CHAT_COLUMNS]
        return self._write(lambda c: _run(c, sql, values))

    def add_turns(self, *rows: TurnRow) -> int:
        """Add turns in one transaction, or replace those that have the same id."""
        return self._write(lambda c: put_turns(c, rows))

    def append(self, turn: int, run: int, pieces: Sequence[Piece]) -> int:
        """Save what is new of a growing reply; ``run`` tells one writing of a turn from others."""
        return self._write(lambda c: self._journal.append(turn, run, pieces))

    def finish(self, row: TurnRow) -> int:
        """Save a reply's whole text in its row; its pieces are not needed after that."""
        return self.database.write(
            lambda c: put_turns(c, (row,)), after=lambda: self._journal.end(row.id)
        )

    def choose(self, chat: int, choices: Mapping[int, int | None]) -> int:
        """Remember which child is shown under each parent; None goes back to the newest."""

        def operation(connection: sqlite3.Connection) -> None:
            for parent, child in choices.items():
                connection.execute(
                    "DELETE FROM choices WHERE chat = ? AND parent = ?", (chat, parent)
                )
                if child is not None:
                    connection.execute("INSERT INTO choices VALUES(?, ?, ?)", (chat, parent, child))

        return self._write(operation)

    def move_turns(self, parents: Mapping[int, int | None]) -> int:
        """Hang turns under other parents."""
        values = [(parent, turn) for turn, parent in parents.items()]
        return self._write(
            lambda c: _run_many(c, "UPDATE turns SET parent = ? WHERE id = ?", values)
        )

    def delete_turns(self, turns: Sequence[int], when: int | None) -> int:
        """Mark turns as deleted at ``when`` (microseconds UTC); None takes it back."""
        values = [(when, turn) for turn in turns]
        return self._write(
            lambda c: _run_many(c, "UPDATE turns SET deleted = ? WHERE id = ?", values)
        )

    def delete_chat(self, chat: int, when: int | None) -> int:
        """Mark a chat as deleted at ``when``; None takes it back."""
        return self._write(
            lambda c: _run(c, "UPDATE chats SET deleted = ? WHERE id = ?", (when, chat))
        )

    def copy_when_due(self, kept: int = KEPT) -> None:
        """Make today's copy of the chats if there is none yet, and keep so many of them."""
        if self._copies is not None:
            self._copies.copy_when_due(kept)

    def merge(self, bundle: Bundle, told: Callable[[Merged], None]) -> int:
        """Add a chat, or what the same chat lacks; ``told`` is called on the writer's thread."""
        done: list[Merged] = []

        def operation(connection: sqlite3.Connection) -> None:
            done[:] = [merge_bundle(connection, bundle, self.new_chat_id, self.new_turn_id)]

        return self.database.write(operation, after=lambda: told(done[0]))

    def purge(self, told: Callable[[], None] = lambda: None) -> None:
        """Wipe what is marked as deleted from every file that holds it, step by step.

        ``told`` is called on a thread of the store when none of it is left.
        """

        def end() -> None:
            self.database.checkpoint()
            if self._copies is not None:
                self._copies.renew(told)
            else:
                told()

        self.database.write(purge, after=lambda: self.index.catch_up(lambda: self.index.wipe(end)))

    def save_draft(self, chat: int, draft: Draft) -> int:
        """Keep what is typed in a chat; an empty draft takes no row."""
        return self._write(lambda c: write_draft(c, chat, draft))

    def put_document(self, chat: int, name: str, packed: bytes) -> int:
        """Keep a waiting file's whole text until no draft of the chat names it any more."""
        return self._write(lambda c: write_document(c, chat, name, packed))

    # --- inside -------------------------------------------------------------------------------

    def _write(self, operation: Operation) -> int:
        return self.database.write(operation)

    def _largest(self, table: str) -> int:
        largest = self.database.read(f"SELECT max(id) FROM {table}")[0][0]
        return largest if isinstance(largest, int) else 0


def _run(connection: sqlite3.Connection, sql: str, values: Sequence[Any]) -> None:
    connection.execute(sql, values)


def _run_many(connection: sqlite3.Connection, sql: str, values: Sequence[Sequence[Any]]) -> None:
    connection.executemany(sql, values)
