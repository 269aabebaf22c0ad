"""What the keyboard does in the whole window: Enter on buttons, and where the focus goes next."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication

from app.chat.model_session import ModelPhase
from app.ui.settings.rows import KeyRow
from app.ui.words import Plain
from tests.app.conftest import Program, Shelves

CTRL = Qt.KeyboardModifier.ControlModifier


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


def test_a_page_opened_by_its_shortcut_takes_the_focus(program: Program) -> None:
    window = program.start_ready().window
    window.parts.sidebar.begin_search()
    QTest.keyClick(window.parts.sidebar.search, Qt.Key.Key_Comma, CTRL)
    assert window.page == "settings"
    focused = window.focusWidget()
    assert focused is not None
    assert window.parts.settings.isAncestorOf(focused)
    QTest.keyClick(window, Qt.Key.Key_M, CTRL | Qt.KeyboardModifier.ShiftModifier)
    assert window.page == "models"
    assert window.focusWidget() is window.parts.models.view


def test_without_a_model_the_models_page_offers_to_add_one_first(program: Program) -> None:
    window = program.start().window
    window.show_page("models")
    assert window.focusWidget() is window.parts.models._add


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Escape])
def test_after_a_title_is_written_the_focus_is_in_the_message_box(
    program: Program, key: Qt.Key
) -> None:
    running = program.start_ready()
    title = running.window.parts.chat.header.title
    running.chats_on_screen.rename_open()
    assert running.window.focusWidget() is title._field
    QTest.keyClick(title._field, key)
    assert not title._field.isVisible()
    assert running.window.focusWidget() is running.window.parts.chat.box.field


def test_letters_typed_beside_the_message_box_go_into_it(program: Program) -> None:
    running = program.start_ready()
    chat = running.window.parts.chat
    chat.transcript.setFocus()
    QTest.keyClicks(chat.transcript, "Hi")
    assert chat.box.text() == "Hi"
    assert running.window.focusWidget() is chat.box.field
    chat.transcript.setFocus()
    QTest.keyClick(chat.transcript, Qt.Key.Key_X, CTRL)
    assert chat.box.text() == "Hi"


def test_the_key_of_the_edit_box_is_listed(program: Program) -> None:
    page = program.start_ready().window.parts.settings
    rows = {row.findChildren(Plain)[0].text(): row for row in page.findChildren(KeyRow)}
    row = rows["Save a changed question and answer it"]
    assert row.findChildren(Plain)[1].text() == "Ctrl Enter"


def test_up_in_the_empty_message_box_edits_the_last_question(program: Program) -> None:
    window = program.start_ready().window
    field = window.parts.chat.box.field
    QTest.keyClicks(field, "first")
    QTest.keyClick(field, Qt.Key.Key_Return)
    session = window.parts.chat.session
    assert session is not None
    program.qtbot.waitUntil(lambda: len(session.path()) == 2 and not session.state.busy)
    QTest.keyClick(field, Qt.Key.Key_Up)
    widget = window.parts.chat.transcript.turn_widget(session.path()[0].id)
    assert widget is not None
    assert widget.edit_box is not None
    assert widget.edit_box.field.toPlainText() == "first"
    for key, held in (
        (Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier),
    ):
        widget.start_editing()
        assert window.focusWidget() is widget.edit_box.field
        QTest.keyClick(widget.edit_box.field, key, held)
        assert window.focusWidget() is field, "what is typed next goes to the message box"
    program.qtbot.waitUntil(lambda: not session.state.busy)


@pytest.mark.qt_log_ignore("does not support (raise|grabbing)")
def test_ctrl_q_quits_while_a_menu_is_open(program: Program) -> None:
    window = program.start_ready().window
    QTimer.singleShot(0, window.parts.chat.header.picker.open_menu)
    program.qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    closed = QSignalSpy(window.closing)
    popup = QApplication.activePopupWidget()
    handle = popup.windowHandle()
    assert handle is not None
    QTest.keyClick(handle, Qt.Key.Key_Q, CTRL)
    assert closed.count() == 1
    if QApplication.activePopupWidget() is not None:
        popup.close()
