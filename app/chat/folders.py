"""The folders of the list of chats, as the window changes them."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.store.chat_folders import ChatFolders, FolderRow
from app.store.database import Database


class Folders(QObject):
    """The folders; which chat is in which is ``ChatLibrary``'s."""

    changed = Signal()
    deleted = Signal(int)  # folder: its chats are in none now

    def __init__(self, database: Database, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = ChatFolders(database)
        self._rows: list[FolderRow] = []
        self.reload()

    def all(self) -> list[FolderRow]:
        """Return the folders in the order in which they are shown."""
        return list(self._rows)

    def add(self, name: str) -> FolderRow:
        """Make a folder at the end of the list."""
        row = FolderRow(
            max((row.id for row in self._rows), default=0) + 1,
            " ".join(name.split()),
            max((row.position for row in self._rows), default=0) + 1,
        )
        self._rows.append(row)
        self._put(row)
        return row

    def rename(self, folder: int, name: str) -> None:
        """Give a folder another name."""
        for place, row in enumerate(self._rows):
            if row.id == folder:
                self._rows[place] = replace(row, name=" ".join(name.split()))
                self._put(self._rows[place])

    def delete(self, folder: int) -> None:
        """Delete a folder; its chats stay."""
        self._rows = [row for row in self._rows if row.id != folder]
        self._store.delete(folder)
        self.deleted.emit(folder)
        self.changed.emit()

    def reload(self) -> None:
        """Read the folders again, after an import may have made some."""
        self._rows = self._store.all()
        self.changed.emit()

    def _put(self, row: FolderRow) -> None:
        self._store.put(row)
        self.changed.emit()
