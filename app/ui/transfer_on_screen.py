"""Chats in and out of files: the dialogs that ask where, and the sentences that say what came."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog

from app.chat.exporting import ExportWords, SaidChat, html_of, markdown_of
from app.chat.library import ChatLibrary
from app.chat.transfer import ImportOutcome, Transfer
from app.language import Language
from app.store.faults import StoreFault, StoreFaultKind
from app.ui.background import Background
from app.ui.deeds import Deeds
from app.ui.faults import FaultText
from app.ui.main_window import MainWindow
from app.ui.notices import Announcement, Tone
from app.ui.store_faults import store_fault_text

if TYPE_CHECKING:
    from app.rendering.printed import Ink
    from app.ui.settings.page import SettingsPage

_KEY = "transfer"
WITH_FILES = "pdf-files"  # a PDF that prints the text of attached files, too
_SAVED_MS = 10_000
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f]+')  # in names of files, on one system or another


class TransferOnScreen(QObject):
    """Answers the wishes to export a chat and to import some."""

    saved = Signal()  # a file with chats is there
    failed = Signal()  # one could not be written or read

    def __init__(
        self,
        transfer: Transfer,
        chats: ChatLibrary,
        background: Background,
        window: MainWindow,
        deeds: Deeds,
    ) -> None:
        super().__init__(window)
        self._transfer, self._chats, self._background = transfer, chats, background
        self._window, self._deeds = window, deeds
        transfer.imported.connect(self._on_imported)
        transfer.exported.connect(self._on_exported)
        transfer.failed.connect(self._on_failed)
        window.parts.settings_built.connect(self._on_settings_built)

    # --- out ----------------------------------------------------------------------------------

    @Slot(object, str)
    def export(self, chats: Sequence[int], kind: str) -> QFileDialog:
        """Ask where chats are to be saved; ``kind`` is of ``chat_menus.EXPORTS``."""
        text = self._window.look.language.text
        title = " ".join(self._chats.open(chats[0]).row.title.split())
        name = file_name(title) if len(chats) == 1 else text("export-several", chats=len(chats))
        dialog = self._dialog("export-title", QFileDialog.FileMode.AnyFile)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        ending = kind.partition("-")[0]
        dialog.setNameFilter(f"{text(f'export-{kind}')} (*.{ending})")
        dialog.setDefaultSuffix(ending)
        dialog.selectFile(f"{name or text('chat-untitled')}.{ending}")
        dialog.fileSelected.connect(lambda chosen: self.write(chats, kind, Path(chosen)))
        dialog.open()
        return dialog

    def write(self, chats: Sequence[int], kind: str, path: Path) -> None:
        """Write chats to a file; a notice says when it is there."""
        if kind == "json":
            self._transfer.export_json(chats, path)
            return
        said = [self._said(chat) for chat in chats]
        words = self._words()
        if kind.startswith("pdf"):
            ink, number = self._ink(), self._window.look.language.text("export-page")
            from app.ui.pdf_export import write_pdf  # noqa: PLC0415  late: it takes its time

            whole = kind == WITH_FILES
            self._transfer.export_file(
                path, lambda: write_pdf(said, words, ink, number, path, with_files=whole)
            )
            return

        by_day_and_night = self._window.look.theme.code_colors()

        def made() -> str:
            if kind == "md":
                return markdown_of(said, words)
            from app.rendering.html import (  # noqa: PLC0415  late: it takes its time
                code_style,
                markdown_html,
            )

            return html_of(said, words, markdown_html, code_style(*by_day_and_night))

        self._background.run(
            made, lambda page: self._transfer.export_text(page, path), lambda fault: None
        )

    def _ink(self) -> Ink:
        from app.rendering.printed import Ink  # noqa: PLC0415 - pygments and QtSvg with it

        theme = self._window.look.theme
        return Ink(theme.families("reading"), theme.families("code"), theme.print_colors())

    def _said(self, chat: int) -> SaidChat:
        session = self._chats.open(chat)
        return SaidChat(session.row.title, tuple(session.path()))

    def _words(self) -> ExportWords:
        language = self._window.look.language
        names = ("you", "answer", "instructions", "thought", "attached")
        code = language.code.replace("_", "-")
        return ExportWords(code, *(language.text(f"export-{name}") for name in names))

    @Slot(object)
    def _on_exported(self, path: Path) -> None:
        def phrase(language: Language) -> FaultText:
            saved = language.text("export-saved", name=path.name)
            return FaultText(saved, "", language.text("action-open-folder"))

        def act() -> None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))

        self._deeds.announce(Announcement(_KEY, Tone.INFO, phrase, act, _SAVED_MS))
        self.saved.emit()

    # --- in -----------------------------------------------------------------------------------

    @Slot()
    def choose_file(self) -> None:
        """Ask for a file with chats, then import it."""
        self._choose("import-title", QFileDialog.FileMode.ExistingFile)

    @Slot()
    def choose_folder(self) -> None:
        """Ask for a folder with chats, then import it."""
        self._choose("import-title", QFileDialog.FileMode.Directory)

    def import_from(self, path: Path) -> None:
        """Import what lies at a path; a notice says how much of it was new."""
        self._deeds.announce(
            Announcement(
                _KEY,
                Tone.INFO,
                lambda language: FaultText(language.text("import-reading", name=path.name)),
            )
        )
        self._transfer.import_from(path)

    def _choose(self, title_id: str, mode: QFileDialog.FileMode) -> None:
        dialog = self._dialog(title_id, mode)
        dialog.fileSelected.connect(lambda chosen: self.import_from(Path(chosen)))
        dialog.open()

    @Slot(object)
    def _on_settings_built(self, page: SettingsPage) -> None:
        page.history.import_file.clicked.connect(self.choose_file)
        page.history.import_folder.clicked.connect(self.choose_folder)

    @Slot(object)
    def _on_imported(self, outcome: ImportOutcome) -> None:
        self._chats.reload()
        incomplete = bool(outcome.failures or outcome.lost_turns)
        tone = Tone.WARNING if incomplete else Tone.INFO
        self._deeds.announce(
            Announcement(_KEY, tone, lambda language: imported_text(outcome, language))
        )

    # --- both ---------------------------------------------------------------------------------

    @Slot(object)
    def _on_failed(self, fault: StoreFault) -> None:
        def phrase(language: Language) -> FaultText:
            said = store_fault_text(fault, language)
            if fault.kind is StoreFaultKind.UNREACHABLE:
                return FaultText(said.lead, language.text("transfer-failed", **fault.figures))
            if fault.kind is not StoreFaultKind.IMPORT_UNREADABLE:
                return said
            return FaultText(said.lead, said.rest, language.text("import-other"))

        act: Callable[[], None] | None = None
        if fault.kind is StoreFaultKind.IMPORT_UNREADABLE:
            act = self.choose_file
        self._deeds.announce(Announcement(_KEY, Tone.ERROR, phrase, act))
        self.failed.emit()

    def _dialog(self, title_id: str, mode: QFileDialog.FileMode) -> QFileDialog:
        dialog = QFileDialog(self._window, self._window.look.language.text(title_id))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(mode)
        return dialog


def file_name(title: str) -> str:
    """Return a title as a name that every system takes for a file, without its ending."""
    return " ".join(_FORBIDDEN.sub(" ", title).split()).strip(" .")[:80].strip()


def imported_text(outcome: ImportOutcome, language: Language) -> FaultText:
    """Return what an import did, with its counts; what could not be read is named."""
    text, kept = language.text, outcome.kept
    rest = []
    if kept.turns:
        rest.append(text("import-turns", turns=kept.turns))
    if kept.completed:
        rest.append(text("import-completed", chats=kept.completed))
    if kept.unchanged:
        rest.append(text("import-unchanged", chats=kept.unchanged))
    if outcome.lost_turns:
        rest.append(text("import-lost", turns=outcome.lost_turns))
    if outcome.failures:
        first = outcome.failures[0]
        more = text("import-failures", count=len(outcome.failures))
        why = text("import-reason", reason=first.reason.value)
        rest.append(text("import-first-failure", said=more, name=first.name, reason=why))
    gap = " " if language.code == "en" else ""
    return FaultText(text("import-chats", chats=kept.chats), gap.join(rest))
