"""Leads to the settings of one model, and loads it again with them when asked."""

from __future__ import annotations

import platform
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.model_session import ModelPhase
from app.ui.deeds import Deeds
from app.ui.main_window import MainWindow
from app.ui.model_menu import ModelVerb
from app.ui.models_on_screen import ModelThings
from engine.contract import Fault, ModelFacts
from engine.library.gpus import read_gpus

if TYPE_CHECKING:
    from app.ui.model_settings.dialog import ModelSettingsDialog
    from app.ui.models_page import ModelsPage
    from app.ui.settings.page import SettingsPage

_PROCESSOR = ("", "cpu")


class ModelSettingsOnScreen(QObject):
    """Between the models page, the dialog, the notes of models and what is loaded."""

    changed = Signal()  # values of a model

    def __init__(self, things: ModelThings, window: MainWindow, deeds: Deeds) -> None:
        super().__init__(window)
        self._model, self._background = things.model, things.background
        self._window, self._deeds = window, deeds
        self._facts: ModelFacts | None = None
        self._dialog: ModelSettingsDialog | None = None
        self._model.state_changed.connect(self._show_loaded)
        window.parts.models_built.connect(self._on_built)
        window.parts.settings_built.connect(self._on_settings_built)

    def open(self, facts: ModelFacts) -> None:
        """Open the settings of a model."""
        settings = self._model.settings_of
        from app.ui.model_settings.dialog import ModelSettingsDialog  # noqa: PLC0415 - at the wish

        dialog = ModelSettingsDialog(self._window.look, facts, settings, self._window)
        self._facts, self._dialog = facts, dialog
        dialog.changed.connect(self._on_changed)
        dialog.load_wanted.connect(self._load)
        dialog.finished.connect(self._on_closed)
        self._show_loaded()
        dialog.open()
        self._background.run(read_devices, self._on_devices_read, self._on_not_read)

    @Slot(object)
    def _on_built(self, page: ModelsPage) -> None:
        page.menu.offer(
            ModelVerb("model-settings", "sliders-horizontal", self.open, _is_loaded_here)
        )
        page.detail.settings_wanted.connect(self.open)

    @Slot(object)
    def _on_settings_built(self, page: SettingsPage) -> None:
        page.show_devices(_PROCESSOR)
        self._background.run(
            read_devices, page.show_devices, lambda _: page.show_devices(_PROCESSOR)
        )

    def _on_devices_read(self, devices: tuple[str, ...]) -> None:
        if self._dialog is not None:
            self._dialog.show_devices(devices)

    def _on_not_read(self, _: Fault) -> None:
        self._on_devices_read(_PROCESSOR)

    @Slot()
    def _on_changed(self) -> None:
        self._show_loaded()
        if self._window.parts.built_models is not None:
            self._window.parts.built_models.refresh()
        self.changed.emit()

    @Slot()
    def _show_loaded(self) -> None:
        """Show beside the values whether the model that is loaded has them."""
        dialog, facts, state = self._dialog, self._facts, self._model.state
        if dialog is not None and facts is not None:
            is_loaded = state.phase is ModelPhase.READY and state.path == facts.path
            dialog.show_loaded(is_loaded=is_loaded, is_outdated=self._model.is_outdated)

    @Slot()
    def _on_closed(self) -> None:
        self._dialog = self._facts = None

    @Slot()
    def _load(self) -> None:
        dialog, facts = self._dialog, self._facts
        if dialog is not None and facts is not None:
            dialog.accept()
            self._deeds.load(facts.path)


def read_devices() -> tuple[str, ...]:
    """Return what this computer can compute on, by the choices of the setting."""
    apple = sys.platform == "darwin" and platform.machine() == "arm64"
    cuda = ("cuda",) if read_gpus() else ()
    return (*_PROCESSOR, *cuda, *(("mps",) if apple else ()))


def _is_loaded_here(facts: ModelFacts) -> bool:
    return facts.support.runs_here
