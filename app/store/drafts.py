"""What was typed and not sent, and the whole text of the files that wait with it."""

from __future__ import annotations

import sqlite3

from app.store.columns import queue_text, read_queue, read_text, text_value
from app.store.database import Database
from app.store.rows import Draft

MOST_BYTES = 32_000_000  # of one chat's waiting files, packed; past it only what is chosen is kept


def read_draft(database: Database, chat: int) -> Draft:
    """Return what was typed in a chat and not sent."""
    rows = database.read(
        "SELECT text, queued, attachments, begins FROM drafts WHERE chat = ?", (chat,)
    )
    if not rows:
        return Draft()
    text, queued, attachments, begins = rows[0]
    waiting, files = read_queue(queued), read_text(attachments)
    return Draft(read_text(text), waiting, files, begins=read_text(begins))


def write_draft(connection: sqlite3.Connection, chat: int, draft: Draft) -> None:
    """Keep what is typed in a chat, and the documents that it names; an empty one takes no row."""
    if draft == Draft():
        connection.execute("DELETE FROM drafts WHERE chat = ?", (chat,))
        connection.execute("DELETE FROM draft_documents WHERE chat = ?", (chat,))
        return
    values = (chat, draft.text, queue_text(draft.queued), draft.attachments, draft.begins)
    connection.execute(
        "INSERT OR REPLACE INTO drafts(chat, text, queued, attachments, begins)"
        " VALUES(?, ?, ?, ?, ?)",
        [text_value(value) for value in values],
    )
    marks = ", ".join("?" * len(draft.documents))
    connection.execute(
        f"DELETE FROM draft_documents WHERE chat = ? AND name NOT IN ({marks})",
        (chat, *draft.documents),
    )


def write_document(connection: sqlite3.Connection, chat: int, name: str, packed: bytes) -> None:
    """Keep a file's whole text beside a chat's draft, as far as there is room for it."""
    (held,) = connection.execute(
        "SELECT coalesce(sum(length(document)), 0) FROM draft_documents WHERE chat = ?", (chat,)
    ).fetchone()
    if held + len(packed) <= MOST_BYTES:
        connection.execute(
            "INSERT OR IGNORE INTO draft_documents(chat, name, document) VALUES(?, ?, ?)",
            (chat, name, packed),
        )


def read_document(database: Database, chat: int, name: str) -> bytes | None:
    """Return a file's whole text as it was kept, or None.

    A damaged page costs the choice, not the draft.
    """
    try:
        rows = database.read(
            "SELECT document FROM draft_documents WHERE chat = ? AND name = ?", (chat, name)
        )
    except sqlite3.DatabaseError:
        return None
    return rows[0][0] if rows and isinstance(rows[0][0], bytes) else None
