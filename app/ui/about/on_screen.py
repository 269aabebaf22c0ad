"""The section about the program between the packages that are there and the screen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.ui.background import Background
from app.ui.deeds import Deeds
from app.ui.main_window import MainWindow

if TYPE_CHECKING:
    from app.about.licences import Part
    from app.ui.about.licences import LicencesDialog
    from app.ui.settings.page import SettingsPage

_PYPROJECT = Path(__file__).resolve().parents[3] / "pyproject.toml"


class AboutOnScreen(QObject):
    """Answers the buttons of the section; reads licences in the background.

    Args:
        window: with the settings page.
        background: where packages are read.
        deeds: opens the folder.
    """

    def __init__(self, window: MainWindow, background: Background, deeds: Deeds) -> None:
        super().__init__(window)
        self._window, self._background, self._deeds = window, background, deeds
        self._parts: list[Part] = []
        self._dialog: LicencesDialog | None = None
        window.parts.settings_built.connect(self._on_settings_built)

    @Slot()
    def show_licences(self) -> None:
        """Open the licences of everything that others wrote."""
        from app.about.licences import all_parts, source_roots  # noqa: PLC0415 - at the wish
        from app.ui.about.licences import LicencesDialog  # noqa: PLC0415

        if self._dialog is not None:
            self._dialog.raise_()
            return
        self._dialog = dialog = LicencesDialog(self._window.look, self._window)
        dialog.text_wanted.connect(self._on_text_wanted)
        dialog.finished.connect(self._on_closed)
        dialog.open()
        self._background.run(
            lambda: self._parts or all_parts(roots=source_roots(_PYPROJECT)),
            self._on_read,
            lambda fault: None,
        )

    @Slot(object)
    def _on_settings_built(self, page: SettingsPage) -> None:
        page.about.folder.clicked.connect(self._deeds.open_data_folder)
        page.about.licences.clicked.connect(self.show_licences)

    def _on_read(self, parts: list[Part]) -> None:
        self._parts = parts
        if self._dialog is not None:
            self._dialog.show_parts(parts)

    @Slot(object)
    def _on_text_wanted(self, part: Part) -> None:
        def show(text: str) -> None:
            if self._dialog is not None:
                self._dialog.show_text(part, text)

        self._background.run(lambda: _whole_text(part), show, lambda fault: None)

    @Slot()
    def _on_closed(self) -> None:
        self._dialog = None


def _whole_text(part: Part) -> str:
    texts = list(part.texts())
    if len(texts) == 1:
        return texts[0][1].strip("\n")
    return "\n\n".join(f"--- {name} ---\n\n{text.strip()}" for name, text in texts)
