"""What is done to the table of turns inside a transaction, with what the search index must know."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from app.store.columns import TURN_COLUMNS, pack_ids, read_text, text_value
from app.store.rows import TurnRow

_NAMES = [*TURN_COLUMNS, "ids"]
_UPDATES = ", ".join(f"{name} = excluded.{name}" for name in _NAMES[1:])
_PUT = (
    f"INSERT INTO turns({', '.join(_NAMES)}) VALUES({', '.join('?' * len(_NAMES))})"
    f" ON CONFLICT(id) DO UPDATE SET {_UPDATES}"
)


def put_turns(connection: sqlite3.Connection, rows: Sequence[TurnRow]) -> None:
    """Add turns, or replace those that have the same id."""
    for row in rows:
        old = connection.execute("SELECT content FROM turns WHERE id = ?", (row.id,)).fetchone()
        note_change(connection, row.id, read_text(old[0]) if old else "", row.content)
        values = [text_value(getattr(row, name)) for name in TURN_COLUMNS]
        connection.execute(_PUT, [*values, pack_ids(row.ids)])


def note_change(connection: sqlite3.Connection, turn: int, old: str, new: str) -> None:
    """Tell the search index that a turn's text changes; what it already waits for stays."""
    if old != new:
        connection.execute(
            "INSERT OR IGNORE INTO unindexed(turn, old) VALUES(?, ?)",
            (turn, text_value(old) if old else None),
        )


def purge(connection: sqlite3.Connection) -> None:
    """Wipe what is marked as deleted; secure_delete writes zeros over it."""
    gone = "SELECT id FROM chats WHERE deleted IS NOT NULL"
    connection.execute(
        "INSERT OR IGNORE INTO unindexed(turn, old)"
        f" SELECT id, content FROM turns WHERE deleted IS NOT NULL OR chat IN ({gone})"
    )
    connection.execute(f"DELETE FROM turns WHERE deleted IS NOT NULL OR chat IN ({gone})")
    connection.execute(f"DELETE FROM drafts WHERE chat IN ({gone})")
    connection.execute(f"DELETE FROM choices WHERE chat IN ({gone})")
    connection.execute("DELETE FROM chats WHERE deleted IS NOT NULL")
