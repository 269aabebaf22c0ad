"""The key for quick questions between its setting and the desktop."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QGuiApplication

from app.start.login import quick_command
from app.start.shortcut import Answer, GlobalShortcut, global_shortcut
from app.store.settings import SettingsFile
from app.ui.deeds import Deeds
from app.ui.faults import FaultAction, FaultText
from app.ui.main_window import MainWindow
from app.ui.notices import Announcement, Tone

if TYPE_CHECKING:
    from app.ui.settings.page import SettingsPage

_KEY = "quick_keys"


class QuickKeys(QObject):
    """Holds the key while quick questions and a key for them are chosen.

    Args:
        window: with the settings page.
        settings: which key.
        deeds: says why it is not held.
        make: the system's way, asked for when a key is first wanted.
    """

    pressed = Signal()

    def __init__(
        self,
        window: MainWindow,
        settings: SettingsFile,
        deeds: Deeds,
        make: Callable[[QObject], GlobalShortcut] = global_shortcut,
    ) -> None:
        super().__init__(window)
        self._window, self._settings, self._deeds, self._make = window, settings, deeds, make
        self._shortcut: GlobalShortcut | None = None
        window.parts.settings_built.connect(self._on_settings_built)

    def begin(self) -> None:
        """Hold the key that was chosen before; where it is taken now, say so."""
        self._follow()

    def close(self) -> None:
        """Give the key back."""
        if self._shortcut is not None:
            self._shortcut.release()
            self._shortcut.deleteLater()
            self._shortcut = None

    @Slot(object)
    def _on_settings_built(self, page: SettingsPage) -> None:
        page.changed.connect(self._on_changed)

    @Slot(str)
    def _on_changed(self, key: str) -> None:
        if key == _KEY and self._settings.settings.quick_keys:
            self._settings.change(quick_ask=True)
            self._window.parts.settings.changed.emit("quick_ask")
            self._show()
        elif key in {_KEY, "quick_ask"}:
            self._follow()

    def _follow(self) -> None:
        settings = self._settings.settings
        if not (settings.quick_ask and settings.quick_keys):
            self.close()
            return
        if self._shortcut is None:
            self._shortcut = self._make(self)
            self._shortcut.pressed.connect(self.pressed)
        answer = self._shortcut.hold(settings.quick_keys)
        if answer is not Answer.HELD:
            self._refuse(answer)

    def _refuse(self, answer: Answer) -> None:
        """Put the setting back, and say why and what can be done."""
        keys = self._settings.settings.quick_keys
        self.close()
        self._settings.change(quick_keys="")
        self._show()
        is_command = answer is Answer.NO_WAY
        self._deeds.announce(
            Announcement(
                _KEY,
                Tone.INFO,
                lambda language: FaultText(
                    language.text(
                        f"quick-key-{answer.value}", keys=language.text(f"choice-quick-keys-{keys}")
                    ),
                    language.text(f"quick-key-{answer.value}.more"),
                    language.text("quick-copy") if is_command else "",
                    FaultAction.RETRY if is_command else FaultAction.NONE,
                ),
                _copy_command if is_command else None,
            )
        )

    def _show(self) -> None:
        if self._window.parts.built_settings is not None:
            self._window.parts.built_settings.show_settings()


def _copy_command() -> None:
    QGuiApplication.clipboard().setText(shlex.join(quick_command()))
