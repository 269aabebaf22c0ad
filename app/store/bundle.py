"""A whole chat on its way in or out: its row, its turns and which of them are shown.

The ids inside are its own. Merging gives the turns ids of the store and finds those that are there
already: a turn is the same if it has the same parent, role and text. So an import that is repeated
adds nothing, and a backup that is older than the chats adds only what was lost since.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from app.store.columns import CHAT_COLUMNS, read_text, text_value
from app.store.rows import ChatRow, TurnRow
from app.store.turn_writes import put_turns


@dataclass(frozen=True, slots=True)
class Bundle:
    """One chat with everything that belongs to it."""

    row: ChatRow
    turns: tuple[TurnRow, ...]  # parents before children
    choices: dict[int, int] = field(default_factory=dict)  # parent (0: none) -> shown child
    folder: str = ""  # its name


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge did."""

    chat: int
    is_new: bool
    new_turns: int


def merge_bundle(
    connection: sqlite3.Connection,
    bundle: Bundle,
    new_chat_id: Callable[[], int],
    new_turn_id: Callable[[], int],
) -> Merged:
    """Add a chat, or to the one that is the same what it lacks; inside a transaction."""
    chat = _same_chat(connection, bundle)
    is_new = chat is None
    if chat is None:
        chat = new_chat_id()
        folder = _folder_id(connection, bundle.folder) if bundle.folder else None
        made = bundle.row.created or bundle.turns[0].created
        row = replace(bundle.row, id=chat, folder=folder, created=made, branched_from=None)
        _insert_chat(connection, row)
    known = {} if is_new else _known_turns(connection, chat)
    ids: dict[int | None, int | None] = {None: None}
    added: list[TurnRow] = []
    for turn in bundle.turns:
        parent = ids.get(turn.parent)
        same = known.get((parent, turn.role, turn.content))
        ids[turn.id] = mapped = new_turn_id() if same is None else same
        if same is None:
            added.append(replace(turn, id=mapped, chat=chat, parent=parent))
    put_turns(connection, added)
    if is_new:
        _insert_choices(connection, chat, bundle, ids)
    return Merged(chat, is_new, len(added))


def _same_chat(connection: sqlite3.Connection, bundle: Bundle) -> int | None:
    """Find the chat that was made at the same moment and began with the same message.

    A chat whose own row was lost has no moment; its first message has.
    """
    if not bundle.turns:
        return None
    first, made = bundle.turns[0], bundle.row.created
    found = connection.execute(
        "SELECT c.id FROM chats c JOIN turns t ON t.chat = c.id WHERE c.deleted IS NULL"
        " AND (? = 0 OR c.created = ?) AND t.parent IS NULL"
        " AND t.created = ? AND t.role = ? AND t.content = ?",
        (made, made, first.created, first.role, text_value(first.content)),
    ).fetchone()
    return int(found[0]) if found else None


def _known_turns(
    connection: sqlite3.Connection, chat: int
) -> dict[tuple[int | None, str, str], int]:
    rows = connection.execute(
        "SELECT id, parent, role, content FROM turns WHERE chat = ? AND deleted IS NULL", (chat,)
    )
    return {
        (parent, read_text(role), read_text(content)): turn for turn, parent, role, content in rows
    }


def _insert_chat(connection: sqlite3.Connection, row: ChatRow) -> None:
    marks = ", ".join("?" * len(CHAT_COLUMNS))
    values = [text_value(getattr(row, name)) for name in CHAT_COLUMNS]
    connection.execute(f"INSERT INTO chats({', '.join(CHAT_COLUMNS)}) VALUES({marks})", values)


def _insert_choices(
    connection: sqlite3.Connection,
    chat: int,
    bundle: Bundle,
    ids: dict[int | None, int | None],
) -> None:
    for parent, child in bundle.choices.items():
        if (not parent or parent in ids) and child in ids:
            connection.execute(
                "INSERT OR REPLACE INTO choices VALUES(?, ?, ?)",
                (chat, ids[parent] if parent else 0, ids[child]),
            )


def _folder_id(connection: sqlite3.Connection, name: str) -> int:
    """Return the folder of this name; make it if there is none."""
    found = connection.execute("SELECT id FROM folders WHERE name = ?", (name,)).fetchone()
    if found is None:
        cursor = connection.execute("INSERT INTO folders(name) VALUES(?)", (text_value(name),))
        return int(cursor.lastrowid or 0)
    return int(found[0])
