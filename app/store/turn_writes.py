"""What is done to the table of turns inside a transaction, with what the search index must know."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from app.store.columns import TURN_COLUMNS, pack_ids, read_text, text_value
from app.store.rows import TurnRow
from app.store.turn_text import TEXT_COLUMNS, searched_text

_TEXTS = ", ".join(TEXT_COLUMNS)
_NAMES = [*TURN_COLUMNS, "ids"]
_UPDATES = ", ".join(f"{name} = excluded.{name}" for name in _NAMES[1:])
_PUT = (
    f"INSERT INTO turns({', '.join(_NAMES)}) VALUES({', '.join('?' * len(_NAMES))})"
    f" ON CONFLICT(id) DO UPDATE SET {_UPDATES}"
)


def put_turns(connection: sqlite3.Connection, rows: Sequence[TurnRow]) -> None:
    """Add turns, or replace those that have the same id."""
    for row in rows:
        note_change(connection, row.id, {name: getattr(row, name) for name in TEXT_COLUMNS})
        values = [text_value(getattr(row, name)) for name in TURN_COLUMNS]
        connection.execute(_PUT, [*values, pack_ids(row.ids)])


def note_change(
    connection: sqlite3.Connection, turn: int, new: Mapping[str, object] | None
) -> None:
    """Tell the search index, before it happens, that a turn's text will be another one.

    What the index holds of the turn is kept until it has been taken out.

    Args:
        connection: inside a transaction.
        turn: which may be a new one.
        new: the values of the columns that will change; None: the turn goes.
    """
    row = connection.execute(f"SELECT {_TEXTS} FROM turns WHERE id = ?", (turn,)).fetchone()
    before: dict[str, object] = dict(zip(TEXT_COLUMNS, row or ("",) * 3, strict=True))
    after = {name: (new or {}).get(name, before[name]) for name in TEXT_COLUMNS}
    old = searched_text(**before)
    if new is not None and old == searched_text(**after):
        return
    if row is not None:
        connection.execute(
            "UPDATE unindexed SET old = ? WHERE turn = ? AND old = x''",
            (text_value(read_text(row[0])) or None, turn),
        )
    connection.execute(
        "INSERT OR IGNORE INTO unindexed(turn, old) VALUES(?, ?)", (turn, text_value(old) or None)
    )


def purge(connection: sqlite3.Connection) -> None:
    """Wipe what is marked as deleted; secure_delete writes zeros over it."""
    gone = "SELECT id FROM chats WHERE deleted IS NOT NULL"
    which = f"deleted IS NOT NULL OR chat IN ({gone})"
    for (turn,) in connection.execute(f"SELECT id FROM turns WHERE {which}").fetchall():
        note_change(connection, turn, None)
    connection.execute(f"DELETE FROM turns WHERE {which}")
    connection.execute(f"DELETE FROM drafts WHERE chat IN ({gone})")
    connection.execute(f"DELETE FROM draft_documents WHERE chat IN ({gone})")
    connection.execute(f"DELETE FROM choices WHERE chat IN ({gone})")
    connection.execute("DELETE FROM chats WHERE deleted IS NOT NULL")
