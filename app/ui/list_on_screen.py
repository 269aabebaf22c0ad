"""The list of chats between library and sidebar: what it shows, and what is done in it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QPoint, Slot

from app.chat.library import ChatLibrary
from app.chat.turn_row import moment
from app.store.rows import ChatRow
from app.store.settings import SettingsFile
from app.ui.chat_deeds import ChatDeeds
from app.ui.chat_groups import ChatEntry, FolderEntry, Place
from app.ui.chat_menus import ChatMenus
from app.ui.main_window import MainWindow


class ListOnScreen(QObject):
    """Keeps the sidebar's list true, and answers what is done there.

    Args:
        chats: what there is.
        window: with the sidebar.
        deeds: what is done to chats.
        settings: remember which folders are open.
    """

    def __init__(
        self, chats: ChatLibrary, window: MainWindow, deeds: ChatDeeds, settings: SettingsFile
    ) -> None:
        super().__init__(window)
        self._chats, self._deeds = chats, deeds
        self._sidebar, self._header = window.parts.sidebar, window.parts.chat.header
        self.menus = ChatMenus(window.look, chats, deeds, window)
        chats.changed.connect(self._on_changed)
        chats.answering_changed.connect(self._on_changed)
        chats.folders.changed.connect(self._on_changed)
        self._settings = settings
        self._connect()
        self._sidebar.rows.show_groups(settings.settings.opened_groups)
        self._on_changed()

    def delete_open(self) -> None:
        """Delete the open chat, with an undo."""
        if self._deeds.open_chat is not None:
            self._deeds.delete([self._deeds.open_chat])

    # --- inside -------------------------------------------------------------------------------

    def _connect(self) -> None:
        view, rows, deeds = self._sidebar.list, self._sidebar.rows, self._deeds
        view.menu_requested.connect(self.menus.open_for_chat)
        view.several_menu_requested.connect(self.menus.open_for_several)
        view.group_menu_requested.connect(self.menus.open_for_group)
        view.folder_wanted.connect(self._on_folder_wanted)
        view.delete_requested.connect(self._on_delete)
        view.several_delete_requested.connect(deeds.delete)
        view.folder_delete_requested.connect(deeds.delete_folder)
        view.delegate.renamed.connect(self._chats.rename)
        view.delegate.folder_renamed.connect(self._chats.folders.rename)
        rows.dropped.connect(self._on_dropped)
        rows.groups_changed.connect(self._on_groups_changed)
        self._sidebar.tags.chosen.connect(rows.show_tag)
        deeds.rename_wanted.connect(self._on_rename_wanted)
        deeds.folder_rename_wanted.connect(self._on_folder_rename_wanted)
        self._header.more.clicked.connect(self._on_more_clicked)

    @Slot()
    def _on_changed(self) -> None:
        chats = self._chats
        entries = [
            *(self._entry(row, Place.TEMPORARY) for row in chats.temporary()),
            *(self._entry(row, Place.LIST) for row in chats.chats()),
            *(self._entry(row, Place.ARCHIVE) for row in chats.chats(archived=True)),
            *(self._entry(row, Place.DELETED) for row in chats.deleted()),
        ]
        folders = [FolderEntry(row.id, row.name) for row in chats.folders.all()]
        self._sidebar.rows.show_chats(entries, folders)
        self._sidebar.rows.mark_open(self._deeds.open_chat)
        self._sidebar.tags.show_tags(chats.tags())

    def _entry(self, row: ChatRow, place: Place) -> ChatEntry:
        return ChatEntry(
            row.id,
            row.title,
            moment(row.updated),
            row.pinned,
            self._chats.is_answering(row.id),
            row.folder,
            tuple(filter(None, row.tags.split("\n"))),
            place,
        )

    @Slot(object)
    def _on_groups_changed(self, opened: Sequence[str]) -> None:
        """Remember which groups are open; of folders that are no more there is nothing to keep."""
        folders = {f"folder-{row.id}" for row in self._chats.folders.all()}
        kept = (key for key in opened if not key.startswith("folder-") or key in folders)
        self._settings.change(opened_groups=tuple(kept))

    @Slot(int)
    def _on_delete(self, chat: int) -> None:
        self._deeds.delete([chat])

    @Slot()
    def _on_folder_wanted(self) -> None:
        self._deeds.new_folder()

    @Slot(object, object)
    def _on_dropped(self, chats: Sequence[int], folder: int | None) -> None:
        self._deeds.move(chats, folder)

    @Slot(int)
    def _on_rename_wanted(self, chat: int) -> None:
        is_listed = self._sidebar.rows.index_of(chat).isValid()
        if chat == self._deeds.open_chat and (self._sidebar.is_rail or not is_listed):
            self._header.title.edit()
        else:
            self._sidebar.list.rename(chat)

    @Slot(int)
    def _on_folder_rename_wanted(self, folder: int) -> None:
        if self._sidebar.is_rail:
            self._sidebar.set_folded(False, animated=False)
        self._sidebar.list.rename_folder(folder)

    @Slot()
    def _on_more_clicked(self) -> None:
        button = self._header.more
        if self._deeds.open_chat is not None:
            corner: QPoint = button.mapToGlobal(button.rect().bottomLeft())
            self.menus.open_for_chat(self._deeds.open_chat, corner)
