"""What leaves the transcript: text for the clipboard, addresses for the system's browser."""

from __future__ import annotations

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication

from app.rendering.addresses import is_safe


def copy_text(text: str) -> None:
    """Put text on the clipboard."""
    QGuiApplication.clipboard().setText(text)


def open_address(address: str) -> bool:
    """Open an address in the system's browser or mail program; False where that is not safe."""
    if not is_safe(address):
        return False
    QDesktopServices.openUrl(QUrl(address))
    return True
