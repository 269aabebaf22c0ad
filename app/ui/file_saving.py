"""A text that goes into, or comes from, a file of the user's choice: asked where, and told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from app.language import Language
from app.store.settings import write_atomically
from app.ui.background import Background
from app.ui.deeds import Deeds
from app.ui.faults import FaultText
from app.ui.main_window import MainWindow
from app.ui.notices import Announcement, Tone

_SAVED_MS = 10_000
_MOST_BYTES = 4_000_000  # of a text that is fetched

Told = Callable[[Path, str], None]
"""Is told of a file that was written, and why it was not; the reason is empty if it was."""


class FileSaving(QObject):
    """Asks, writes and tells.

    Args:
        window: over which it is asked.
        background: where files are written.
        deeds: where notices are announced.
    """

    def __init__(self, window: MainWindow, background: Background, deeds: Deeds) -> None:
        super().__init__(window)
        self._window, self.background, self._deeds = window, background, deeds
        window.parts.chat.verbs.save_wanted.connect(self._on_save_wanted)

    def ask(
        self,
        text: str,
        name: str,
        title_id: str,
        over: QWidget | None = None,
        told: Told | None = None,
    ) -> None:
        """Ask where a text is to be saved.

        Args:
            text: all of it.
            name: of the file, as a proposal.
            title_id: the dialog's title.
            over: a dialog that asks; None for the window.
            told: says what came of it; None for a notice in the window.
        """
        self._open(title_id, name, lambda path: self.write(text, path, told), over=over)

    def fetch(
        self,
        title_id: str,
        over: QWidget,
        then: Callable[[str], None],
        failed: Callable[[str], None],
    ) -> None:
        """Ask for a text file and read it, at most 4 MB of it.

        Args:
            title_id: the dialog's title.
            over: a dialog that asks.
            then: takes the text; what is no UTF-8 stands in it as U+FFFD.
            failed: takes the system's reason.
        """
        dialog = QFileDialog(over, self._window.look.language.text(title_id), "", "*.json")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda chosen: self.read(Path(chosen), then, failed))
        dialog.open()

    def read(self, path: Path, then: Callable[[str], None], failed: Callable[[str], None]) -> None:
        """Read a text file in the background."""

        def load() -> tuple[str, str]:
            try:
                with path.open("rb") as file:
                    return file.read(_MOST_BYTES).decode("utf-8-sig", "replace"), ""
            except OSError as error:
                return "", str(error.strerror or error)

        def tell(read: tuple[str, str]) -> None:
            text, reason = read
            if reason:
                failed(reason)
            else:
                then(text)

        self.background.run(load, tell, lambda fault: None)

    def ask_table(self, write: Callable[[Path], None], name: str, title_id: str) -> None:
        """Ask where figures are to be saved, as CSV or JSON.

        Args:
            write: writes them, in the form that the chosen file's ending says.
            name: of the file, without ending.
            title_id: the dialog's title.
        """
        filters = ["CSV (*.csv)", "JSON (*.json)"]
        self._open(title_id, f"{name}.csv", write, filters, "csv")

    def write(self, text: str, path: Path, told: Told | None = None) -> None:
        """Write a text; the file that was there before stays as it is where that fails."""
        tell = told or self._say

        def save() -> str:
            try:
                write_atomically(path, text.encode("utf-8", "surrogatepass"))
            except OSError as error:
                return str(error.strerror or error)
            return ""

        self.background.run(save, lambda reason: tell(path, reason), lambda fault: None)

    @Slot(str, str)
    def _on_save_wanted(self, text: str, name: str) -> None:
        """Save what stands in the transcript, its last line ended."""
        self.ask(f"{text}\n", name, "transcript-save")

    def _open(
        self,
        title_id: str,
        name: str,
        then: Callable[[Path], None],
        filters: Sequence[str] = (),
        suffix: str = "",
        over: QWidget | None = None,
    ) -> None:
        dialog = QFileDialog(over or self._window, self._window.look.language.text(title_id))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters(filters)
        dialog.setDefaultSuffix(suffix)
        dialog.selectFile(name)
        dialog.fileSelected.connect(lambda chosen: then(Path(chosen)))
        dialog.open()

    def _say(self, path: Path, reason: str) -> None:
        def phrase(language: Language) -> FaultText:
            if reason:
                return FaultText(
                    language.text("benchmark-not-saved", name=path.name),
                    language.text("transfer-failed", path=str(path), reason=reason),
                )
            return FaultText(language.text("export-saved", name=path.name))

        tone = Tone.ERROR if reason else Tone.INFO
        lasts = 0 if reason else _SAVED_MS
        self._deeds.announce(Announcement("file-saved", tone, phrase, lasts_ms=lasts))
