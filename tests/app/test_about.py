"""The section about the program, and the licences that it opens."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.ui.about.licences import LicencesDialog
from app.ui.words import Plain
from engine.version import program_version
from tests.app.conftest import Program


def test_the_section_says_the_version_and_opens_the_licences(program: Program) -> None:
    running = program.start_ready()
    running.window.show_page("settings")
    page = running.window.parts.settings
    page.open_section("about")
    assert program_version() in {label.text() for label in page.about.rows[0].findChildren(Plain)}
    page.about.licences.click()
    page.about.licences.click()
    (dialog,) = running.window.findChildren(LicencesDialog)
    program.qtbot.waitUntil(lambda: "LESSER GENERAL PUBLIC" in dialog.text.toPlainText())
    names = [dialog.list.item(row).text() for row in range(dialog.list.count())]
    dialog.list.setCurrentRow(next(n for n, name in enumerate(names) if name.startswith("torch ")))
    program.qtbot.waitUntil(lambda: "Redistribution" in dialog.text.toPlainText())
    assert "pytorch.org" in dialog.about.text()
    dialog.list.setCurrentRow(next(n for n, name in enumerate(names) if name.startswith("Python ")))
    program.qtbot.waitUntil(lambda: "PYTHON SOFTWARE FOUNDATION" in dialog.text.toPlainText())
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    program.qtbot.waitUntil(lambda: running.window.findChild(LicencesDialog) is None)
