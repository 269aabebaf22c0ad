"""Text that leaves the transcript: to the clipboard, or into a file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from app.ui.look import Look


def copy_text(text: str) -> None:
    """Put text on the clipboard."""
    QGuiApplication.clipboard().setText(text)


def save_text(look: Look, parent: QWidget, text: str, name: str) -> None:
    """Ask where a text is to be saved, and save it; ``name`` is proposed."""
    path, _ = QFileDialog.getSaveFileName(parent, look.language.text("transcript-save"), name)
    if path:
        Path(path).write_text(text + "\n", encoding="utf-8", newline="\n")
