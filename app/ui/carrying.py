"""Dialogs over things of one's own that are carried as a file: prompts, presets.

A file's faults are named; where a name is taken by something else, it is asked what holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QWidget

from app.chat.carried import CarriedFileError, Thing, clashes, merged
from app.ui.file_saving import FileSaving
from app.ui.look import Look
from app.ui.question import Answer, QuestionDialog
from app.ui.words import Plain, wrapped

_MOST_NAMES = 5  # that a question lists


class CarryingDialog(QDialog):
    """A dialog that has things of one's own; whoever opens it asks for the files.

    Args:
        look: theme and language.
        parent: the window.
    """

    import_wanted = Signal()
    export_wanted = Signal(str)  # the file's text

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._look = look
        self.said = wrapped(Plain("", "caption2"))
        self.said.hide()  # an empty one would be read as a thing without a name

    def take(self, content: str) -> None:
        """Take over what a file's text holds, or say why not."""
        raise NotImplementedError

    def say_failed(self, reason: str) -> None:
        """Say that a file could not be read."""
        self._say(self._look.language.text("preset-file-failed", reason=reason))

    def say_saved(self, path: Path, reason: str) -> None:
        """Say what came of writing a file; the reason is empty if it was written."""
        text = self._look.language.text
        words = [text("export-saved", name=path.name)]
        if reason:
            words = [text("benchmark-not-saved", name=path.name)]
            words.append(text("transfer-failed", reason=reason))
        self._say(" ".join(words))

    def _say(self, words: str) -> None:
        self.said.setText(words)
        self.said.setVisible(bool(words))

    def _take_over(
        self,
        there: Sequence[Thing],
        read: Callable[[], Sequence[Thing]],
        taken: Callable[[list[Thing], int], None],
    ) -> None:
        """Take over what a file holds; where a name is taken, ask first.

        Args:
            there: one's own, before.
            read: reads the file's text.
            taken: takes one's own, after, and how many the file held.
        """
        text = self._look.language.text
        self._say("")
        try:
            brought = list(read())
        except CarriedFileError as error:
            self._say(text(error.reason, name=error.name, key=error.key))
            return
        names = clashes(there, brought)
        if not names:
            taken(merged(there, brought, replaces=False), len(brought))
            return
        more = "…" if len(names) > _MOST_NAMES else ""
        listed = text("carried-between").join(names[:_MOST_NAMES]) + more
        question = text("carried-clash", count=len(names), names=listed)

        def answer(text_id: str, kind: str, *, replaces: bool) -> Answer:
            def act() -> None:
                taken(merged(there, brought, replaces=replaces), len(brought))

            return Answer(text_id, act, kind)

        answers = [
            answer("carried-both", "", replaces=False),
            answer("carried-replace", "danger", replaces=True),
        ]
        QuestionDialog(self._look, question, text("carried-clash-about"), answers, self).open()


class CarryingFiles(QObject):
    """Asks for the files of one dialog at a time, and hands over what came of it.

    Args:
        files: reads and writes in the background.
        title_id: of the file dialogs.
        name: proposed for a file.
        parent: of this object.
    """

    def __init__(self, files: FileSaving, title_id: str, name: str, parent: QObject) -> None:
        super().__init__(parent)
        self._files, self._title_id, self._name = files, title_id, name
        self._dialog: CarryingDialog | None = None

    def serve(self, dialog: CarryingDialog) -> None:
        """Answer a dialog's wishes until it closes."""
        self._dialog = dialog
        dialog.import_wanted.connect(self._on_import_wanted)
        dialog.export_wanted.connect(self._on_export_wanted)
        dialog.finished.connect(self._on_finished)

    @Slot()
    def _on_import_wanted(self) -> None:
        if self._dialog is not None:
            self._files.fetch(self._title_id, self._dialog, self._take, self._fail)

    @Slot(str)
    def _on_export_wanted(self, text: str) -> None:
        if self._dialog is not None:
            self._files.ask(text, self._name, self._title_id, self._dialog, self._tell)

    @Slot()
    def _on_finished(self) -> None:
        self._dialog = None

    def _take(self, text: str) -> None:
        if self._dialog is not None:
            self._dialog.take(text)

    def _fail(self, reason: str) -> None:
        if self._dialog is not None:
            self._dialog.say_failed(reason)

    def _tell(self, path: Path, reason: str) -> None:
        if self._dialog is not None:
            self._dialog.say_saved(path, reason)
