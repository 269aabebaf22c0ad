"""The menus of the chat list: of one chat, of several, of a folder, of what was deleted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QPoint, Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from app.chat.library import ChatLibrary
from app.store.rows import ChatRow
from app.ui.chat_deeds import ChatDeeds
from app.ui.chat_groups import GroupEntry, Place
from app.ui.look import Look

EXPORTS = ("md", "html", "pdf", "pdf-files", "json")


class ChatMenus(QObject):
    """Builds a menu and opens it at a place on the screen.

    Args:
        look: theme and language.
        chats: what there is.
        deeds: what the entries do.
        window: the menus' parent.
    """

    def __init__(self, look: Look, chats: ChatLibrary, deeds: ChatDeeds, window: QWidget) -> None:
        super().__init__(window)
        self._look, self._chats, self._deeds, self._window = look, chats, deeds, window

    @Slot(int, QPoint)
    def open_for_chat(self, chat: int, where: QPoint) -> None:
        """Open the menu of a chat, wherever it stands."""
        row = next((row for row in self._chats.chats() if row.id == chat), None)
        archived = next((r for r in self._chats.chats(archived=True) if r.id == chat), None)
        if row is not None:
            self._for_listed(row).popup(where)
        elif archived is not None:
            self._for_archived(archived).popup(where)
        elif any(each.id == chat for each in self._chats.deleted()):
            self._for_deleted(chat).popup(where)
        else:
            self._for_unlisted(chat).popup(where)

    @Slot(object, QPoint)
    def open_for_several(self, chats: Sequence[int], where: QPoint) -> None:
        """Open the menu of several chats."""
        menu, text = self._menu(), self._look.language.text
        known = {row.id for row in (*self._chats.chats(), *self._chats.chats(archived=True))}
        listed = [chat for chat in chats if chat in known]
        if not listed:
            return
        self._add_organising(menu, listed)
        self._add(menu, "archive", "chat-archive", lambda: self._deeds.archive(listed, True))
        self._add_exports(menu, listed)
        menu.addSeparator()
        delete = menu.addAction(
            self._look.theme.icon("trash", "cinnabar"), text("chats-delete", chats=len(listed))
        )
        delete.setShortcut("Del")
        delete.triggered.connect(lambda: self._deeds.delete(listed))
        menu.popup(where)

    @Slot(object, QPoint)
    def open_for_group(self, group: GroupEntry, where: QPoint) -> None:
        """Open the menu of a folder, of the archive or of what was deleted."""
        menu = self._menu()
        match group.place:
            case Place.DELETED:
                self._add(menu, "trash", "deleted-empty", self._deeds.ask_to_wipe, "cinnabar")
            case Place.LIST:
                folder = group.folder
                self._add(menu, "pencil-simple", "chat-rename", lambda: self._rename(folder))
                inside = [row.id for row in self._chats.chats() if row.folder == folder]
                if inside:
                    self._add_exports(menu, inside)
                menu.addSeparator()
                delete = self._add(
                    menu, "trash", "folder-delete", lambda: self._deeds.delete_folder(folder)
                )
                delete.setToolTip(self._look.language.text("folder-delete-about"))
            case _:
                inside = [row.id for row in self._chats.chats(archived=True)]
                self._add_exports(menu, inside)
        menu.popup(where)

    def open_exports(self, chats: Sequence[int], where: QPoint) -> None:
        """Open the menu of the files that chats can be saved as."""
        menu = self._menu()
        self._fill_exports(menu, chats)
        menu.popup(where)

    # --- kinds --------------------------------------------------------------------------------

    def _for_listed(self, row: ChatRow) -> QMenu:
        menu, chat, pinned = self._menu(), row.id, row.pinned
        self._add_rename(menu, chat)
        pin = "chat-unpin" if pinned else "chat-pin"
        self._add(menu, "push-pin", pin, lambda: self._chats.pin(chat, not pinned))
        if chat == self._deeds.open_chat:
            self._add(menu, "note", "instructions-menu", self._deeds.instructions_wanted.emit)
        self._add_organising(menu, [chat])
        self._add(menu, "archive", "chat-archive", lambda: self._deeds.archive([chat], True))
        self._add_exports(menu, [chat])
        self._add_delete(menu, chat)
        return menu

    def _for_archived(self, row: ChatRow) -> QMenu:
        menu, chat = self._menu(), row.id
        self._add_rename(menu, chat)
        self._add(menu, "archive", "chat-unarchive", lambda: self._deeds.archive([chat], False))
        self._add_organising(menu, [chat])
        self._add_exports(menu, [chat])
        self._add_delete(menu, chat)
        return menu

    def _for_deleted(self, chat: int) -> QMenu:
        menu = self._menu()
        back = "arrow-counter-clockwise"
        self._add(menu, back, "deleted-restore", lambda: self._deeds.bring_back([chat]))
        menu.addSeparator()
        self._add(menu, "trash", "deleted-empty", self._deeds.ask_to_wipe, "cinnabar")
        return menu

    def _for_unlisted(self, chat: int) -> QMenu:
        """Return the menu of a temporary chat, or of a new one in which nothing was said."""
        menu = self._menu()
        self._add_rename(menu, chat)
        if any(row.id == chat for row in self._chats.temporary()):
            self._add(menu, "floppy-disk", "temporary-keep", lambda: self._deeds.keep(chat))
            menu.addSeparator()
            self._add(
                menu, "trash", "temporary-end", lambda: self._deeds.delete([chat]), "cinnabar"
            )
        return menu

    # --- parts --------------------------------------------------------------------------------

    def _menu(self) -> QMenu:
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        return menu

    def _add(
        self, menu: QMenu, icon: str, text_id: str, act: Callable[[], object], color: str = "ink2"
    ) -> QAction:
        action = menu.addAction(
            self._look.theme.icon(icon, color), self._look.language.text(text_id)
        )
        action.triggered.connect(lambda _=False: act())
        return action

    def _add_rename(self, menu: QMenu, chat: int) -> None:
        rename = self._add(
            menu, "pencil-simple", "chat-rename", lambda: self._deeds.rename_wanted.emit(chat)
        )
        rename.setShortcut("F2")

    def _add_delete(self, menu: QMenu, chat: int) -> None:
        menu.addSeparator()
        delete = self._add(
            menu, "trash", "chat-delete", lambda: self._deeds.delete([chat]), "cinnabar"
        )
        delete.setShortcut("Del")

    def _add_organising(self, menu: QMenu, chats: Sequence[int]) -> None:
        """Add the folders that chats can be moved to, and the tags that they can have."""
        text, icon = self._look.language.text, self._look.theme.icon
        rows = {row.id: row for row in (*self._chats.chats(), *self._chats.chats(archived=True))}
        folders = {rows[chat].folder for chat in chats}
        moves = menu.addMenu(icon("folder-simple"), text("chat-move"))
        for folder in self._chats.folders.all():
            here = folders == {folder.id}
            move = moves.addAction(icon("folder-simple"), _quoted(folder.name))
            move.setEnabled(not here)
            move.triggered.connect(lambda _=False, to=folder.id: self._deeds.move(chats, to))
        if folders != {None}:
            moves.addAction(text("chat-move-out")).triggered.connect(
                lambda: self._deeds.move(chats, None)
            )
        moves.addSeparator()
        moves.addAction(icon("folder-plus"), text("folder-new-menu")).triggered.connect(
            lambda: self._deeds.new_folder(chats)
        )
        tags = menu.addMenu(icon("tag"), text("tags"))
        owned = [frozenset(rows[chat].tags.split("\n")) for chat in chats]
        for tag in self._chats.tags():
            has = all(tag in each for each in owned)
            action = tags.addAction(_quoted(tag))
            action.setCheckable(True)
            action.setChecked(has)
            action.triggered.connect(lambda on, tag=tag: self._deeds.tag(chats, tag, on))
        tags.addSeparator()
        tags.addAction(icon("plus"), text("tag-new")).triggered.connect(
            lambda: self._deeds.ask_for_tag(chats)
        )

    def _add_exports(self, menu: QMenu, chats: Sequence[int]) -> None:
        text = self._look.language.text
        self._fill_exports(
            menu.addMenu(self._look.theme.icon("export"), text("chat-export")), chats
        )

    def _fill_exports(self, menu: QMenu, chats: Sequence[int]) -> None:
        text = self._look.language.text
        for kind in EXPORTS:
            menu.addAction(f"{text(f'export-{kind}')}…").triggered.connect(
                lambda _=False, kind=kind: self._deeds.export_wanted.emit(list(chats), kind)
            )

    def _rename(self, folder: int) -> None:
        self._deeds.folder_rename_wanted.emit(folder)


def _quoted(name: str) -> str:
    """Return a name for a menu, where an ampersand would be taken for a shortcut."""
    return " ".join(name.split()).replace("&", "&&")
