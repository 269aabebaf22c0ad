"""The results of the benchmark page, saved where the user wants them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.store.benchmarks import Speed, as_csv, as_json
from app.ui.file_saving import FileSaving
from app.ui.main_window import MainWindow

if TYPE_CHECKING:
    from app.ui.benchmark.page import BenchmarkPage

_NAME = "inkstone-benchmark"


class BenchmarkOnScreen(QObject):
    """Answers the page's wish to save."""

    def __init__(self, saving: FileSaving, window: MainWindow) -> None:
        super().__init__(window)
        self._saving = saving
        window.parts.benchmark_built.connect(self._on_built)

    def write(self, speeds: tuple[Speed, ...], path: Path) -> None:
        """Write speeds as CSV or JSON, by the file's ending; a notice says what came of it."""
        as_text = as_json if path.suffix.casefold() == ".json" else as_csv
        self._saving.write(as_text(speeds), path)

    @Slot(object)
    def _on_built(self, page: BenchmarkPage) -> None:
        page.save_requested.connect(self._on_save_requested)

    @Slot(object)
    def _on_save_requested(self, speeds: tuple[Speed, ...]) -> None:
        self._saving.ask_table(lambda path: self.write(speeds, path), _NAME, "benchmark-save")
