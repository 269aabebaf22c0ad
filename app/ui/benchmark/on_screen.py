"""The results of the benchmark page, saved where the user wants them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QFileDialog

from app.chat.benchmarking import Benchmarking
from app.language import Language
from app.store.benchmarks import Speed, as_csv, as_json
from app.store.settings import write_atomically
from app.ui.background import Background
from app.ui.benchmark.page import BenchmarkPage
from app.ui.deeds import Deeds
from app.ui.faults import FaultText
from app.ui.main_window import MainWindow
from app.ui.notices import Announcement, Tone

_KEY = "benchmark"
_SAVED_MS = 10_000
_NAME = "inkstone-benchmark"


class BenchmarkOnScreen(QObject):
    """Answers the page's wish to save."""

    def __init__(
        self,
        benchmarking: Benchmarking,
        background: Background,
        window: MainWindow,
        deeds: Deeds,
    ) -> None:
        super().__init__(window)
        self._bench, self._background = benchmarking, background
        self._window, self._deeds = window, deeds
        window.parts.benchmark_built.connect(self._on_built)

    def write(self, speeds: tuple[Speed, ...], path: Path) -> None:
        """Write speeds as CSV or JSON, by the file's ending; a notice says what came of it."""
        text = as_json(speeds) if path.suffix.casefold() == ".json" else as_csv(speeds)

        def save() -> str:
            try:
                write_atomically(path, text.encode("utf-8", "surrogatepass"))
            except OSError as error:
                return str(error.strerror or error)
            return ""

        self._background.run(save, lambda reason: self._say(path, reason), lambda fault: None)

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
        self._deeds.announce(Announcement(_KEY, tone, phrase, lasts_ms=lasts))

    @Slot(object)
    def _on_built(self, page: BenchmarkPage) -> None:
        page.save_requested.connect(self._on_save_requested)

    @Slot(object)
    def _on_save_requested(self, speeds: tuple[Speed, ...]) -> None:
        text = self._window.look.language.text
        dialog = QFileDialog(self._window, text("benchmark-save"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters(["CSV (*.csv)", "JSON (*.json)"])
        dialog.setDefaultSuffix("csv")
        dialog.selectFile(f"{_NAME}.csv")
        dialog.fileSelected.connect(lambda chosen: self.write(speeds, Path(chosen)))
        dialog.open()
