"""The icon in the system's tray, for those who want it: the window closes into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from app.store.settings import SettingsFile
from app.ui.deeds import Deeds
from app.ui.faults import FaultText
from app.ui.main_window import MainWindow
from app.ui.notices import Announcement, Tone
from app.ui.seal import window_icon
from app.ui.start_on_screen import come_forward

if TYPE_CHECKING:
    from app.ui.settings.page import SettingsPage

_KEY, _QUICK = "tray_icon", "quick_ask"
_REASONS = {QSystemTrayIcon.ActivationReason.Trigger, QSystemTrayIcon.ActivationReason.DoubleClick}


class Tray(QObject):
    """Shows the icon while the setting is on and the system has a tray.

    Args:
        settings: with the setting.
        window: closes into the tray while the icon is there.
        deeds: says that there is no tray.
    """

    quick_wanted = Signal()

    def __init__(self, settings: SettingsFile, window: MainWindow, deeds: Deeds) -> None:
        super().__init__(window)
        self._settings, self._window, self._deeds = settings, window, deeds
        self.menu = QMenu(window)
        self._show = self.menu.addAction("")
        self._show.triggered.connect(self._on_wanted)
        self._quick = self.menu.addAction("")
        self._quick.triggered.connect(self.quick_wanted)
        self._quit = self.menu.addAction("")
        self._quit.triggered.connect(window.quit)
        self.icon: QSystemTrayIcon | None = None
        window.parts.settings_built.connect(self._on_settings_built)
        window.look.follow(self._on_look_changed)
        app = QGuiApplication.instance()
        if isinstance(app, QGuiApplication):  # the session ends: nothing may hold it up
            app.commitDataRequest.connect(self._on_session_ends)

    def begin(self) -> None:
        """Show the icon, if it is wanted."""
        self._follow()

    def close(self) -> None:
        """Take the icon away."""
        if self.icon is not None:
            self.icon.hide()
            self.icon.deleteLater()
            self.icon = None
        self._window.stays = False

    @Slot(object)
    def _on_settings_built(self, page: SettingsPage) -> None:
        page.changed.connect(self._on_changed)

    @Slot(str)
    def _on_changed(self, key: str) -> None:
        if key == _QUICK:
            self._quick.setVisible(self._settings.settings.quick_ask)
        elif key == _KEY:
            self._follow()
            if self._settings.settings.tray_icon and self.icon is None:
                self._deeds.announce(
                    Announcement(
                        _KEY,
                        Tone.INFO,
                        lambda language: FaultText(
                            language.text("tray-none"), language.text("tray-none-about")
                        ),
                    )
                )

    def _follow(self) -> None:
        wanted = self._settings.settings.tray_icon
        if not wanted or not QSystemTrayIcon.isSystemTrayAvailable():
            self.close()
        elif self.icon is None:
            self.icon = QSystemTrayIcon(window_icon(self._window.look.theme), self)
            self.icon.setContextMenu(self.menu)
            self.icon.activated.connect(self._on_activated)
            self._on_look_changed()
            self.icon.show()
            self._window.stays = True

    @Slot(object)
    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in _REASONS:
            self._on_wanted()

    @Slot()
    def _on_wanted(self) -> None:
        come_forward(self._window)

    @Slot()
    def _on_session_ends(self) -> None:
        self._window.stays = False

    @Slot()
    def _on_look_changed(self) -> None:
        text = self._window.look.language.text
        self._show.setText(text("tray-show"))
        self._quick.setText(text("tray-quick"))
        self._quick.setVisible(self._settings.settings.quick_ask)
        self._quit.setText(text("tray-quit"))
        if self.icon is not None:
            self.icon.setToolTip(text("app-name"))
            self.icon.setIcon(window_icon(self._window.look.theme))
