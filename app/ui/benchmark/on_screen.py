"""What the benchmark page asks of others: to save, to add a model, to know what else is here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.chat.benchmarking import Benchmarking
from app.store.benchmarks import Speed, as_csv, as_json
from app.ui.computer import is_plugged_in
from app.ui.deeds import Deeds
from app.ui.faults import FaultText
from app.ui.file_saving import FileSaving
from app.ui.main_window import MainWindow
from app.ui.notices import Announcement, Tone
from engine.library.gpus import Gpu, read_gpus

if TYPE_CHECKING:
    from app.ui.benchmark.page import BenchmarkPage

_NAME = "inkstone-benchmark"
_KEY = "benchmark"


class BenchmarkOnScreen(QObject):
    """Answers the page's wishes, and says on other pages that a run has ended."""

    def __init__(
        self,
        benchmarking: Benchmarking,
        saving: FileSaving,
        window: MainWindow,
        deeds: Deeds,
    ) -> None:
        super().__init__(window)
        self._benchmarking, self._saving = benchmarking, saving
        self._window, self._deeds = window, deeds
        self._was_answering = False  # while the run went on
        benchmarking.changed.connect(self._on_changed)
        benchmarking.ended.connect(self._on_ended)
        window.parts.benchmark_built.connect(self._on_built)
        window.page_shown.connect(self._on_page_shown)

    def write(self, speeds: tuple[Speed, ...], path: Path) -> None:
        """Write speeds as CSV or JSON, by the file's ending; a notice says what came of it."""
        as_text = as_json if path.suffix.casefold() == ".json" else as_csv
        self._saving.write(as_text(speeds), path)

    @Slot(object)
    def _on_built(self, page: BenchmarkPage) -> None:
        page.save_requested.connect(self._on_save_requested)
        page.add_requested.connect(lambda: self._window.show_page("add_model"))

    @Slot(object)
    def _on_save_requested(self, speeds: tuple[Speed, ...]) -> None:
        self._saving.ask_table(lambda path: self.write(speeds, path), _NAME, "benchmark-save")

    @Slot(str)
    def _on_page_shown(self, name: str) -> None:
        """Ask for graphics cards and power each time: both change while the program runs."""
        if name != "benchmark":
            return
        self._deeds.dismiss(_KEY)
        page = self._window.parts.benchmark

        def known(gpus: tuple[Gpu, ...]) -> None:
            page.facts.show_surroundings(tuple(gpu.name for gpu in gpus), is_plugged_in())

        self._saving.background.run(read_gpus, known, lambda _: None)

    @Slot()
    def _on_changed(self) -> None:
        """Notice whether an answer is written meanwhile: it takes from what is measured."""
        now, session = self._benchmarking.now, self._window.parts.chat.session
        if now is not None:
            is_new = not now.name
            answers = session is not None and session.state.busy
            self._was_answering = answers or (self._was_answering and not is_new)
        if (page := self._window.parts.built_benchmark) is not None:
            page.show_disturbed(disturbed=self._was_answering)

    @Slot(int)
    def _on_ended(self, measured: int) -> None:
        if self._window.page == "benchmark":
            return
        failed = bool(self._benchmarking.faults)
        text_id = "benchmark-done" if measured else "benchmark-done-not"
        self._deeds.announce(
            Announcement(
                _KEY,
                Tone.WARNING if failed else Tone.INFO,
                lambda language: FaultText(
                    language.text(text_id, models=measured),
                    action_label=language.text("benchmark-look"),
                ),
                lambda: self._window.show_page("benchmark"),
            )
        )
