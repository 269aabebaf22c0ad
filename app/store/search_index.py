"""The index behind the search: which turns hold which three characters in a row.

FTS5's trigram tokenizer finds Chinese words and parts of code alike, since it knows no words. The
index keeps no positions (``detail = none``): every hit is checked against the text itself, so that
what the index says too much, for turns that changed or are gone, costs a look and never a wrong
answer. Measured over 100,000 turns of 58 MB: 101 MB of index (194 MB with positions), filled at
1,000 to 4,000 turns a second, asked in 0.3 to 43 ms (``tests/bench/chats.py``, 2 busy cores).

Words of one or two characters, the usual Chinese ones, have no trigram of their own: the index's
vocabulary is asked for the trigrams that begin with them. Two line ends behind each text make its
last characters begin one too.
"""

from __future__ import annotations

import sqlite3

from app.store.columns import read_text, text_value
from app.store.turn_text import HAS_TEXT, TEXT_COLUMNS, searched_text

SLICE = 64  # turns in one transaction: about 15 ms, then whoever wants to save has its turn

CONTENT_ALONE = b""  # as ``unindexed.old``: the index holds what the column has now

_MERGED_PAGES = 500  # of the index in one transaction
_PAD = "\n\n"
_TABLES = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS turn_text USING"
    " fts5(text, content = '', tokenize = 'trigram', detail = 'none')",
    "CREATE VIRTUAL TABLE IF NOT EXISTS turn_trigrams USING fts5vocab(turn_text, instance)",
)


def make_index(connection: sqlite3.Connection) -> None:
    """Make the index where there is none.

    Raises:
        sqlite3.OperationalError: this SQLite has no FTS5 or no trigram tokenizer.
    """
    for table in _TABLES:
        connection.execute(table)


def index_slice(connection: sqlite3.Connection) -> int:
    """Bring some turns into the index and return how many still wait."""
    waiting = connection.execute("SELECT turn, old FROM unindexed LIMIT ?", (SLICE,)).fetchall()
    sql = f"SELECT {', '.join(TEXT_COLUMNS)} FROM turns WHERE id = ?"
    for turn, old in waiting:
        row = connection.execute(sql, (turn,)).fetchone()
        held = row[0] if old == CONTENT_ALONE and row is not None else old
        if held:
            connection.execute(
                "INSERT INTO turn_text(turn_text, rowid, text) VALUES('delete', ?, ?)",
                (turn, _padded(held)),
            )
        text = searched_text(*row) if row is not None else ""
        if text:
            connection.execute(
                "INSERT INTO turn_text(rowid, text) VALUES(?, ?)", (turn, _padded(text))
            )
    connection.executemany("DELETE FROM unindexed WHERE turn = ?", [(turn,) for turn, _ in waiting])
    return _waiting(connection)


def merge_steps(connection: sqlite3.Connection, *, starts: bool) -> bool:
    """Drop some of what was deleted from the index's own pages; False when it is done.

    Source: the FTS5 documentation, "The 'merge' Command": a negative number first, to bring
    everything into one merge, then positive ones until fewer than two rows change.
    """
    before = connection.total_changes
    pages = -_MERGED_PAGES if starts else _MERGED_PAGES
    connection.execute("INSERT INTO turn_text(turn_text, rank) VALUES('merge', ?)", (pages,))
    return connection.total_changes - before >= 2


def remake_index(connection: sqlite3.Connection) -> int:
    """Throw a damaged index away; return how many turns wait to be indexed again."""
    connection.execute("DROP TABLE IF EXISTS turn_trigrams")
    connection.execute("DROP TABLE IF EXISTS turn_text")
    make_index(connection)
    connection.execute("DELETE FROM unindexed")
    connection.execute(f"INSERT INTO unindexed(turn) SELECT id FROM turns WHERE {HAS_TEXT}")
    return _waiting(connection)


def _waiting(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM unindexed").fetchone()[0])


def _padded(text: object) -> object:
    return text_value(read_text(text).replace("\0", " ") + _PAD)
