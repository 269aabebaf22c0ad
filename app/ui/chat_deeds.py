"""What is done to chats from lists, menus and shortcuts, each with its notice and its undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QInputDialog

from app.chat.library import ChatLibrary
from app.language import Language
from app.store.rows import ChatRow
from app.ui.deeds import Deeds
from app.ui.faults import FaultAction, FaultText
from app.ui.main_window import MainWindow
from app.ui.notices import Announcement, Tone
from app.ui.question import Answer, QuestionDialog

_UNDO_MS = 15_000
_SAID_MS = 10_000
_LONGEST_TAG = 40  # characters


class ChatDeeds(QObject):
    """Verbs over chats and folders; asks the window to show what changed.

    Args:
        chats: what there is.
        deeds: knows the open chat, and where notices are announced.
        window: the parent of what is asked.
    """

    chat_wanted = Signal(int)
    new_chat_wanted = Signal()
    rename_wanted = Signal(int)
    folder_rename_wanted = Signal(int)
    instructions_wanted = Signal()
    export_wanted = Signal(object, str)  # list of chats, "md", "html", "pdf" or "json"

    def __init__(self, chats: ChatLibrary, deeds: Deeds, window: MainWindow) -> None:
        super().__init__(window)
        self._chats, self._deeds, self._window = chats, deeds, window
        chats.wiped.connect(self._on_wiped)
        self._asked_to_wipe = False

    @property
    def open_chat(self) -> int | None:
        """The chat that is shown."""
        return self._deeds.open_chat

    # --- deleting -----------------------------------------------------------------------------

    @Slot(object)
    def delete(self, chats: Sequence[int]) -> None:
        """Delete chats, and offer to undo it; a temporary chat ends without."""
        rows = {row.id: row for row in self._rows()}
        known = [chat for chat in chats if chat in rows]
        was_open = self.open_chat in chats
        for chat in chats:
            self._chats.delete(chat)
        if was_open:
            self.new_chat_wanted.emit()
        if not known:
            return
        title = " ".join(rows[known[0]].title.split())

        def phrase(language: Language) -> FaultText:
            name = title or language.text("chat-untitled")
            said = language.text("chat-deleted", title=name, chats=len(known))
            until = language.text("chat-deleted.more")
            return FaultText(said, until, language.text("undo"), FaultAction.UNDO)

        def undo() -> None:
            if self.bring_back(known) and was_open:
                self.chat_wanted.emit(known[0])

        self._deeds.announce(Announcement("chat-deleted", Tone.INFO, phrase, undo, _UNDO_MS))

    def bring_back(self, chats: Sequence[int]) -> bool:
        """Bring deleted chats back; False when there are none of them any more."""
        back = [chat for chat in chats if self._chats.undo_delete(chat)]
        if back and not self._chats.deleted():
            self._deeds.dismiss("chat-deleted")
        return bool(back)

    @Slot()
    def ask_to_wipe(self) -> None:
        """Ask whether what was deleted is to be gone for good, now."""
        text, count = self._window.look.language.text, len(self._chats.deleted())
        wipe = Answer("wipe", self.wipe, "danger")
        question, about = text("wipe-question", chats=count), text("wipe-about")
        QuestionDialog(self._window.look, question, about, [wipe], self._window).open()

    @Slot()
    def wipe(self) -> None:
        """Wipe the text of what was deleted from the disk."""
        for key in ("chat-deleted", "turn-deleted"):
            self._deeds.forget_undo(key)
        self._asked_to_wipe = True
        self._deeds.dismiss("chat-deleted")
        self._chats.purge()

    @Slot()
    def _on_wiped(self) -> None:
        if self._asked_to_wipe:
            self._asked_to_wipe = False
            self._say("chats-wiped", lambda language: FaultText(language.text("chats-wiped")))

    # --- organising ---------------------------------------------------------------------------

    def archive(self, chats: Sequence[int], archived: bool) -> None:
        """Put chats out of the way, or back."""
        for chat in chats:
            self._chats.archive(chat, archived)

    def move(self, chats: Sequence[int], folder: int | None) -> None:
        """Put chats into a folder, or into none."""
        for chat in chats:
            self._chats.move(chat, folder)

    def new_folder(self, chats: Sequence[int] = ()) -> None:
        """Make a folder, put chats into it, and let it be named."""
        folder = self._chats.folders.add(self._window.look.language.text("folder-new"))
        self.move(chats, folder.id)
        self.folder_rename_wanted.emit(folder.id)

    @Slot(int)
    def delete_folder(self, folder: int) -> None:
        """Delete a folder; its chats stay. It can be undone."""
        row = next((row for row in self._chats.folders.all() if row.id == folder), None)
        if row is None:
            return
        inside = [each.id for each in self._rows() if each.folder == folder]
        self._chats.folders.delete(folder)
        name = row.name

        def phrase(language: Language) -> FaultText:
            said = language.text("folder-deleted", name=name)
            stay = language.text("folder-deleted.more", chats=len(inside)) if inside else ""
            return FaultText(said, stay, language.text("undo"), FaultAction.UNDO)

        def undo() -> None:
            self.move(inside, self._chats.folders.add(name).id)

        self._deeds.announce(Announcement("folder-deleted", Tone.INFO, phrase, undo, _UNDO_MS))

    def tag(self, chats: Sequence[int], tag: str, on: bool) -> None:
        """Give chats a tag, or take it from them."""
        rows = {row.id: row for row in self._rows()}
        for chat in chats:
            old = [each for each in rows[chat].tags.split("\n") if each != tag]
            self._chats.set_tags(chat, [*old, tag] if on else old)

    def ask_for_tag(self, chats: Sequence[int]) -> None:
        """Ask for a new tag's name, and give it to chats."""
        text = self._window.look.language.text
        dialog = QInputDialog(self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(text("tags"))
        dialog.setLabelText(text("tag-name"))
        dialog.setOkButtonText(text("save"))
        dialog.setCancelButtonText(text("cancel"))

        def given(name: str) -> None:
            tag = " ".join(name.split())[:_LONGEST_TAG]
            if tag:
                self.tag(chats, tag, True)

        dialog.textValueSelected.connect(given)
        dialog.open()

    def keep(self, chat: int) -> None:
        """Turn a temporary chat into one that is kept."""
        if self._chats.is_answering(chat):
            self._say("temporary-busy", lambda lang: FaultText(lang.text("temporary-busy")))
            return
        was_open = self.open_chat == chat
        kept = self._chats.keep(chat)
        if was_open:
            self.chat_wanted.emit(kept.row.id)
        self._say("chat-kept", lambda language: FaultText(language.text("chat-kept")))

    # --- inside -------------------------------------------------------------------------------

    def _rows(self) -> list[ChatRow]:
        return [*self._chats.chats(), *self._chats.chats(archived=True)]

    def _say(self, key: str, phrase: Callable[[Language], FaultText]) -> None:
        self._deeds.announce(Announcement(key, Tone.INFO, phrase, lasts_ms=_SAID_MS))
