"""One key that is heard whatever window has the focus, for those who want it.

Only that key is heard: X11 and Windows let a program ask for one, and keep the others to
themselves. Libraries that offer global keys everywhere read all of them. Wayland and macOS leave
keys to the desktop, whose settings can start ``inkstone-window --quick``.
"""

from __future__ import annotations

import os
import sys
from enum import StrEnum

from PySide6.QtCore import QAbstractNativeEventFilter, QByteArray, QObject, QSocketNotifier, Signal
from PySide6.QtGui import QGuiApplication

_MODIFIERS = ("ctrl", "alt", "shift", "super")


class Answer(StrEnum):
    """What the system says to the wish for a key."""

    HELD = "held"
    TAKEN = "taken"  # by another program
    NO_WAY = "no-way"  # keys are the desktop's affair here


class GlobalShortcut(QObject):
    """A key of the whole desktop; this one is for systems that give none away."""

    pressed = Signal()

    def hold(self, keys: str) -> Answer:
        """Ask for a key, for example "ctrl-alt-space", in place of the one before."""
        return Answer.NO_WAY

    def release(self) -> None:
        """Give it back; safe to call twice."""


class XShortcut(GlobalShortcut):
    """Grabs the key at the root window, over a connection of its own."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        from Xlib.display import Display  # noqa: PLC0415 - for those who want it, where it exists

        self._display = Display()
        self._held: tuple[int, int] | None = None
        self._notifier = QSocketNotifier(self._display.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_readable)

    def hold(self, keys: str) -> Answer:
        """Grab the key, whether Caps Lock and Num Lock are on or off."""
        from Xlib import XK, X  # noqa: PLC0415
        from Xlib.error import BadAccess, CatchError  # noqa: PLC0415

        self._let_go()
        *modifiers, key = keys.split("-")
        masks = dict(
            zip(_MODIFIERS, (X.ControlMask, X.Mod1Mask, X.ShiftMask, X.Mod4Mask), strict=True)
        )
        mask = sum(masks[each] for each in modifiers)
        code = self._display.keysym_to_keycode(XK.string_to_keysym(key))
        root, refused = self._display.screen().root, CatchError(BadAccess)
        for locks in (0, X.LockMask, X.Mod2Mask, X.LockMask | X.Mod2Mask):
            root.grab_key(code, mask | locks, 1, X.GrabModeAsync, X.GrabModeAsync, onerror=refused)
        self._display.sync()
        self._held = (code, mask)
        if refused.get_error() is not None:
            self._let_go()
            return Answer.TAKEN
        return Answer.HELD

    def release(self) -> None:
        """Ungrab the key and close the connection."""
        if self._notifier.isEnabled():
            self._notifier.setEnabled(False)
            self._display.close()

    def _let_go(self) -> None:
        from Xlib import X  # noqa: PLC0415

        if self._held is not None:
            code, mask = self._held
            root = self._display.screen().root
            for locks in (0, X.LockMask, X.Mod2Mask, X.LockMask | X.Mod2Mask):
                root.ungrab_key(code, mask | locks)
            self._display.sync()
            self._held = None

    def _on_readable(self) -> None:
        from Xlib import X  # noqa: PLC0415

        while self._display.pending_events():
            if self._display.next_event().type == X.KeyPress:
                self.pressed.emit()


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _VIRTUAL = {"space": 0x20, "i": 0x49}
    _BITS = {"alt": 1, "ctrl": 2, "shift": 4, "super": 8}
    _NO_REPEAT, _WM_HOTKEY, _NUMBER = 0x4000, 0x0312, 1

    class _Messages(QAbstractNativeEventFilter):
        """Hears the message that Windows posts to the thread that asked."""

        def __init__(self, shortcut: WindowsShortcut) -> None:
            super().__init__()
            self._shortcut = shortcut

        def nativeEventFilter(
            self, kind: QByteArray | bytes | bytearray | memoryview, message: int
        ) -> object:
            """Tell of the key, and leave the message to others."""
            said = wintypes.MSG.from_address(int(message))
            if said.message == _WM_HOTKEY and said.wParam == _NUMBER:
                self._shortcut.pressed.emit()
            return False, 0

    class WindowsShortcut(GlobalShortcut):
        """Registers a hot key of the thread."""

        def __init__(self, parent: QObject | None = None) -> None:
            super().__init__(parent)
            self._messages = _Messages(self)
            if (app := QGuiApplication.instance()) is not None:
                app.installNativeEventFilter(self._messages)

        def hold(self, keys: str) -> Answer:
            """Register the key."""
            *modifiers, key = keys.split("-")
            bits = sum(_BITS[each] for each in modifiers) | _NO_REPEAT
            ctypes.windll.user32.UnregisterHotKey(None, _NUMBER)
            held = ctypes.windll.user32.RegisterHotKey(None, _NUMBER, bits, _VIRTUAL[key])
            return Answer.HELD if held else Answer.TAKEN

        def release(self) -> None:
            """Give it back."""
            ctypes.windll.user32.UnregisterHotKey(None, _NUMBER)
            if (app := QGuiApplication.instance()) is not None:
                app.removeNativeEventFilter(self._messages)


def global_shortcut(parent: QObject | None = None) -> GlobalShortcut:
    """Return this system's way."""
    if sys.platform == "win32":
        return WindowsShortcut(parent)
    is_wayland = bool(os.environ.get("WAYLAND_DISPLAY"))  # X11 within it hears its own windows
    if QGuiApplication.platformName() == "xcb" and not is_wayland:
        return XShortcut(parent)
    return GlobalShortcut(parent)
