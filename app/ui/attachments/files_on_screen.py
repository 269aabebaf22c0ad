"""Files between chats and screen: what is dropped, pasted or picked becomes a card and a sentence.

Never silently cut: a message whose files do not fit the context is not sent; the choice opens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog

from app.chat.session import ChatSession
from app.chat.text_count import TextCount
from app.documents import DocumentFault, DocumentFaultKind
from app.language import Language
from app.ui.attachments.choosing import FitDialog
from app.ui.attachments.draft_file import DraftFile
from app.ui.attachments.draft_files import DraftFiles
from app.ui.attachments.drop_veil import DropVeil
from app.ui.attachments.edited_files import EditedFiles
from app.ui.attachments.file_words import fault_words
from app.ui.attachments.password import PasswordDialog
from app.ui.attachments.preview import open_preview
from app.ui.attachments.uncounted import UncountedDialog
from app.ui.background import Background
from app.ui.chat_page import ChatPage
from app.ui.deeds import Deeds
from app.ui.faults import FaultText
from app.ui.look import Look
from app.ui.model_drop import only_model
from app.ui.notices import Announcement, Tone

if TYPE_CHECKING:
    from app.ui.transcript.editing import EditBox

_SAID_MS = 20_000


class FilesOnScreen(QObject):
    """Answers what the message box and the drafts say of files."""

    def __init__(
        self, look: Look, page: ChatPage, background: Background, counts: TextCount, deeds: Deeds
    ) -> None:
        super().__init__(page)
        self._look, self._page, self._deeds = look, page, deeds
        self._background, self._counts = background, counts
        self._drafts: dict[int, DraftFiles] = {}  # chat: its files, also while it is not shown
        self._open: DraftFiles | None = None
        self.veil = DropVeil(look, page, page.box)
        self.veil.dropped.connect(self.add)
        box = page.box
        box.field.files_pasted.connect(self.add)
        box.field.image_pasted.connect(self._on_image_pasted)
        box.attach.clicked.connect(self.pick)
        box.held.connect(self._on_held)
        box.room_changed.connect(self._show_fit)
        box.files.opened.connect(self._on_card_opened)
        box.files.removed.connect(self._on_card_removed)
        box.files.fit_wanted.connect(self.make_fit)
        box.options.shown.connect(counts.set_options)
        page.opened.connect(self._on_chat_opened)
        page.files_changed.connect(self._on_files_changed)
        page.verbs.editing_started.connect(self._on_editing_started)

    def close(self) -> None:
        """Read nothing any further."""
        for each in self._drafts.values():
            each.close()

    @Slot(list)
    def add(self, paths: Sequence[Path]) -> None:
        """Attach files to the open chat's draft; a model is opened instead."""
        if model := only_model(paths):
            self._deeds.open_path(str(model))
        elif self._open is not None:
            self._open.add(paths)
            self._page.box.field.setFocus()

    @Slot()
    def pick(self) -> None:
        """Ask which files are to be attached to the draft."""
        self._pick(self.add)

    def _pick(self, add: Callable[[list[Path]], None]) -> None:
        dialog = QFileDialog(self._page.window(), self._look.language.text("file-attach"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(lambda names: add([Path(name) for name in names]))
        dialog.open()

    @Slot()
    def make_fit(self) -> None:
        """Open the choice for the longest file."""
        files, box = self._open, self._page.box
        read = [each for each in files.files if each.attachment is not None] if files else []
        if files is not None and read:
            self._choose(files, max(read, key=_tokens), box.room, box.text())

    # --- inside -------------------------------------------------------------------------------

    @Slot(object)
    def _on_chat_opened(self, session: ChatSession) -> None:
        chat = session.row.id
        known = self._drafts.get(chat)
        if known is None or known.holder is not session.unsent:
            known = DraftFiles(session.unsent, self._background, self._counts, self)
            known.changed.connect(self._on_changed)
            known.failed.connect(self._on_failed)
            known.password_wanted.connect(self._on_password_wanted)
            self._drafts[chat] = known
        self._open = known
        self._on_changed()

    @Slot(object)
    def _on_editing_started(self, edit: EditBox) -> None:
        """Let the files of a question that is changed be others."""
        edited = EditedFiles(edit, self._background, self._counts)
        files = edited.files
        edit.attach.clicked.connect(lambda: self._pick(edited.add))
        edit.files.opened.connect(self._on_card_opened)
        edit.files.fit_wanted.connect(lambda: self._fit_edited(edit, edited))
        files.failed.connect(self._on_failed)
        files.password_wanted.connect(self._on_password_wanted)
        files.changed.connect(lambda: self._warn_edited(edit, edited))

    def _fit_edited(self, edit: EditBox, edited: EditedFiles) -> None:
        read = [each for each in edited.files.files if each.attachment is not None]
        if read:
            room = edited.room(self._page.box.room_of_a_message)
            self._choose(edited.files, max(read, key=_tokens), room, edit.field.toPlainText())

    def _warn_edited(self, edit: EditBox, edited: EditedFiles) -> None:
        files, text = edited.files, self._look.language.text
        room = edited.room(self._page.box.room_of_a_message)
        if files.uncounted:
            words = _uncounted_words(files.uncounted, self._look)
            edit.show_warning(words, can_answer=True, can_fit=False)
        elif self._page.box.context and files.tokens > room:
            words = text("file-too-long", tokens=files.tokens, room=room)
            edit.show_warning(words, can_answer=False)
        else:
            edit.show_warning("", can_answer=True)

    @Slot()
    def _on_files_changed(self) -> None:
        """The message was sent, or one that waited came back: show the draft's files again."""
        if self._open is not None:
            self._open.follow_draft()

    @Slot()
    def _on_changed(self) -> None:
        files = self._open
        if files is not None:
            self._page.box.show_files(
                files.files,
                files.tokens,
                is_waiting=files.is_waiting,
                is_counted=not files.uncounted,
            )
            self._show_fit()
            self._page.box.send_what_waited()

    @Slot()
    def _show_fit(self) -> None:
        """Warn when the files do not fit, or only without the oldest turns."""
        box, text = self._page.box, self._look.language.text
        tokens = self._open.tokens if self._open is not None else 0
        uncounted = self._open.uncounted if self._open is not None else []
        if uncounted:
            box.files.show_warning(_uncounted_words(uncounted, self._look), can_fit=False)
        elif not tokens or not box.context or tokens <= box.room_beside_chat:
            box.files.show_warning("")
        elif tokens > box.room:
            box.files.show_warning(text("file-too-long", tokens=tokens, room=max(0, box.room)))
        else:
            box.files.show_warning(text("file-oldest-go"))

    @Slot()
    def _on_held(self) -> None:
        """Say why a message is not sent: a file is being read, or the files may not fit."""
        if self._open is not None and self._open.is_waiting:
            self._say("file-held", Tone.INFO, _wait_words)
        elif self._open is not None and self._open.uncounted:
            self._ask_about_uncounted(self._open)
        else:
            self.make_fit()

    @Slot(object)
    def _on_card_opened(self, file: DraftFile) -> None:
        if file.attachment is not None:
            open_preview(self._look, file.attachment, self._page)

    @Slot(object)
    def _on_card_removed(self, file: DraftFile) -> None:
        if self._open is not None:
            self._open.remove(file)
            self._page.box.field.setFocus()

    def _ask_about_uncounted(self, files: DraftFiles) -> None:
        names = [each.name for each in files.uncounted]
        dialog = UncountedDialog(self._look, names, self._page.window())
        dialog.send_wanted.connect(self._page.box.send_now)
        dialog.left_out.connect(files.leave_out_uncounted)
        dialog.open()

    def _choose(self, files: DraftFiles, file: DraftFile, room: int, question: str) -> None:
        others = files.tokens - _tokens(file)
        dialog = FitDialog(
            self._look, file, max(0, room - others), question.strip(), self._page.window()
        )
        dialog.chosen.connect(lambda choice: files.choose(file, choice))
        dialog.left_out.connect(lambda: files.remove(file))
        dialog.open()

    @Slot(object, bool)
    def _on_password_wanted(self, path: Path, wrong: bool) -> None:
        files = self.sender()
        if not isinstance(files, DraftFiles):
            return
        dialog = PasswordDialog(self._look, path.name, self._page.window(), wrong=wrong)
        dialog.given.connect(lambda password: files.add([path], password))
        dialog.open()

    @Slot()
    def _on_image_pasted(self) -> None:
        name = self._look.language.text("file-clipboard")
        self._on_failed(DocumentFault(DocumentFaultKind.IMAGE, name))

    @Slot(object)
    def _on_failed(self, fault: DocumentFault) -> None:
        if fault.kind is not DocumentFaultKind.CANCELLED:
            self._say(f"file-{fault.name}", Tone.WARNING, lambda lang: fault_words(fault, lang))

    def _say(self, key: str, tone: Tone, phrase: Callable[[Language], FaultText]) -> None:
        self._deeds.announce(Announcement(key, tone, phrase, lasts_ms=_SAID_MS))


def _tokens(file: DraftFile) -> int:
    return file.attachment.tokens if file.attachment is not None else 0


def _uncounted_words(files: Sequence[DraftFile], look: Look) -> str:
    name = ", ".join(" ".join(each.name.split()) for each in files)
    return look.language.text("file-uncounted", name=name, count=len(files))


def _wait_words(language: Language) -> FaultText:
    return FaultText(language.text("file-wait"))
