"""The offline switch: what runs stops at once, whoever turned it on, and the window says so."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.chat.model_session import ModelSession
from app.store.settings import SettingsFile
from app.ui.downloads.downloads import Downloads
from app.ui.main_window import MainWindow
from app.ui.model_shelf import ModelShelf
from engine.contract import FaultKind
from engine.library.servers.address import is_here


class OfflineOnScreen(QObject):
    """Lets go of everything that is not this computer while the switch is on.

    What is asked for afterwards is refused where it is asked: downloads, hubs, remote models and
    newer versions each look at the setting.

    Args:
        settings: with the switch; followed from its file, not from the page that shows it.
        downloads: which pause and keep what arrived.
        shelf: which may be fetching the starter model.
        model: which may be a server's, elsewhere.
        window: whose status line has the badge.
    """

    def __init__(
        self,
        settings: SettingsFile,
        downloads: Downloads,
        shelf: ModelShelf,
        model: ModelSession,
        window: MainWindow,
    ) -> None:
        super().__init__(window)
        self._settings, self._downloads, self._shelf = settings, downloads, shelf
        self._model, self._network = model, window.parts.status.network
        self._notices = window.notices
        settings.listen(self._on_changed)
        self._network.show_switch(is_on=settings.settings.offline)

    def _on_changed(self, names: frozenset[str]) -> None:
        if "offline" not in names:
            return
        is_on = self._settings.settings.offline
        self._network.show_switch(is_on=is_on)
        if not is_on:
            fault = self._model.state.fault
            if fault is not None and fault.kind is FaultKind.OFFLINE:
                self._notices.dismiss("model")  # the reason is gone; the model can be chosen again
            return
        self._downloads.use_offline()
        self._shelf.stop_fetch()
        loaded = self._model.state.loaded
        server = loaded.model.server if loaded is not None else ""
        if server and not is_here(server):
            self._model.unload()
