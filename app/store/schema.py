"""The tables, as a list of migrations: ``user_version`` says how many of them a file has had.

Never edit a migration that was released; add one. Each runs in one transaction with the change of
``user_version``, so a kill in the middle leaves the older, whole schema.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from app.store.faults import StoreError, StoreFaultKind

# Why these shapes:
# - turns_by_chat covers the tree's skeleton, so that a turn whose own page is damaged still has its
#   place among the others;
# - choices says which of several versions is shown, and only where that is not the newest;
# - drafts is a table of its own, so that typing never rewrites a chat's row.
_FIRST = """
CREATE TABLE chats(
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL DEFAULT '',
    title_by TEXT NOT NULL DEFAULT '',
    created INTEGER NOT NULL DEFAULT 0,
    updated INTEGER NOT NULL DEFAULT 0,
    folder INTEGER,
    pinned INTEGER NOT NULL DEFAULT 0,
    archived INTEGER NOT NULL DEFAULT 0,
    tags TEXT NOT NULL DEFAULT '',
    options TEXT NOT NULL DEFAULT '',
    branched_from INTEGER,
    deleted INTEGER
);
CREATE TABLE turns(
    id INTEGER PRIMARY KEY,
    chat INTEGER NOT NULL,
    parent INTEGER,
    role TEXT NOT NULL,
    state TEXT NOT NULL,
    created INTEGER NOT NULL DEFAULT 0,
    deleted INTEGER,
    model TEXT NOT NULL DEFAULT '',
    figures TEXT NOT NULL DEFAULT '',
    fault TEXT NOT NULL DEFAULT '',
    content TEXT NOT NULL DEFAULT '',
    reasoning TEXT NOT NULL DEFAULT '',
    tool_calls TEXT NOT NULL DEFAULT '',
    ids BLOB
);
CREATE INDEX turns_by_chat ON turns(chat, deleted, id, parent, role, created);
CREATE INDEX turns_streaming ON turns(id) WHERE state = 'streaming';
CREATE INDEX turns_deleted ON turns(deleted) WHERE deleted IS NOT NULL;
CREATE TABLE choices(
    chat INTEGER NOT NULL, parent INTEGER NOT NULL, child INTEGER NOT NULL,
    PRIMARY KEY(chat, parent)
) WITHOUT ROWID;
CREATE TABLE drafts(
    chat INTEGER PRIMARY KEY, text TEXT NOT NULL DEFAULT '', queued TEXT NOT NULL DEFAULT ''
);
"""

# unindexed: turns whose words the search index does not know yet; ``old`` is the text that it still
# holds for them, which has to be given back to take it out. The index itself is made by
# search_index.py, because it can be thrown away and made again.
_SEARCH_AND_FOLDERS = """
CREATE TABLE unindexed(turn INTEGER PRIMARY KEY, old TEXT);
INSERT INTO unindexed(turn) SELECT id FROM turns WHERE content <> '';
CREATE TABLE folders(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT '', position INTEGER NOT NULL DEFAULT 0
);
"""

# Files that go with a message, as JSON with their text: read with their turn or not at all.
_ATTACHMENTS = """
ALTER TABLE turns ADD COLUMN attachments TEXT NOT NULL DEFAULT '';
ALTER TABLE drafts ADD COLUMN attachments TEXT NOT NULL DEFAULT '';
"""

# Thoughts and files are searched, too: their turns wait to be indexed again. An empty BLOB as
# ``old`` says that the index holds the turn's content as it is now, without a copy of all of it.
_SEARCH_IN_ALL = """
INSERT OR IGNORE INTO unindexed(turn, old)
    SELECT id, x'' FROM turns WHERE reasoning <> '' OR attachments <> '';
"""

# The whole text of the files of a draft, of which it holds what was chosen: written once, not with
# every key that is typed.
_DRAFT_DOCUMENTS = """
CREATE TABLE draft_documents(
    chat INTEGER NOT NULL, name TEXT NOT NULL, document BLOB NOT NULL, PRIMARY KEY(chat, name)
);
"""

# How the reply to a draft has to begin.
_BEGINNINGS = """
ALTER TABLE drafts ADD COLUMN begins TEXT NOT NULL DEFAULT '';
"""

MIGRATIONS: tuple[str, ...] = (
    _FIRST,
    _SEARCH_AND_FOLDERS,
    _ATTACHMENTS,
    _SEARCH_IN_ALL,
    _DRAFT_DOCUMENTS,
    _BEGINNINGS,
)


def migrate(connection: sqlite3.Connection, path: str) -> None:
    """Bring a database up to date.

    Raises:
        StoreError: NEWER, when the file knows more migrations than this program.
        sqlite3.Error: as SQLite reports it.
    """
    for version in range(refuse_newer(connection, path), len(MIGRATIONS)):
        _apply(connection, MIGRATIONS[version], version + 1)


def refuse_newer(connection: sqlite3.Connection, path: str) -> int:
    """Return how many migrations a database has had.

    Raises:
        StoreError: NEWER, when it knows more of them than this program.
        sqlite3.Error: as SQLite reports it.
    """
    found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if found > len(MIGRATIONS):
        raise StoreError(StoreFaultKind.NEWER, path=path, found=found, known=len(MIGRATIONS))
    return found


def schema_of(path: Path) -> int:
    """Return how many migrations the database in a file has had; 0 where there is none.

    Nothing is written: a newer program's log is left for it to bring in.

    Raises:
        sqlite3.Error: as SQLite reports it.
    """
    if not path.is_file() or path.stat().st_size == 0:
        return 0
    uri = f"{path.resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _apply(connection: sqlite3.Connection, script: str, version: int) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in _statements(script):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute("COMMIT")
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> list[str]:
    """Split a script at the semicolons that end statements (a trigger's inner ones do not)."""
    statements: list[str] = []
    text = ""
    for line in script.splitlines(keepends=True):
        text += line
        if sqlite3.complete_statement(text):
            statements.append(text)
            text = ""
    return statements
