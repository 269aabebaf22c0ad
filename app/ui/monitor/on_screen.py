"""The monitor's figures, saved where the user wants them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.chat.monitoring import Monitoring
from app.store.monitor import as_csv, as_json
from app.ui.file_saving import FileSaving
from app.ui.main_window import MainWindow

if TYPE_CHECKING:
    from app.ui.monitor.page import MonitorPage


class MonitorOnScreen(QObject):
    """Answers the page's wish to save.

    Args:
        monitoring: whose figures.
        saving: writes, and says what came of it.
        window: whose page wishes it.
    """

    def __init__(self, monitoring: Monitoring, saving: FileSaving, window: MainWindow) -> None:
        super().__init__(window)
        self._monitoring, self._saving = monitoring, saving
        window.parts.monitor_built.connect(self._on_built)

    def write(self, path: Path) -> None:
        """Write everything that is kept as CSV or JSON, by the file's ending."""
        kept = self._monitoring.log.kept
        as_text = as_json if path.suffix.casefold() == ".json" else as_csv
        self._saving.write(as_text(kept), path)

    @Slot(object)
    def _on_built(self, page: MonitorPage) -> None:
        page.save_requested.connect(self._on_save_requested)

    @Slot()
    def _on_save_requested(self) -> None:
        self._saving.ask_table(self.write, "inkstone-monitor", "monitor-save")
