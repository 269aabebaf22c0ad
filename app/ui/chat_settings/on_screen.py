"""The settings of a chat between settings file, model and screen: presets, steps, ends."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from app.chat.model_session import ModelSession
from app.chat.presets import Preset, line_of, presets_of
from app.store.settings import SettingsFile
from app.ui.chat_page import ChatPage
from app.ui.chat_settings.dialog import ChatSettingsDialog
from app.ui.chat_settings.presets_dialog import PresetsDialog
from app.ui.look import Look
from engine.contract import Sampling


class ChatSettingsOnScreen(QObject):
    """Opens what the choice of a preset leads to, and keeps presets of one's own."""

    def __init__(
        self, look: Look, page: ChatPage, settings: SettingsFile, model: ModelSession
    ) -> None:
        super().__init__(page)
        self._look, self._settings, self._model = look, settings, model
        self._window, self._bar = page, page.box.options
        self._bar.adjust_wanted.connect(self.adjust)
        self._bar.presets_wanted.connect(self.manage)
        self._refresh()

    @Slot()
    def adjust(self) -> None:
        """Open every setting of the chat."""
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
        dialog = PresetsDialog(self._look, own, now, self._window.window())
        dialog.changed.connect(self._on_changed)
        dialog.open()

    def _usual(self) -> Sampling:
        loaded = self._model.state.loaded
        return loaded.default_sampling if loaded is not None else Sampling()

    @Slot(list)
    def _on_changed(self, presets: list[Preset]) -> None:
        self._settings.change(presets=tuple(map(line_of, presets)))
        self._refresh()

    def _refresh(self) -> None:
        self._bar.show_presets(presets_of(self._settings.settings.presets))
