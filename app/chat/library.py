"""All chats: the list, which of them are open, and what was deleted and may come back."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chat.branching import branch_chat
from app.chat.folders import Folders
from app.chat.services import Services
from app.chat.session import ChatSession
from app.chat.temporary import TemporaryChats
from app.chat.turn import Turn
from app.chat.turn_row import microseconds, now, row_of
from app.store.faults import StoreError, StoreFaultKind, reason_of
from app.store.rows import ChatRow

_OPEN_AT_REST = 8  # sessions kept in memory that do nothing; more than are switched between
_QUIET_MS = 30_000  # so often the search index catches up, and the day's copy is made


class ChatLibrary(QObject):
    """The chats of one store.

    Args:
        services: store, engine, model and settings; the store's signals come through them.

    Attributes:
        folders: the folders that chats are put into.
        saving: speaks for the store.
    """

    changed = Signal()  # the list: order, titles, flags, members
    answering_changed = Signal(int)  # chat: began or ended answering
    wiped = Signal()  # nothing of what was deleted is on the disk any more
    _told_wiped = Signal()  # emitted on the store's thread, received on ours

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self.saving = services, services.saving
        self._rows = {row.id: row for row in services.store.chats()}
        self._sessions: dict[int, ChatSession] = {}
        self._temporary = TemporaryChats(services, self)
        self._temporary.changed.connect(self.changed)
        self._temporary.answering_changed.connect(self.answering_changed)
        self._deleted: dict[int, ChatRow] = {}
        self._new: int | None = next((row.id for row in self._rows.values() if not row.turns), None)
        self.folders = Folders(services.store.database, self)
        self.folders.deleted.connect(self._on_folder_deleted)
        self._told_wiped.connect(self.wiped)
        self._holds_deleted = services.store.has_deleted()  # a kill left it: nobody waits for it
        if self._holds_deleted:
            self.purge()
        self._quiet = QTimer(self)
        self._quiet.setInterval(_QUIET_MS)
        self._quiet.timeout.connect(self._on_quiet)
        self._quiet.start()

    # --- the list -----------------------------------------------------------------------------

    def chats(self, *, archived: bool = False) -> list[ChatRow]:
        """Return the chats that have turns: pinned ones first, then the latest."""
        rows = [row for row in self._rows.values() if row.turns and row.archived is archived]
        return sorted(rows, key=lambda row: (not row.pinned, -row.updated, -row.id))

    def tags(self) -> list[str]:
        """Return every tag that is used, in alphabetical order."""
        return sorted({tag for row in self._rows.values() for tag in row.tags.split("\n") if tag})

    def search_titles(self, text: str) -> list[ChatRow]:
        """Return the chats whose title has all words of ``text``, in the list's order."""
        words = text.casefold().split()
        return [row for row in self.chats() if all(w in row.title.casefold() for w in words)]

    def is_answering(self, chat: int) -> bool:
        """Say whether a chat's reply is being made."""
        session = self._sessions.get(chat)
        busy = session is not None and session.state.busy
        return busy or self._temporary.is_answering(chat)

    def is_any_answering(self) -> bool:
        """Say whether any chat's reply is being made."""
        busy = any(session.state.busy for session in self._sessions.values())
        return busy or any(self._temporary.is_answering(row.id) for row in self.temporary())

    def temporary(self) -> list[ChatRow]:
        """Return the temporary chats in which something was said, the latest first."""
        return self._temporary.rows()

    def deleted(self) -> list[ChatRow]:
        """Return the chats that were deleted and can come back, the last one first."""
        return list(reversed(self._deleted.values()))

    def origin(self, row: ChatRow) -> ChatRow | None:
        """Return the chat that a branch was made from; None where it is deleted, or no branch."""
        turn = row.branched_from
        chat = self._services.store.chat_of(turn) if turn is not None else None
        return self._rows.get(chat) if chat is not None else None

    # --- opening ------------------------------------------------------------------------------

    def open(self, chat: int) -> ChatSession:
        """Return the session of a chat; the same one as long as it is in memory.

        Raises:
            KeyError: there is no such chat.
            StoreError: UNREACHABLE, when the disk does not hand it out.
        """
        if chat in self._temporary:
            return self._temporary.open(chat)
        session = self._sessions.pop(chat, None) or self._read_session(self._rows[chat])
        self._sessions[chat] = session  # the last one opened is the last one to be let go
        self._let_go()
        return session

    def peek(self, chat: int) -> ChatSession | None:
        """Return the session of a chat if it is in memory, without holding it there longer."""
        if chat in self._temporary:
            return self._temporary.open(chat)
        return self._sessions.get(chat)

    def new(self) -> ChatSession:
        """Return an empty chat; the one there is, as long as nothing was said in it."""
        if self._new is None or self._new not in self._rows or self._rows[self._new].turns:
            row = ChatRow(self._services.store.new_chat_id())
            self._rows[row.id] = row
            self._new = row.id
        return self.open(self._new)

    def branch(self, chat: int, turn: int) -> ChatSession:
        """Return a new chat that begins with what led to a turn of this one."""
        path = self.open(chat).path_to(turn)
        row, turns = branch_chat(self._services.store, self._rows[chat], path)
        self._rows[row.id] = row
        self._sessions[row.id] = self._make_session(row, turns)
        self.changed.emit()
        return self.open(row.id)

    def new_temporary(self) -> ChatSession:
        """Return an empty chat that is never on disk; it ends with ``delete`` or the program."""
        return self._temporary.new()

    def keep(self, chat: int) -> ChatSession:
        """Turn a temporary chat into one that is kept, and return it.

        Raises:
            KeyError: it has ended.
        """
        store, old = self._services.store, self._temporary.open(chat)
        copied = self._temporary.copy(chat, store)
        store.put_chat(copied.row)
        store.add_turns(*map(row_of, copied.turns))
        self._rows[copied.row.id] = copied.row
        session = self._sessions[copied.row.id] = self._make_session(copied.row, copied.turns)
        for turn in copied.shown:
            session.show_turn(turn)
        session.unsent.set_text(old.unsent.draft.text)
        session.unsent.set_attachments(old.unsent.draft.attachments)
        self._temporary.remove(chat)
        self.changed.emit()
        return session

    # --- changing -----------------------------------------------------------------------------

    def rename(self, chat: int, title: str) -> None:
        """Give a chat a title of the person's own."""
        self._change(chat, title=title.strip(), title_by="user")

    def pin(self, chat: int, pinned: bool) -> None:
        """Keep a chat at the top of the list, or no longer."""
        self._change(chat, pinned=pinned)

    def archive(self, chat: int, archived: bool) -> None:
        """Put a chat out of the way, or back."""
        self._change(chat, archived=archived)

    def set_tags(self, chat: int, tags: Sequence[str]) -> None:
        """Give a chat its tags."""
        kept = dict.fromkeys(" ".join(tag.split()) for tag in tags)
        self._change(chat, tags="\n".join(filter(None, kept)))

    def move(self, chat: int, folder: int | None) -> None:
        """Put a chat into a folder, or into none."""
        self._change(chat, folder=folder)

    def delete(self, chat: int) -> None:
        """Delete a chat; ``undo_delete`` brings it back until the program ends or ``purge``.

        A temporary chat is gone at once: it is nowhere else.
        """
        if chat in self._temporary:
            self._temporary.remove(chat)
            return
        session = self._sessions.pop(chat, None)
        if session is not None:
            session.close()
        row = self._rows.pop(chat)
        self._deleted[chat] = row
        self._services.store.delete_chat(chat, microseconds(now()))
        self._holds_deleted = True
        self.changed.emit()

    def undo_delete(self, chat: int) -> bool:
        """Bring a deleted chat back; False when it is too late."""
        row = self._deleted.pop(chat, None)
        if row is None:
            return False
        self._services.store.delete_chat(chat, None)
        self._rows[chat] = row
        self.changed.emit()
        return True

    @Slot()
    def reload(self) -> None:
        """Read the list again, and what is open of it, after an import or a restore."""
        new = {chat: row for chat, row in self._rows.items() if not row.turns}
        self._rows = new | {row.id: row for row in self._services.store.chats()}
        self.folders.reload()
        for chat, session in list(self._sessions.items()):
            row = self._rows.get(chat)
            if row is None:
                self._sessions.pop(chat).close()
            elif row.turns != session.row.turns:
                session.reload(row)
        self.changed.emit()

    @Slot()
    def purge(self) -> None:
        """Wipe what was deleted from the disk; it cannot come back."""
        self._deleted.clear()
        self._holds_deleted = False
        self._services.store.purge(self._told_wiped.emit)
        self.changed.emit()

    def close(self) -> None:
        """Save and close everything; running replies end as interrupted."""
        for session in self._sessions.values():
            session.close()
        self._temporary.close()
        self._quiet.stop()
        if self._holds_deleted:  # nobody can take it back any more
            self._services.store.purge()

    # --- inside -------------------------------------------------------------------------------

    def _make_session(self, row: ChatRow, turns: Sequence[Turn] = ()) -> ChatSession:
        session = ChatSession(row, self._services, turns)
        session.row_changed.connect(self._on_row_changed)
        session.turns_deleted.connect(self._on_turns_deleted)
        session.answering_changed.connect(self.answering_changed)
        return session

    def _read_session(self, row: ChatRow) -> ChatSession:
        try:
            return self._make_session(row)
        except sqlite3.DatabaseError as error:
            path, reason = self._services.store.database.path, reason_of(error)
            raise StoreError(StoreFaultKind.UNREACHABLE, path=path, reason=reason) from error

    def _let_go(self) -> None:
        """Close the sessions that were opened longest ago, if they are at rest and saved."""
        saved = self._services.store.is_saved(self._services.store.database.posted)
        at_rest = [chat for chat, each in self._sessions.items() if not each.state.busy]
        for chat in at_rest[:-_OPEN_AT_REST] if saved else ():
            session = self._sessions.pop(chat)
            session.close()

    def _change(self, chat: int, **values: object) -> None:
        session = self._sessions.get(chat)
        if session is not None:
            session.change_row(**values)
            return
        self._rows[chat] = replace(self._rows[chat], **values)  # type: ignore[arg-type]
        self._services.store.put_chat(self._rows[chat])
        self.changed.emit()

    @Slot()
    def _on_quiet(self) -> None:
        self._services.store.index.catch_up()
        self._services.store.copy_when_due(self._services.settings.settings.copies_kept)

    @Slot()
    def _on_turns_deleted(self) -> None:
        self._holds_deleted = True

    @Slot(int)
    def _on_folder_deleted(self, folder: int) -> None:
        for chat in [row.id for row in self._rows.values() if row.folder == folder]:
            self.move(chat, None)

    @Slot(object)
    def _on_row_changed(self, row: ChatRow) -> None:
        if row.id in self._rows:
            self._rows[row.id] = row
            self.changed.emit()
