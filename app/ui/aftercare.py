"""What was left by a run that ended badly, and what helps others to help."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication

from app.chat.model_session import ModelSession
from app.store.diagnostics import diagnostics
from app.store.folders import log_path
from app.store.settings import SettingsFile
from app.ui.deeds import Deeds
from app.ui.faults import FaultAction, FaultText
from app.ui.main_window import MainWindow
from app.ui.notices import Announcement, Tone

if TYPE_CHECKING:
    from app.ui.settings.page import SettingsPage

_COPIED_MS = 8000


class Aftercare(QObject):
    """Tells of crashes and of a load that was broken off; opens logs, copies diagnostics.

    Args:
        folder: the data folder.
        settings: what is listed of them.
        model: what is loaded, and what broke off.
        window: whose settings page has the buttons.
        deeds: notices, and loading again.
    """

    def __init__(
        self,
        folder: Path,
        settings: SettingsFile,
        model: ModelSession,
        window: MainWindow,
        deeds: Deeds,
    ) -> None:
        super().__init__(window)
        self._folder, self._settings, self._model = folder, settings, model
        self._deeds = deeds
        window.parts.settings_built.connect(self._on_settings_built)

    def say(self, reports: list[Path]) -> None:
        """Tell what the last run left: its reports, and a model that it was loading."""
        if reports:
            self._announce("crash", "crash-report", "crash-open", lambda: _show(reports[-1].parent))
        broken_off = self._model.broken_off
        if broken_off is not None:
            self._announce(
                "safe", "safe-mode", "safe-load", lambda: self._deeds.load(broken_off),
                name=broken_off.stem,
            )  # fmt: skip

    def _announce(self, key: str, text_id: str, label_id: str, act: object, **figures: str) -> None:
        self._deeds.announce(
            Announcement(
                key,
                Tone.WARNING,
                lambda language: FaultText(
                    language.text(text_id, **figures),
                    "",
                    language.text(label_id) if label_id else "",
                    FaultAction.NONE,
                ),
                act if callable(act) else None,
                0 if label_id else _COPIED_MS,
            )
        )

    @Slot(object)
    def _on_settings_built(self, page: SettingsPage) -> None:
        page.privacy.open_logs.clicked.connect(self._on_open_logs)
        page.privacy.copy.clicked.connect(self._on_copy)

    @Slot()
    def _on_open_logs(self) -> None:
        folder = log_path(self._folder).parent
        folder.mkdir(parents=True, exist_ok=True)
        _show(folder)

    @Slot()
    def _on_copy(self) -> None:
        loaded = self._model.state.loaded
        figures: dict[str, object] = {"model": "none"}
        if loaded is not None:
            facts = loaded.model
            figures = {
                "model": f"{facts.architecture}, {facts.quantization}, {facts.parameters:,}",
                "context": loaded.context,
                "device": loaded.device,
                "threads": loaded.threads,
            }
        text = diagnostics(self._settings.settings, figures, log_path(self._folder))
        QGuiApplication.clipboard().setText(text)
        self._announce("diagnostics", "diagnostics-copied", "", None)


def _show(folder: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
