"""Backups in the window: where one is written, which one comes back, and how."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QFileDialog

from app.chat.transfer import Transfer
from app.store.folders import copies_folder, data_folder
from app.ui.main_window import MainWindow
from app.ui.question import Answer, QuestionDialog

if TYPE_CHECKING:
    from app.ui.settings.page import SettingsPage


class BackupOnScreen(QObject):
    """Answers the buttons for a backup; what came of it, ``TransferOnScreen`` says.

    Args:
        transfer: makes backups and brings them back.
        window: the parent of what is asked.
    """

    def __init__(self, transfer: Transfer, window: MainWindow) -> None:
        super().__init__(window)
        self._transfer, self._window = transfer, window
        window.parts.settings_built.connect(self._on_settings_built)

    @Slot()
    def choose_target(self) -> None:
        """Ask where a backup is to be written, then write it."""
        text = self._window.look.language.text
        dialog = self._dialog("backup-make", QFileDialog.FileMode.AnyFile)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("db")
        day = time.strftime("%Y-%m-%d")
        dialog.selectFile(f"{text('backup-name', day=day)}.db")
        dialog.fileSelected.connect(lambda chosen: self._transfer.back_up(Path(chosen)))
        dialog.open()

    @Slot()
    def choose_source(self) -> None:
        """Ask which backup is to come back; the daily copies are shown first."""
        dialog = self._dialog("backup-restore", QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter(f"{self._window.look.language.text('backup-files')} (*.db)")
        copies = copies_folder(data_folder())
        if copies.is_dir():
            dialog.setDirectory(str(copies))
        dialog.fileSelected.connect(lambda chosen: self.ask_how(Path(chosen)))
        dialog.open()

    def ask_how(self, path: Path) -> None:
        """Ask whether a backup is to be added to the chats or to take their place."""
        text = self._window.look.language.text
        answers = [
            Answer(
                "restore-replace", lambda: self._transfer.restore(path, replaces=True), "danger"
            ),
            Answer("restore-merge", lambda: self._transfer.restore(path, replaces=False), "main"),
        ]
        question, about = text("restore-question", name=path.name), text("restore-about")
        QuestionDialog(self._window.look, question, about, answers, self._window).open()

    @Slot(object)
    def _on_settings_built(self, page: SettingsPage) -> None:
        page.history.back_up.clicked.connect(self.choose_target)
        page.history.restore.clicked.connect(self.choose_source)

    def _dialog(self, title_id: str, mode: QFileDialog.FileMode) -> QFileDialog:
        dialog = QFileDialog(self._window, self._window.look.language.text(title_id))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(mode)
        return dialog
