"""A file chosen as a person does: the button, then the dialog that it opens."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QAbstractButton, QDialog, QFileDialog, QWidget

from tests.app.conftest import Program


def choose_file(program: Program, over: QWidget, button: QAbstractButton, path: Path) -> None:
    """Press a button, and choose a file in the dialog that opens over ``over``."""
    before = set(over.findChildren(QFileDialog))
    button.click()
    program.qtbot.waitUntil(lambda: bool(set(over.findChildren(QFileDialog)) - before))
    (asked,) = set(over.findChildren(QFileDialog)) - before
    asked.fileSelected.emit(str(path))
    asked.done(QDialog.DialogCode.Rejected)
