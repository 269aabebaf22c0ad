"""Starting at login, between the setting and the system's own entry: the entry is what counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.start.login import LoginEntry, login_command, login_entry
from app.store.settings import SettingsFile
from app.ui.background import Background
from app.ui.deeds import Deeds
from app.ui.faults import FaultText
from app.ui.main_window import MainWindow
from app.ui.notices import Announcement, Tone

if TYPE_CHECKING:
    from app.ui.settings.page import SettingsPage

_KEY = "start_at_login"


class LoginOnScreen(QObject):
    """Writes and removes the entry as the setting says; a refusal puts the setting back.

    Args:
        settings: with the setting.
        background: where files are written.
        window: with the settings page.
        deeds: says what could not be done.
        entry: the system's place, found by default.
    """

    def __init__(
        self,
        settings: SettingsFile,
        background: Background,
        window: MainWindow,
        deeds: Deeds,
        entry: LoginEntry | None = None,
    ) -> None:
        super().__init__(window)
        self._settings, self._background = settings, background
        self._window, self._deeds = window, deeds
        self._entry = entry or login_entry()
        self._page: SettingsPage | None = None
        window.parts.settings_built.connect(self._on_settings_built)

    def begin(self) -> None:
        """Follow what was done outside: an entry that was removed, a program that was moved."""
        if self._settings.settings.start_at_login:
            self._background.run(self._renew, self._on_renewed, lambda fault: None)

    @Slot(object)
    def _on_settings_built(self, page: SettingsPage) -> None:
        self._page = page
        page.changed.connect(self._on_changed)

    @Slot(str)
    def _on_changed(self, key: str) -> None:
        if key == _KEY:
            on = self._settings.settings.start_at_login
            self._background.run(lambda: self._write(on), self._on_written, lambda fault: None)

    def _renew(self) -> bool:
        """Write the entry again with today's command, if it is still there; say whether it is."""
        try:
            there = self._entry.read() is not None
            if there:
                self._entry.write(login_command())
        except OSError:
            return True  # nothing is known of it: the setting stays
        return there

    def _on_renewed(self, there: bool) -> None:
        if not there:
            self._show(on=False)

    def _write(self, on: bool) -> str:
        try:
            if on:
                self._entry.write(login_command())
            else:
                self._entry.remove()
        except OSError as error:
            return str(error.strerror or error)
        return ""

    def _on_written(self, reason: str) -> None:
        if not reason:
            return
        self._show(on=not self._settings.settings.start_at_login)
        self._deeds.announce(
            Announcement(
                _KEY,
                Tone.ERROR,
                lambda language: FaultText(
                    language.text("login-failed"), language.text("login-reason", reason=reason)
                ),
            )
        )

    def _show(self, *, on: bool) -> None:
        self._settings.change(start_at_login=on)
        if self._page is not None:
            self._page.show_settings()
