"""What the keyboard does in the whole window: Enter on buttons, and where the focus goes next."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication

from app.chat.model_session import ModelPhase
from tests.app.conftest import Program, Shelves


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_enter_presses_the_focused_button(program: Program, key: Qt.Key) -> None:
    running = program.start()
    files = running.window.parts.welcome.files
    files.file_requested.disconnect(running.deeds.choose_file)
    asked = QSignalSpy(files.file_requested)
    files.file.setFocus()
    QTest.keyClick(files.file, key)
    assert asked.count() == 1
    QTest.keyClick(files.file, key, Qt.KeyboardModifier.ControlModifier)
    assert asked.count() == 1


def test_the_focus_goes_from_start_to_cancel_and_back(program: Program, shelves: Shelves) -> None:
    shelves.fetch_waits = True
    running = program.start()
    starter = running.window.parts.welcome.starter
    assert running.window.focusWidget() is starter.start
    QTest.keyClick(starter.start, Qt.Key.Key_Return)
    program.qtbot.waitUntil(lambda: "of 98 MB" in starter._progress.text())
    assert running.window.focusWidget() is starter.stop
    QTest.keyClick(starter.stop, Qt.Key.Key_Return)
    assert running.window.focusWidget() is starter.stop  # until it has stopped
    program.qtbot.waitUntil(lambda: not starter.start.isHidden())
    assert running.window.focusWidget() is starter.start


def test_the_focus_goes_to_the_message_box_when_the_model_is_fetched(program: Program) -> None:
    running = program.start()
    QTest.keyClick(running.window.parts.welcome.starter.start, Qt.Key.Key_Return)
    program.qtbot.waitUntil(lambda: running.model.state.phase is ModelPhase.READY)
    QApplication.processEvents()
    assert running.window.focusWidget() is running.window.parts.chat.box.field
