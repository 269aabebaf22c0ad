"""Rich text on the clipboard, and letting go of it before the program ends."""

from __future__ import annotations

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication


def copy_rich(markdown: str) -> None:
    """Put a text on the clipboard as it is read, and beside it as it was written."""
    from app.rendering.html import markdown_html  # noqa: PLC0415  late: it takes its time

    data = QMimeData()
    data.setText(markdown)
    data.setHtml(markdown_html(markdown, outlines=False))
    QGuiApplication.clipboard().setMimeData(data)


def release_clipboard() -> None:
    """Leave plain text of ours on the clipboard alone, at the program's end.

    Rich text there is an object of Python's that Qt destroys when Python is gone already: that ends
    the process with a crash. Without a screen nobody else has a clipboard, and Qt names no owner.
    """
    clipboard = QGuiApplication.clipboard()
    is_ours = clipboard.ownsClipboard() or QGuiApplication.platformName() == "offscreen"
    data: QMimeData | None = clipboard.mimeData()  # None where nothing was ever copied
    if is_ours and data is not None and data.hasHtml():
        clipboard.setText(clipboard.text())
