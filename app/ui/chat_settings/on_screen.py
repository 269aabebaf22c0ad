"""The settings of a chat between settings file, model and screen: presets, steps, ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.chat.model_session import ModelSession
from app.chat.presets import Preset, line_of, presets_of
from app.store.settings import SettingsFile
from app.ui.carrying import CarryingFiles
from app.ui.file_saving import FileSaving
from app.ui.look import Look
from app.ui.parts import Parts
from engine.contract import Sampling

if TYPE_CHECKING:
    from app.ui.settings.page import SettingsPage


class ChatSettingsOnScreen(QObject):
    """Opens what the choice of a preset leads to, and keeps presets of one's own."""

    def __init__(
        self,
        look: Look,
        parts: Parts,
        settings: SettingsFile,
        model: ModelSession,
        files: FileSaving,
    ) -> None:
        super().__init__(parts.chat)
        self._files = CarryingFiles(files, "presets-own", "presets.json", self)
        self._look, self._settings, self._model = look, settings, model
        self._window, self._bar = parts.chat, parts.chat.box.options
        self._bar.adjust_wanted.connect(self.adjust)
        self._bar.presets_wanted.connect(self.manage)
        parts.settings_built.connect(self._on_settings_built)
        self._refresh()

    @Slot()
    def adjust(self) -> None:
        """Open every setting of the chat."""
        from app.ui.chat_settings.dialog import ChatSettingsDialog  # noqa: PLC0415 - at the wish

        dialog = ChatSettingsDialog(
            self._look, self._bar.options, self._usual(), self._window.window()
        )
        dialog.changed.connect(self._bar.take)
        dialog.open()

    @Slot()
    def manage(self) -> None:
        """Open the presets of one's own."""
        own = presets_of(self._settings.settings.presets)
        now = self._bar.options.sampling or self._usual()
        from app.ui.chat_settings.presets_dialog import PresetsDialog  # noqa: PLC0415 - at the wish

        dialog = PresetsDialog(self._look, own, now, self._window.window())
        dialog.changed.connect(self._on_changed)
        self._files.serve(dialog)
        dialog.open()

    def _usual(self) -> Sampling:
        loaded = self._model.state.loaded
        return loaded.default_sampling if loaded is not None else Sampling()

    @Slot(object)
    def _on_settings_built(self, page: SettingsPage) -> None:
        page.library.presets.clicked.connect(self.manage)

    @Slot(list)
    def _on_changed(self, presets: list[Preset]) -> None:
        self._settings.change(presets=tuple(map(line_of, presets)))
        self._refresh()

    def _refresh(self) -> None:
        self._bar.show_presets(presets_of(self._settings.settings.presets))
