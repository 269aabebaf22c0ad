"""Which line stands at the top of the open chat, and what its buttons lead to."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from app.chat.library import ChatLibrary
from app.chat.saving import Saving
from app.store.standing import Keeping
from app.ui.chat_deeds import ChatDeeds
from app.ui.chats_on_screen import ChatsOnScreen
from app.ui.main_window import MainWindow


class LineOnScreen(QObject):
    """Says of the open chat that it is not kept as usual, or where it was branched from.

    Args:
        chats: what there is.
        window: with the page.
        deeds: keeps a temporary chat.
        screen: shows the chat that a branch comes from.
        saving: how chats are kept.
    """

    def __init__(
        self,
        chats: ChatLibrary,
        window: MainWindow,
        deeds: ChatDeeds,
        screen: ChatsOnScreen,
        saving: Saving,
    ) -> None:
        super().__init__(window)
        self._saving = saving
        saving.standing_changed.connect(self._on_changed)
        self._chats, self._deeds, self._screen = chats, deeds, screen
        self._page = window.parts.chat
        self._page.turns_changed.connect(self._on_changed)
        chats.changed.connect(self._on_changed)
        chats.answering_changed.connect(self._on_changed)
        self._page.line.keep_wanted.connect(self._on_keep)
        self._page.line.origin_wanted.connect(self._on_origin)

    @Slot()
    def _on_changed(self) -> None:
        session, line = self._page.session, self._page.line
        if session is None:
            return
        row, standing = session.row, self._saving.standing
        if row.id < 0:
            in_memory = standing is not None and standing.keeping is Keeping.MEMORY
            can_keep = row.turns > 0 and not session.state.busy and not in_memory
            line.show_temporary(can_keep=can_keep)
        elif standing is not None:
            apart = standing.keeping is Keeping.APART
            line.show_keeping(standing, can_save=row.turns > 0 and not apart)
        elif row.branched_from is not None:
            origin = self._chats.origin(row)
            line.show_branch(origin.title if origin is not None else None)
        else:
            line.show_nothing()

    @Slot()
    def _on_keep(self) -> None:
        if self._page.session is not None:
            self._deeds.keep(self._page.session.row.id)

    @Slot()
    def _on_origin(self) -> None:
        row = self._page.session.row if self._page.session is not None else None
        origin = self._chats.origin(row) if row is not None else None
        if row is not None and origin is not None and row.branched_from is not None:
            self._screen.open_at(origin.id, row.branched_from)
