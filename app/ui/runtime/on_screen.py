"""The CUDA runtime between its job, the models page, the settings and its dialog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.store.settings import SettingsFile
from app.ui.background import Background
from app.ui.main_window import MainWindow
from engine.contract import Fault, FaultKind

if TYPE_CHECKING:
    from app.chat.gpu_runtime import GpuRuntime
    from app.ui.models_page import ModelsPage
    from app.ui.runtime.dialog import RuntimeDialog
    from app.ui.runtime.offer import RuntimeOffer
    from app.ui.settings.page import SettingsPage

_HOST = "pypi.org"  # whose files are asked for, unless pip's settings name another index


class RuntimeOnScreen(QObject):
    """Looks around when the models page is seen; everything else waits for a button.

    Args:
        window: with the pages.
        settings: whether the network may be used, and the offer be shown.
        background: where driver and disk are asked.
    """

    def __init__(self, window: MainWindow, settings: SettingsFile, background: Background) -> None:
        super().__init__(window)
        self._window, self._settings, self._background = window, settings, background
        self._made: GpuRuntime | None = None
        self.dialog: RuntimeDialog | None = None
        self.offer: RuntimeOffer | None = None
        window.parts.models_built.connect(self._on_models_built)
        window.parts.settings_built.connect(self._on_settings_built)

    @property
    def runtime(self) -> GpuRuntime:
        """The job; made when a page first asks about it, since the start must not wait for it."""
        if self._made is None:
            from app.chat.gpu_runtime import GpuRuntime  # noqa: PLC0415

            self._made = GpuRuntime(parent=self)
            self._made.look_wanted.connect(self.look)
            self._made.changed.connect(self._on_changed)
        return self._made

    def close(self) -> None:
        """End a download; what arrived is kept."""
        if self._made is not None:
            self._made.close()

    @Slot()
    def look(self) -> None:
        """Ask what there is on this computer now."""
        from app.chat.gpu_runtime import Outlook, look_around  # noqa: PLC0415

        def unknown(fault: Fault) -> None:
            self.runtime.show(Outlook(fault=fault))

        self._background.run(look_around, self.runtime.show, unknown)

    @Slot()
    def open(self) -> None:
        """Open the dialog."""
        from app.ui.runtime.dialog import RuntimeDialog  # noqa: PLC0415 - for those who ask

        if self.dialog is not None:
            return
        self.dialog = dialog = RuntimeDialog(self._window.look, self.runtime, self._window)
        dialog.install_wanted.connect(self._on_install_wanted)
        dialog.finished.connect(self._on_closed)
        dialog.open()
        self.look()

    @Slot(object)
    def _on_models_built(self, page: ModelsPage) -> None:
        from app.ui.runtime.offer import RuntimeOffer  # noqa: PLC0415

        self.offer = offer = RuntimeOffer(self._window.look, self.runtime, self._settings)
        offer.open_wanted.connect(self.open)
        offer.hide_wanted.connect(self._on_hide_wanted)
        page.set_below(offer)
        page.shown.connect(self.look)

    @Slot(object)
    def _on_settings_built(self, page: SettingsPage) -> None:
        page.runtime.clicked.connect(self.open)
        page.changed.connect(self._on_setting_changed)

    @Slot(str)
    def _on_setting_changed(self, key: str) -> None:
        if key == "offline" and self._settings.settings.offline and self._made is not None:
            self._made.pause()
        elif key == "offer_cuda" and self.offer is not None:
            self.offer.refresh()

    @Slot()
    def _on_hide_wanted(self) -> None:
        self._settings.change(offer_cuda=False)
        if self._window.parts.built_settings is not None:
            self._window.parts.built_settings.show_settings()
        if self.offer is not None:
            self.offer.refresh()

    @Slot()
    def _on_install_wanted(self) -> None:
        if self._settings.settings.offline:
            self.runtime.refuse(Fault(FaultKind.OFFLINE, {"host": _HOST}))
        else:
            self.runtime.install()

    @Slot()
    def _on_changed(self) -> None:
        from app.chat.gpu_runtime import Deed  # noqa: PLC0415

        is_fetching = self.runtime.state.deed is Deed.FETCHING
        self._window.parts.status.network.show_downloads(int(is_fetching), "runtime")

    @Slot()
    def _on_closed(self) -> None:
        self.dialog = None
