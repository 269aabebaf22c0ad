"""The folders that chats are put into."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from app.store.columns import read_number, read_text, text_value
from app.store.database import Database


@dataclass(frozen=True, slots=True)
class FolderRow:
    """A folder in the list of chats."""

    id: int
    name: str
    position: int = 0


class ChatFolders:
    """The folders of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[FolderRow]:
        """Return the folders in the order in which they are shown."""
        rows = self._database.read("SELECT id, name, position FROM folders ORDER BY position, id")
        return [
            FolderRow(folder, read_text(name), read_number(position) or 0)
            for folder, name, position in rows
        ]

    def put(self, row: FolderRow) -> int:
        """Add a folder, or change it."""
        values = (row.id, text_value(row.name), row.position)

        def operation(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT OR REPLACE INTO folders VALUES(?, ?, ?)", values)

        return self._database.write(operation)

    def delete(self, folder: int) -> int:
        """Delete a folder; its chats stay, in none."""

        def operation(connection: sqlite3.Connection) -> None:
            connection.execute("UPDATE chats SET folder = NULL WHERE folder = ?", (folder,))
            connection.execute("DELETE FROM folders WHERE id = ?", (folder,))

        return self._database.write(operation)
