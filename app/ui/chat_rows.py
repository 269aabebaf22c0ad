"""The rows of the chat list: chats under the headings of their day, filtered by what is typed.

While something is searched for, the turns in which it was said follow the chats whose title has it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import IntEnum

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.language import Language
from app.store.search import SearchHit, SearchResults

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
    """Headings and chats in one list, the latest chat first under each heading; then hits."""

    def __init__(self, language: Language, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._entries: list[ChatEntry] = []
        self._rows: list[str | ChatEntry | SearchHit] = []
        self._searched = ""
        self._found = SearchResults("", ())
        self._open: int | None = None
        language.changed.connect(self._rebuild)

    def show_chats(self, entries: Iterable[ChatEntry]) -> None:
        """Replace the chats."""
        self._entries = sorted(entries, key=lambda entry: entry.updated, reverse=True)
        self._rebuild()

    def show_only(self, text: str) -> None:
        """Keep the chats whose title has all words of ``text``, whatever the case."""
        self._searched = text.strip()
        if not self._searched:
            self._found = SearchResults("", ())
        self._rebuild()

    def show_found(self, results: SearchResults) -> None:
        """Show what was said about it; until then the hits of the last search stand."""
        if self._searched:
            self._found = results
            self._rebuild()

    def mark_open(self, chat: int | None) -> None:
        """Mark the open chat."""
        if chat != self._open:
            self._open = chat
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    @property
    def is_filtered(self) -> bool:
        """Whether something is searched for."""
        return bool(self._searched)

    @property
    def nothing(self) -> str:
        """Why there are no rows, in words; empty while the search is under way."""
        if not self._searched:
            return self._language.text("chats-none")
        is_known = self._found.text.strip() == self._searched
        return self._language.text("chats-no-hit", words=self._searched) if is_known else ""

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

    def hit(self, index: Index) -> SearchHit | None:
        """Return the turn of a row that a search found; None for any other row."""
        row = self._rows[index.row()] if index.isValid() else None
        return row if isinstance(row, SearchHit) else None

    def first(self) -> QModelIndex:
        """Return the first row that can be chosen; invalid where there is none."""
        rows = (n for n, row in enumerate(self._rows) if not isinstance(row, str))
        return self.index(next(rows, -1))

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of rows; rows have no children."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a row's words, its chat, or whether it is open."""
        row = self._rows[index.row()]
        entry = row if isinstance(row, ChatEntry) else None
        match role:
            case RowRole.ENTRY:
                return entry
            case RowRole.OPEN:
                return entry is not None and entry.id == self._open
            case Qt.ItemDataRole.DisplayRole:
                return row if isinstance(row, str) else self.title(row)
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._spoken(row)
            case Qt.ItemDataRole.EditRole if entry is not None:
                return entry.title
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let chats and hits be chosen, chats be renamed; headings are only read."""
        able = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if self.hit(index) is not None:
            return able
        if self.entry(index) is not None:
            return able | Qt.ItemFlag.ItemIsEditable
        return Qt.ItemFlag.NoItemFlags

    def title(self, row: ChatEntry | SearchHit) -> str:
        """Return a chat's title on one line; a chat without one has a name all the same."""
        return " ".join(row.title.split()) or self._language.text("chat-untitled")

    def _spoken(self, row: str | ChatEntry | SearchHit) -> str:
        if isinstance(row, SearchHit):
            return f"{self.title(row)}: {row.snippet}"
        return row if isinstance(row, str) else self.title(row)

    def _rebuild(self) -> None:
        today = datetime.now().astimezone().date()
        words = self._searched.casefold().split()
        groups: dict[str, list[ChatEntry]] = {heading: [] for heading in _HEADINGS}
        for entry in self._entries:
            title = self.title(entry).casefold()
            if all(word in title for word in words):
                groups[heading_id(entry, today)].append(entry)
        self.beginResetModel()
        self._rows = []
        for heading, members in groups.items():
            self._rows += [self._language.text(heading), *members] if members else []
        self._rows += self._hits()
        self.endResetModel()

    def _hits(self) -> list[str | SearchHit]:
        """Return the turns found under their heading, and what was not looked through or shown."""
        found, text = self._found, self._language.text
        rows: list[str | SearchHit] = [*found.hits]
        if rows:
            rows.insert(0, text("chats-said"))
        if found.has_more:
            rows.append(text("chats-more-hits", hits=len(found.hits)))
        if found.unindexed and self._searched:
            rows.append(text("chats-unindexed", turns=found.unindexed))
        return rows
