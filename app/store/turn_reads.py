"""Reading turns from a file that may be damaged: a page that is lost costs what lies on it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from app.store.columns import TURN_FIELDS, read_number, read_text, turn_row
from app.store.database import Database
from app.store.rows import LOST, TurnRow

_MOST_VALUES = 500  # in one query; SQLite's own limit was 999 for long


def read_turns(database: Database, ids: Sequence[int]) -> list[TurnRow]:
    """Return turns without their token ids, in this order.

    One whose page cannot be read comes back as LOST, with its place in the tree.
    """
    found: dict[int, TurnRow] = {}
    try:
        for start in range(0, len(ids), _MOST_VALUES):
            some = ids[start : start + _MOST_VALUES]
            marks = ", ".join("?" * len(some))
            sql = f"SELECT {TURN_FIELDS} FROM turns WHERE id IN ({marks})"
            found |= {row[0]: turn_row(row) for row in database.read(sql, some)}
    except sqlite3.DatabaseError:
        return [_turn_or_lost(database, turn) for turn in ids]
    return [found[turn] for turn in ids if turn in found]


def chat_of_turn(database: Database, turn: int) -> int | None:
    """Return the chat that a turn is in; None where there is no such turn, or it is lost."""
    try:
        rows = database.read("SELECT chat FROM turns WHERE id = ?", (turn,))
    except sqlite3.DatabaseError:
        return None
    return read_number(rows[0][0]) if rows else None


def _turn_or_lost(database: Database, turn: int) -> TurnRow:
    """Read one row from a damaged file; the index knows the place of one that is lost."""
    try:
        sql = f"SELECT {TURN_FIELDS} FROM turns WHERE id = ?"
        return turn_row(database.read(sql, (turn,))[0])
    except sqlite3.DatabaseError:
        sql = (
            "SELECT chat, parent, role, created FROM turns INDEXED BY turns_by_chat"
            " WHERE id = ? LIMIT 1"
        )
        chat, parent, role, created = database.read(sql, (turn,))[0]
        place = read_number(parent)
        return TurnRow(turn, chat, place, read_text(role), state=LOST, created=created)
