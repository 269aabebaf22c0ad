"""The keyboard map: no key twice, none swallowed by a field; and the sheet that lists it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.ui.key_sheet import KeySheet, open_key_sheet
from app.ui.keys import KEYS, LEFT_TO_FIELDS, all_keys, bind
from app.ui.look import Look
from app.ui.message_field import MessageField


def sequences() -> list[str]:
    return [QKeySequence(key).toString() for keys in all_keys().values() for key in keys]


def test_no_key_does_two_things() -> None:
    assert [key for key, times in Counter(sequences()).items() if times > 1] == []
    assert len(sequences()) > len(KEYS)


def test_no_key_takes_what_every_editor_has(qapp: QApplication) -> None:
    kinds = QKeySequence.StandardKey
    taken = {
        key.toString()
        for kind in (kinds.Copy, kinds.Cut, kinds.Paste, kinds.Undo, kinds.Redo, kinds.SelectAll)
        for key in QKeySequence.keyBindings(kind)
    }
    assert set(sequences()) & taken == set(LEFT_TO_FIELDS.values())


@pytest.mark.parametrize("kind", [MessageField, QLineEdit, QPlainTextEdit])
def test_every_key_of_the_window_works_while_one_writes(
    qtbot: QtBot, look: Look, kind: type[QWidget]
) -> None:
    """A field may keep keys to itself (Ctrl+K deletes to the end of the line in some)."""
    window = QWidget()
    qtbot.addWidget(window)
    field = kind(look) if kind is MessageField else kind()  # type: ignore[call-arg]
    QVBoxLayout(window).addWidget(field)
    done: Counter[str] = Counter()
    bind(window, {name: (lambda name=name: done.update([name])) for name in KEYS | LEFT_TO_FIELDS})
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    field.setFocus()
    for keys in KEYS.values():
        pressed = QKeySequence(keys)[0]
        QTest.keyClick(field, pressed.key(), pressed.keyboardModifiers())
    assert {name for name in KEYS if done[name] != 1} == set()


@pytest.fixture
def sheet(qtbot: QtBot, look: Look) -> Iterator[KeySheet]:
    window = QWidget()
    window.resize(720, 560)
    qtbot.addWidget(window)
    window.show()
    open_key_sheet(look, window)
    open_key_sheet(look, window)  # F1 twice
    found = window.findChildren(KeySheet)
    assert len(found) == 1
    yield found[0]
    window.close()


def shown(sheet: KeySheet) -> list[str]:
    rows = (sheet.list.item(n) for n in range(sheet.list.count()) if not sheet.list.isRowHidden(n))
    return [row.data(Qt.ItemDataRole.AccessibleTextRole) for row in rows]


@pytest.mark.qt_log_ignore("does not support (raise|propagate)")
def test_the_sheet_has_every_key_and_fits_the_window(sheet: KeySheet) -> None:
    assert len(shown(sheet)) == len(all_keys())
    assert "All keys: F1, Ctrl /" in shown(sheet)
    assert sheet.height() < 560


@pytest.mark.qt_log_ignore("does not support (raise|propagate)")
def test_a_key_is_found_by_what_it_does_or_by_its_cap(sheet: KeySheet) -> None:
    QTest.keyClicks(sheet.field, "new temporary")
    assert shown(sheet) == ["New temporary chat: Ctrl Shift N"]
    sheet.field.setText("ctrl f")
    assert "Find in this chat: Ctrl F" in shown(sheet)
    sheet.field.setText("nothing does this")
    assert shown(sheet) == []
    assert not sheet._none.isHidden()


@pytest.mark.qt_log_ignore("does not support (raise|propagate)")
def test_down_goes_into_the_list_and_escape_closes(sheet: KeySheet) -> None:
    sheet.field.setText("settings")
    QTest.keyClick(sheet.field, Qt.Key.Key_Down)
    assert sheet.list.currentItem().text() == "Settings"
    QTest.keyClick(sheet.list, Qt.Key.Key_Escape)
    assert not sheet.isVisible()


def test_undo_belongs_to_the_field_as_long_as_it_has_something_to_take_back(
    qtbot: QtBot, look: Look
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    field = MessageField(look)
    QVBoxLayout(window).addWidget(field)
    done: Counter[str] = Counter()
    verbs = {name: (lambda name=name: done.update([name])) for name in KEYS | LEFT_TO_FIELDS}
    bind(window, verbs)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    field.setFocus()
    QTest.keyClicks(field, "typed")
    QTest.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert (field.toPlainText(), done["undo"]) == ("", 0)
    QTest.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert done["undo"] == 1
