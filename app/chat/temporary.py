"""Chats that are never on disk: each has a store of its own in memory, and ends with it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from app.chat.saving import Saving
from app.chat.services import Services
from app.chat.session import ChatSession
from app.chat.turn import Turn
from app.chat.turn_row import turn_of
from app.store.chats import ChatStore
from app.store.opening import temporary_store
from app.store.rows import ChatRow

# A turn's id is its own in the whole window, whichever store it lies in, and fits 32 bits.
_FIRST_TURN, _TURNS = 1_000_000_000, 1_000_000


@dataclass(frozen=True, slots=True)
class Copied:
    """A whole chat copied from one store into another, not written there yet.

    ``shown`` are the turns to lead the path through, one after the other; the last one is the end
    of what was shown.
    """

    row: ChatRow
    turns: tuple[Turn, ...]
    shown: tuple[int, ...]


class TemporaryChats(QObject):
    """The temporary chats of this session; their ids are negative.

    Args:
        services: engine, model and settings; the store of each chat is its own.
    """

    changed = Signal()
    answering_changed = Signal(int)

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._sessions: dict[int, tuple[ChatSession, Saving]] = {}
        self._last = 0

    def __contains__(self, chat: int) -> bool:
        return chat in self._sessions

    def new(self) -> ChatSession:
        """Return an empty chat; it ends with ``remove`` or with the program."""
        self._last -= 1
        saving = Saving(temporary_store(_FIRST_TURN - self._last * _TURNS), self)
        session = ChatSession(ChatRow(self._last), replace(self._services, saving=saving))
        session.row_changed.connect(self.changed)
        session.answering_changed.connect(self.answering_changed)
        self._sessions[self._last] = session, saving
        return session

    def open(self, chat: int) -> ChatSession:
        """Return the session of a chat.

        Raises:
            KeyError: it has ended.
        """
        return self._sessions[chat][0]

    def rows(self) -> list[ChatRow]:
        """Return the chats in which something was said, the latest first."""
        rows = [session.row for session, _ in self._sessions.values()]
        return sorted((row for row in rows if row.turns), key=lambda row: -row.updated)

    def is_answering(self, chat: int) -> bool:
        """Say whether a chat's reply is being made."""
        return chat in self._sessions and self._sessions[chat][0].state.busy

    def copy(self, chat: int, store: ChatStore) -> Copied:
        """Return a chat with every version of it, as another store is to have it.

        Raises:
            KeyError: it has ended.
        """
        session, saving = self._sessions[chat]
        links = saving.store.links(chat)
        ids: dict[int | None, int] = {}
        row = replace(session.row, id=store.new_chat_id())
        turns: list[Turn] = []
        for old in map(turn_of, saving.store.turns([turn for turn, _ in links])):
            ids[old.id] = number = store.new_turn_id()
            kept = saving.store.token_ids(old.id)
            turns.append(replace(old, id=number, chat=row.id, parent=ids.get(old.parent), ids=kept))
        ends = [*saving.store.choices(chat).values(), *(turn.id for turn in session.path()[-1:])]
        return Copied(row, tuple(turns), tuple(n for end in ends if (n := ids.get(end))))

    def remove(self, chat: int) -> None:
        """End a chat; it is nowhere else."""
        session, saving = self._sessions.pop(chat)
        session.close()
        saving.close()
        saving.store.close()
        saving.deleteLater()
        self.changed.emit()

    def close(self) -> None:
        """End all of them."""
        for chat in list(self._sessions):
            self.remove(chat)
