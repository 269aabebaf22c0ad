"""Reading another database of ours: a backup, an older copy, or one that is damaged.

Whatever can be read is; rows on damaged pages are counted and left out. Nothing is written into it.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.store.bundle import Bundle
from app.store.columns import (
    CHAT_COLUMNS,
    TURN_COLUMNS,
    chat_row,
    decode_text,
    read_number,
    read_text,
    turn_row,
    unpack_ids,
)
from app.store.faults import StoreError, StoreFaultKind, Unreadable
from app.store.rows import ChatRow, TurnRow
from app.store.schema import refuse_newer


@dataclass(frozen=True, slots=True)
class ForeignChats:
    """What was read."""

    bundles: tuple[Bundle, ...]
    lost_turns: int = 0  # rows that are there and could not be read


def read_database(path: Path) -> ForeignChats:
    """Read all chats of a database file, as far as they can be read.

    Raises:
        StoreError: IMPORT_UNREADABLE, when nothing of it can be; NEWER.
    """
    with _copied(path) as copy, closing(sqlite3.connect(copy)) as connection:
        connection.text_factory = decode_text
        try:
            connection.execute("SELECT name FROM sqlite_schema").fetchall()  # a database at all?
            refuse_newer(connection, str(path))
            return read_connection(connection)
        except sqlite3.DatabaseError as error:
            raise _unreadable(path, Unreadable.DAMAGED) from error


def read_connection(connection: sqlite3.Connection) -> ForeignChats:
    """Read all chats of an open database, as far as they can be read.

    Raises:
        sqlite3.DatabaseError: nothing can be.
    """
    turns, lost = _turns(connection)
    return ForeignChats(_bundles(connection, turns), lost)


@contextmanager
def _copied(path: Path) -> Iterator[Path]:
    """Work on a copy with its log: opening a database may write into it."""
    with tempfile.TemporaryDirectory(prefix="inkstone-") as folder:
        copy = Path(folder) / "chats.db"
        try:
            shutil.copyfile(path, copy)
            log = path.with_name(path.name + "-wal")
            if log.exists():
                shutil.copyfile(log, copy.with_name(copy.name + "-wal"))
        except OSError as error:
            raise _unreadable(path, Unreadable.REFUSED) from error
        yield copy


def _unreadable(path: Path, reason: Unreadable) -> StoreError:
    return StoreError(StoreFaultKind.IMPORT_UNREADABLE, path=str(path), reason=reason.value)


def _turns(connection: sqlite3.Connection) -> tuple[dict[int, list[TurnRow]], int]:
    """Read turns by chat, in the order of their ids, one at a time where it must be."""
    fields = _known_fields(connection)
    rows, lost = _read_rows(connection, f"SELECT {fields}, ids FROM turns", "turns", "id")
    turns: dict[int, list[TurnRow]] = {}
    for row in rows:
        turn = replace(turn_row(row[:-1]), ids=unpack_ids(row[-1]))
        if turn.state == "streaming":
            turn = replace(turn, state="interrupted", ids=())
        turns.setdefault(turn.chat, []).append(turn)
    return turns, lost


def _known_fields(connection: sqlite3.Connection) -> str:
    """Return the columns to read: what an older program did not know is empty."""
    known = {row[1] for row in connection.execute("PRAGMA table_info(turns)")}
    return ", ".join(name if name in known else f"'' AS {name}" for name in TURN_COLUMNS)


def _read_rows(
    connection: sqlite3.Connection, select: str, table: str, key: str
) -> tuple[list[tuple[Any, ...]], int]:
    alive = f"{select} WHERE deleted IS NULL"
    try:
        return connection.execute(f"{alive} ORDER BY {key}").fetchall(), 0
    except sqlite3.DatabaseError:
        pass
    rows: list[tuple[Any, ...]] = []
    lost = 0
    for number in _ids(connection, table):
        try:
            rows += connection.execute(f"{alive} AND {key} = ?", (number,)).fetchall()
        except sqlite3.DatabaseError:
            lost += 1
    return rows, lost


def _ids(connection: sqlite3.Connection, table: str) -> Sequence[int]:
    """Return the ids of a damaged table: from an index, else by trying."""
    if table == "turns":
        try:
            sql = "SELECT id FROM turns INDEXED BY turns_by_chat WHERE deleted IS NULL ORDER BY id"
            return [row[0] for row in connection.execute(sql).fetchall()]
        except sqlite3.DatabaseError:
            pass
    return range(1, _largest(connection, table) + 1)


def _largest(connection: sqlite3.Connection, table: str) -> int:
    """Return the largest id, or a bound when the last page is the damaged one."""
    try:
        return int(connection.execute(f"SELECT max(rowid) FROM {table}").fetchone()[0] or 0)
    except sqlite3.DatabaseError:
        return _IDS_TRIED


_IDS_TRIED = 50_000  # a second, where neither an index nor the last page is left


def _bundles(connection: sqlite3.Connection, turns: dict[int, list[TurnRow]]) -> tuple[Bundle, ...]:
    select = f"SELECT {', '.join(CHAT_COLUMNS)}, 0 FROM chats"
    rows, _ = _read_rows(connection, select, "chats", "id")
    chats = {row.id: row for row in map(chat_row, rows)}
    for chat, of_chat in turns.items():  # chats whose own row is lost keep their turns
        chats.setdefault(chat, ChatRow(chat, updated=of_chat[-1].created))
    folders = _pairs(connection, "SELECT id, name FROM folders")
    return tuple(
        Bundle(
            row,
            _rooted(turns[row.id]),
            _choices(connection, row.id),
            folders.get(row.folder or 0, ""),
        )
        for row in chats.values()
        if turns.get(row.id)
    )


def _rooted(turns: Sequence[TurnRow]) -> tuple[TurnRow, ...]:
    """Hang turns whose parent is lost under the turn before them."""
    known: set[int] = set()
    rooted: list[TurnRow] = []
    for turn in turns:
        stays = turn.parent is None or turn.parent in known
        rooted.append(turn if stays else replace(turn, parent=rooted[-1].id if rooted else None))
        known.add(turn.id)
    return tuple(rooted)


def _choices(connection: sqlite3.Connection, chat: int) -> dict[int, int]:
    try:
        sql = "SELECT parent, child FROM choices WHERE chat = ?"
        return dict(connection.execute(sql, (chat,)).fetchall())
    except sqlite3.DatabaseError:
        return {}


def _pairs(connection: sqlite3.Connection, sql: str) -> dict[int, str]:
    try:
        rows = connection.execute(sql).fetchall()
    except sqlite3.DatabaseError:
        return {}
    return {read_number(number) or 0: read_text(name) for number, name in rows}
