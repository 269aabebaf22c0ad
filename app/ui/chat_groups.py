"""What the list of chats is made of: chats, groups that open, headings, and their order.

A folder, the archive and what was deleted are groups: a row that shows how many chats it has, and
them below it while it is open. While something is searched for, or one tag is chosen, there are no
folders: every chat that matches stands under its day.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum

from app.store.search import SearchHit


class Place(StrEnum):
    """Where a chat is shown."""

    LIST = "list"  # under its day, or in its folder
    TEMPORARY = "temporary"
    ARCHIVE = "archive"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class ChatEntry:
    """What the list shows of a chat."""

    id: int
    title: str
    updated: datetime  # aware
    pinned: bool = False
    answering: bool = False
    folder: int | None = None
    tags: tuple[str, ...] = ()
    place: Place = Place.LIST


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """A folder, as it is handed to the list."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class GroupEntry:
    """A row that opens: a folder, the archive, or what was deleted."""

    place: Place  # LIST for a folder
    name: str
    chats: int
    is_open: bool
    folder: int = 0

    @property
    def key(self) -> str:
        """What tells it from other groups."""
        return f"folder-{self.folder}" if self.place is Place.LIST else self.place.value


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; ``adds`` says that it carries the button for a new folder."""

    text: str
    adds: bool = False


Row = Heading | GroupEntry | ChatEntry | SearchHit
_HEADINGS = ("chats-pinned", "chats-today", "chats-yesterday", "chats-week", "chats-earlier")


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown of the chats: the words and the tag they must have, the groups that are open.

    Attributes:
        words: lower-case words that a title must have.
        tag: that a chat must have, or "" for any.
        opened: keys of the open groups.
    """

    words: tuple[str, ...] = ()
    tag: str = ""
    opened: frozenset[str] = field(default_factory=frozenset)

    @property
    def is_narrowed(self) -> bool:
        """Whether only some of the chats are wanted."""
        return bool(self.words or self.tag)

    def wants(self, entry: ChatEntry, title: str) -> bool:
        """Say whether a chat is wanted by its title and tags."""
        name = title.casefold()
        return all(word in name for word in self.words) and self.tag in ("", *entry.tags)


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


def build_rows(
    entries: Iterable[ChatEntry],
    folders: Sequence[FolderEntry],
    shown: Shown,
    today: date,
    text: Callable[[str], str],
) -> list[Row]:
    """Return the rows of the list, without what a search found in the texts.

    Args:
        entries: every chat, the latest first.
        folders: in their order.
        shown: what of them is wanted.
        today: the date where the user is.
        text: the language's.
    """
    places: dict[Place, list[ChatEntry]] = {place: [] for place in Place}
    for entry in entries:
        if shown.wants(entry, entry.title.strip() or text("chat-untitled")):
            places[entry.place].append(entry)
    known = {folder.id for folder in folders}
    in_list = places[Place.LIST]
    free = [e for e in in_list if shown.is_narrowed or e.pinned or e.folder not in known]
    rows: list[Row] = _headed(text("chats-temporary"), places[Place.TEMPORARY])
    days = _by_day(free, today)
    rows += _headed(text("chats-pinned"), days.pop("chats-pinned"))
    if folders and not shown.is_narrowed:
        rows.append(Heading(text("chats-folders"), adds=True))
        for folder in folders:
            inside = [e for e in in_list if e.folder == folder.id and not e.pinned]
            rows += _group(Place.LIST, folder.name, inside, shown, folder.id)
    for heading, members in days.items():
        rows += _headed(text(heading), members)
    archived, deleted = places[Place.ARCHIVE], places[Place.DELETED]
    if shown.is_narrowed:
        return rows + _headed(text("chats-archive"), archived)
    if archived or deleted:
        rows.append(Heading(text("chats-put-away")))
    if archived:
        rows += _group(Place.ARCHIVE, text("chats-archive"), archived, shown)
    if deleted:
        rows += _group(Place.DELETED, text("chats-deleted"), deleted, shown)
    return rows


def _by_day(entries: Sequence[ChatEntry], today: date) -> dict[str, list[ChatEntry]]:
    days: dict[str, list[ChatEntry]] = {heading: [] for heading in _HEADINGS}
    for entry in entries:
        days[heading_id(entry, today)].append(entry)
    return days


def _headed(heading: str, members: Sequence[ChatEntry]) -> list[Row]:
    return [Heading(heading), *members] if members else []


def _group(
    place: Place, name: str, members: Sequence[ChatEntry], shown: Shown, folder: int = 0
) -> list[Row]:
    closed = GroupEntry(place, name, len(members), is_open=False, folder=folder)
    if closed.key not in shown.opened:
        return [closed]
    return [GroupEntry(place, name, len(members), is_open=True, folder=folder), *members]
