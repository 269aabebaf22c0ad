"""The focus ring: only for the keyboard, only where nothing else shows the focus."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.ui.focus_ring import FocusRing
from app.ui.look import Look


@pytest.fixture
def window(look: Look, qtbot: QtBot) -> QWidget:
    window = QWidget()
    column = QVBoxLayout(window)
    for widget in (QPushButton("one"), QPushButton("two"), QLineEdit()):
        column.addWidget(widget)
    ring = FocusRing(look.theme, window)
    window.resize(300, 200)
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window)
    ring.watch_input()
    return window


def parts(window: QWidget) -> tuple[FocusRing, list[QPushButton], QLineEdit]:
    ring, field = window.findChild(FocusRing), window.findChild(QLineEdit)
    assert isinstance(ring, FocusRing)
    assert isinstance(field, QLineEdit)
    return ring, window.findChildren(QPushButton), field


def test_tab_shows_it_four_pixels_around_the_control(window: QWidget) -> None:
    ring, (one, two), _ = parts(window)
    one.setFocus()
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_Tab)
    assert two.hasFocus()
    assert ring.isVisible()
    assert ring.geometry() == two.geometry().adjusted(-4, -4, 4, 4)


def test_it_follows_its_control(window: QWidget) -> None:
    ring, (one, two), _ = parts(window)
    one.setFocus()
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_Tab)
    two.move(two.x() + 10, two.y() + 5)
    assert ring.geometry() == two.geometry().adjusted(-4, -4, 4, 4)
    two.hide()
    assert not ring.isVisible()


def test_a_click_and_a_field_show_none(window: QWidget) -> None:
    ring, (one, two), field = parts(window)
    one.setFocus()
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_Tab)
    QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, pos=one.geometry().center())
    assert not ring.isVisible()
    two.setFocus()
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_Tab)
    assert field.hasFocus()
    assert not ring.isVisible()
