"""The window comes up where it was left, with and without somebody who draws its frame."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.ui.window_place import fit_to_screen, restore_place, saved_place


def test_without_a_frame_the_window_does_not_creep_down(qtbot: QtBot) -> None:
    place = ""
    for _ in range(3):
        window = QWidget()
        qtbot.addWidget(window)
        if place:
            restore_place(window, place)
        else:
            window.setGeometry(0, 0, 300, 200)
        window.show()
        assert (window.x(), window.y(), window.width()) == (0, 0, 300)
        place = saved_place(window)
        window.close()


def test_nonsense_and_a_place_off_the_screens_leave_it_visible(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    for nonsense in ("", "%%", "AAAA"):
        restore_place(window, nonsense)
    window.setGeometry(90_000, 90_000, 300, 200)
    place = saved_place(window)
    other = QWidget()
    qtbot.addWidget(other)
    restore_place(other, place)
    assert other.screen().availableGeometry().intersects(other.geometry())


def test_a_window_larger_than_the_screen_is_made_to_fit(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    room = window.screen().availableGeometry()
    window.setMinimumSize(200, 100)
    window.resize(room.width() + 500, room.height() + 40)
    fit_to_screen(window)
    window.show()
    assert room.contains(window.geometry())
    assert room.height() - window.height() >= 32  # a title bar has its place


def test_one_that_fits_is_left_as_it_is(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.setGeometry(20, 30, 300, 200)
    fit_to_screen(window)
    assert window.geometry().getRect() == (20, 30, 300, 200)


def test_its_own_least_size_is_kept_on_a_tiny_screen(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.setMinimumSize(5_000, 100)
    window.resize(6_000, 100)
    fit_to_screen(window)
    assert window.width() == 5_000
