"""The rows of the chat list as Qt's model: what is shown, what it says, where chats may be dropped.

While something is searched for, the turns in which it was said follow the chats whose title has it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import IntEnum

from PySide6.QtCore import (
    QAbstractListModel,
    QByteArray,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from app.language import Language
from app.store.search import SearchHit, SearchResults
from app.store.turn_text import Where
from app.ui.chat_groups import (
    ChatEntry,
    FolderEntry,
    GroupEntry,
    Heading,
    Place,
    Row,
    Shown,
    build_rows,
)
from app.ui.tag_colors import tag_colors
from app.ui.today import Today

Index = QModelIndex | QPersistentModelIndex
CHATS = "application/x-inkstone-chats"
"""The kind of what is dragged: JSON, the ids of chats."""


class RowRole(IntEnum):
    """What a row can be asked besides its text."""

    ENTRY = Qt.ItemDataRole.UserRole + 1  # ChatEntry, or None for any other row
    OPEN = Qt.ItemDataRole.UserRole + 2  # whether it is the open chat


class ChatRows(QAbstractListModel):
    """Headings, groups and chats in one list, the latest chat first under each; then hits."""

    groups_changed = Signal(object)  # keys of the open ones
    dropped = Signal(object, object)  # list of chats, the folder they go into or None for none

    def __init__(self, language: Language, today: Today, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._language, self._today = language, today
        self._entries: list[ChatEntry] = []
        self._folders: tuple[FolderEntry, ...] = ()
        self._rows: list[Row] = []
        self._shown = Shown()
        self._tag_colors: dict[str, str] = {}
        self._searched, self._found = "", SearchResults("", ())
        self._open: int | None = None
        self.hides_others = False  # chats of before lie on disk and are not open here
        language.changed.connect(self._rebuild)
        today.changed.connect(self._rebuild)

    def show_chats(
        self, entries: Iterable[ChatEntry], folders: Sequence[FolderEntry] | None = None
    ) -> None:
        """Replace the chats, and the folders if they are given."""
        self._entries = sorted(entries, key=lambda entry: entry.updated, reverse=True)
        self._folders = self._folders if folders is None else tuple(folders)
        listed = (entry for entry in self._entries if entry.place is not Place.DELETED)
        self._tag_colors = tag_colors(tag for entry in listed for tag in entry.tags)
        self._rebuild()

    def show_only(self, text: str) -> None:
        """Keep the chats whose title has all words of ``text``, whatever the case."""
        self._searched = text.strip()
        self._shown = replace(self._shown, words=tuple(self._searched.casefold().split()))
        if not self._searched:
            self._found = SearchResults("", ())
        self._rebuild()

    def show_tag(self, tag: str) -> None:
        """Keep the chats that have a tag; "" keeps all."""
        self._shown = replace(self._shown, tag=tag)
        self._rebuild()

    def show_found(self, results: SearchResults) -> None:
        """Show what was said about it; until then the hits of the last search stand."""
        if self._searched:
            self._found = results
            self._rebuild()

    def open_group(self, key: str, is_open: bool) -> None:
        """Show the chats of a group, or only how many there are."""
        opened = self._shown.opened | {key} if is_open else self._shown.opened - {key}
        self._shown = replace(self._shown, opened=opened)
        self._rebuild()
        self.groups_changed.emit(tuple(sorted(opened)))

    def show_groups(self, opened: Iterable[str]) -> None:
        """Have these groups open, as they were the last time."""
        self._shown = replace(self._shown, opened=frozenset(opened))
        self._rebuild()

    def tag_color(self, tag: str) -> str:
        """Return the palette's token for a tag."""
        return self._tag_colors.get(tag) or tag_colors([tag])[tag]

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
    def shown_chats(self) -> int:
        """How many chats are listed."""
        return sum(isinstance(row, ChatEntry) for row in self._rows)

    @property
    def nothing(self) -> str:
        """Why there are no rows, in words; empty while the search is under way."""
        if not self._searched:
            return self._language.text("chats-elsewhere" if self.hides_others else "chats-none")
        is_known = self._found.text.strip() == self._searched
        return self._language.text("chats-no-hit", words=self._searched) if is_known else ""

    # --- what a row is ------------------------------------------------------------------------

    def index_of(self, chat: int) -> QModelIndex:
        """Return where a chat stands; invalid where it is not shown."""
        return self._find(lambda row: isinstance(row, ChatEntry) and row.id == chat)

    def index_of_group(self, key: str) -> QModelIndex:
        """Return where a group stands; invalid where it is not shown."""
        return self._find(lambda row: isinstance(row, GroupEntry) and row.key == key)

    def row(self, index: Index) -> Row | None:
        """Return what a row is; None for no row."""
        return self._rows[index.row()] if index.isValid() else None

    def entry(self, index: Index) -> ChatEntry | None:
        """Return the chat of a row; None for any other row."""
        row = self.row(index)
        return row if isinstance(row, ChatEntry) else None

    def group(self, index: Index) -> GroupEntry | None:
        """Return the group of a row; None for any other row."""
        row = self.row(index)
        return row if isinstance(row, GroupEntry) else None

    def where_found(self, turn: int) -> Where:
        """Return in what of a turn the last search found its words."""
        wheres = (hit.where for hit in self._found.hits if hit.turn == turn)
        return next(wheres, Where.SAID)

    def hit(self, index: Index) -> SearchHit | None:
        """Return the turn of a row that a search found; None for any other row."""
        row = self.row(index)
        return row if isinstance(row, SearchHit) else None

    def is_inside(self, index: Index) -> bool:
        """Say whether a chat stands in an open group, and so a step to the right."""
        entry = self.entry(index)
        if entry is None or entry.pinned or self._shown.is_narrowed:
            return False
        in_folder = any(folder.id == entry.folder for folder in self._folders)
        return in_folder if entry.place is Place.LIST else entry.place is not Place.TEMPORARY

    def first(self) -> QModelIndex:
        """Return the first row that can be chosen; invalid where there is none."""
        return self._find(lambda row: not isinstance(row, Heading))

    def _find(self, is_it: Callable[[Row], bool]) -> QModelIndex:
        return self.index(next((n for n, row in enumerate(self._rows) if is_it(row)), -1))

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
                return self.title(row)
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._spoken(row)
            case Qt.ItemDataRole.EditRole:
                return entry.title if entry is not None else self.title(row)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let rows be chosen, chats and folders be renamed, chats be dragged into folders."""
        able = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        match self.row(index):
            case ChatEntry(place=Place.DELETED) | SearchHit():
                return able
            case ChatEntry(place=Place.TEMPORARY):
                return able | Qt.ItemFlag.ItemIsEditable
            case ChatEntry():
                return able | Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsDragEnabled
            case GroupEntry(place=Place.LIST):
                return able | Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsDropEnabled
            case GroupEntry():
                return able
        return Qt.ItemFlag.NoItemFlags

    def mimeTypes(self) -> list[str]:
        """Return what may be dropped here: chats."""
        return [CHATS]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Return the chats of some rows as what is dragged."""
        chats = [entry.id for index in indexes if (entry := self.entry(index)) is not None]
        data = QMimeData()
        data.setData(CHATS, QByteArray(json.dumps(chats).encode()))
        return data

    def supportedDropActions(self) -> Qt.DropAction:
        """Return what dropping does: it moves."""
        return Qt.DropAction.MoveAction

    def drop(self, data: QMimeData, index: Index) -> None:
        """Put dragged chats into the folder of a row; beside the folders they are in none."""
        group, entry = self.group(index), self.entry(index)
        folder = group.folder if group is not None else None
        if entry is not None and self.is_inside(index) and entry.place is Place.LIST:
            folder = entry.folder
        self.dropped.emit(json.loads(bytes(data.data(CHATS).data())), folder or None)

    def title(self, row: Row) -> str:
        """Return a row's words on one line; a chat without a title has a name all the same."""
        match row:
            case Heading(text=text):
                return text
            case GroupEntry(name=name):
                return " ".join(name.split())
            case _:
                return " ".join(row.title.split()) or self._language.text("chat-untitled")

    def _spoken(self, row: Row) -> str:
        """Return a row in words: what stands out on the screen is said."""
        said = self._named(row)
        is_open = isinstance(row, ChatEntry) and row.id == self._open
        return self._language.text("chat-spoken-open", title=said) if is_open else said

    def _named(self, row: Row) -> str:
        text, title = self._language.text, self.title(row)
        match row:
            case SearchHit(snippet=snippet, where=Where.THOUGHT):
                return text("chat-hit-thought", title=title, words=snippet)
            case SearchHit(snippet=snippet, where=Where.FILE, file=file):
                return text("chat-hit-file", title=title, words=snippet, file=file)
            case SearchHit(snippet=snippet):
                return f"{title}: {snippet}"
            case GroupEntry(chats=chats, is_open=is_open):
                state = text("group-open" if is_open else "group-closed")
                return text("group-spoken", name=title, chats=chats, state=state)
            case ChatEntry(tags=tags) if tags:
                return text("chat-spoken-tags", title=title, tags=", ".join(tags))
            case _:
                return title

    def _rebuild(self) -> None:
        self.beginResetModel()
        day, text = self._today.date, self._language.text
        self._rows = build_rows(self._entries, self._folders, self._shown, day, text)
        self._rows += self._hits()
        self.endResetModel()

    def _hits(self) -> list[Row]:
        """Return the turns found under their heading, and what was not looked through or shown."""
        found, text = self._found, self._language.text
        rows: list[Row] = [*found.hits]
        if rows:
            rows.insert(0, Heading(text("chats-said")))
        if found.has_more:
            rows.append(Heading(text("chats-more-hits", hits=len(found.hits))))
        if found.unindexed and self._searched:
            rows.append(Heading(text("chats-unindexed", turns=found.unindexed)))
        return rows
