"""The rows of the chat list: chats under the headings of their day, filtered by what is typed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import IntEnum

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.language import Language

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class ChatEntry:
    """What the list shows of a chat."""

    id: int
    title: str
    updated: datetime  # aware
    pinned: bool = False
    answering: bool = False


class RowRole(IntEnum):
    """What a row can be asked besides its text."""

    ENTRY = Qt.ItemDataRole.UserRole + 1  # ChatEntry, or None for a heading
    OPEN = Qt.ItemDataRole.UserRole + 2  # whether it is the open chat


def heading_id(entry: ChatEntry, today: date) -> str:
    """Return the text id of the heading that a chat belongs under."""
    day = entry.updated.astimezone().date()
    if entry.pinned:
        return "chats-pinned"
    if day >= today:
        return "chats-today"
    if day == today - timedelta(days=1):
        return "chats-yesterday"
    if day > today - timedelta(days=7):
        return "chats-week"
    return "chats-earlier"


_HEADINGS = ("chats-pinned", "chats-today", "chats-yesterday", "chats-week", "chats-earlier")


class ChatRows(QAbstractListModel):
    """Headings and chats in one list; the latest chat first under each heading."""

    def __init__(self, language: Language, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._entries: list[ChatEntry] = []
        self._rows: list[str | ChatEntry] = []
        self._filter: list[str] = []
        self._open: int | None = None
        language.changed.connect(self._rebuild)

    def show_chats(self, entries: Iterable[ChatEntry]) -> None:
        """Replace the chats."""
        self._entries = sorted(entries, key=lambda entry: entry.updated, reverse=True)
        self._rebuild()

    def show_only(self, text: str) -> None:
        """Keep the chats whose title has all words of ``text``, whatever the case."""
        self._filter = text.casefold().split()
        self._rebuild()

    def mark_open(self, chat: int | None) -> None:
        """Mark the open chat."""
        if chat != self._open:
            self._open = chat
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    @property
    def is_filtered(self) -> bool:
        """Whether something is searched for."""
        return bool(self._filter)

    def index_of(self, chat: int) -> QModelIndex:
        """Return where a chat stands; invalid where it is filtered out."""
        for number, row in enumerate(self._rows):
            if isinstance(row, ChatEntry) and row.id == chat:
                return self.index(number)
        return QModelIndex()

    def entry(self, index: Index) -> ChatEntry | None:
        """Return the chat of a row; None for a heading or no row."""
        row = self._rows[index.row()] if index.isValid() else None
        return row if isinstance(row, ChatEntry) else None

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of rows; rows have no children."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a row's words, its chat, or whether it is open."""
        row = self._rows[index.row()]
        entry = row if isinstance(row, ChatEntry) else None
        if role == RowRole.ENTRY:
            return entry
        if role == RowRole.OPEN:
            return entry is not None and entry.id == self._open
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.title(entry) if entry is not None else self._language.text(str(row))
        if role == Qt.ItemDataRole.EditRole and entry is not None:
            return entry.title
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let chats be chosen and renamed; headings are only read."""
        if self.entry(index) is None:
            return Qt.ItemFlag.NoItemFlags
        able = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return able | Qt.ItemFlag.ItemIsEditable

    def title(self, entry: ChatEntry) -> str:
        """Return a chat's title on one line; a chat without one has a name all the same."""
        return " ".join(entry.title.split()) or self._language.text("chat-untitled")

    def _rebuild(self) -> None:
        today = datetime.now().astimezone().date()
        groups: dict[str, list[ChatEntry]] = {heading: [] for heading in _HEADINGS}
        for entry in self._entries:
            title = self.title(entry).casefold()
            if all(word in title for word in self._filter):
                groups[heading_id(entry, today)].append(entry)
        self.beginResetModel()
        self._rows = []
        for heading, members in groups.items():
            self._rows += [heading, *members] if members else []
        self.endResetModel()
