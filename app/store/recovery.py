"""Replies that were being written when the program ended: their pieces become their text."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from app.store.columns import read_text, text_value
from app.store.database import Database
from app.store.reply_journal import Piece, ReplyJournal, extend
from app.store.turn_writes import note_change

_COLUMNS = {"answer": "content", "reasoning": "reasoning", "tool_call": "tool_calls"}


def recover_interrupted(database: Database, journal: ReplyJournal) -> None:
    """Put journaled text into its turns and mark unfinished turns as interrupted."""
    if not database.read("SELECT 1 FROM turns WHERE state = 'streaming' LIMIT 1"):
        return
    pieces = journal.read()
    database.write(lambda c: _fold_all(c, pieces), after=lambda: journal.close(empty=True))
    database.flush()


def _fold_all(connection: sqlite3.Connection, pieces: Mapping[int, list[Piece]]) -> None:
    unfinished = connection.execute("SELECT id FROM turns WHERE state = 'streaming'").fetchall()
    for (turn,) in unfinished:
        # ids that were kept belong to the text without its pieces: the engine tokenizes anew
        values: dict[str, object] = {"state": "interrupted", "ids": None}
        values |= _grown(connection, turn, pieces.get(turn, []))
        note_change(connection, turn, values)
        names = ", ".join(f"{name} = ?" for name in values)
        connection.execute(f"UPDATE turns SET {names} WHERE id = ?", (*values.values(), turn))


def _grown(connection: sqlite3.Connection, turn: int, pieces: Sequence[Piece]) -> dict[str, object]:
    """Return what the columns of a turn hold with its pieces."""
    grown: dict[str, object] = {}
    for channel, column in _COLUMNS.items():
        new = [piece for piece in pieces if piece.channel == channel]
        if new:
            sql = f"SELECT {column} FROM turns WHERE id = ?"
            before = read_text(connection.execute(sql, (turn,)).fetchone()[0])
            grown[column] = text_value(extend(before, new))
    return grown
