"""Replies that were being written when the program ended: their pieces become their text."""

from __future__ import annotations

import sqlite3

from app.store.columns import read_text, text_value
from app.store.database import Database

_COLUMNS = {"answer": "content", "reasoning": "reasoning", "tool_call": "tool_calls"}


def recover_interrupted(database: Database) -> None:
    """Fold the pieces of unfinished replies into their turns and mark them as interrupted."""
    if database.read("SELECT 1 FROM turns WHERE state = 'streaming' LIMIT 1"):
        database.write(_fold_all)
        database.flush()


def _fold_all(connection: sqlite3.Connection) -> None:
    unfinished = connection.execute("SELECT id FROM turns WHERE state = 'streaming'").fetchall()
    for (turn,) in unfinished:
        _fold(connection, turn)
    connection.execute("DELETE FROM pieces")


def _fold(connection: sqlite3.Connection, turn: int) -> None:
    pieces = connection.execute(
        "SELECT channel, text FROM pieces WHERE turn = ? ORDER BY id", (turn,)
    ).fetchall()
    for channel, column in _COLUMNS.items():
        new = "".join(read_text(text) for name, text in pieces if name == channel)
        if new:
            sql = f"SELECT {column} FROM turns WHERE id = ?"
            before = read_text(connection.execute(sql, (turn,)).fetchone()[0])
            connection.execute(
                f"UPDATE turns SET {column} = ? WHERE id = ?", (text_value(before + new), turn)
            )
    # ids that were kept belong to the text without its new pieces: the engine tokenizes anew
    connection.execute("UPDATE turns SET state = 'interrupted', ids = NULL WHERE id = ?", (turn,))
