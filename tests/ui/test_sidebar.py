"""The sidebar: its widths, its rail, the drawer of a narrow window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.ui.look import Look
from app.ui.sidebar import NARROWEST, RAIL, USUAL, WIDEST, Sidebar
from app.ui.sidebar_parts import Grip


@pytest.fixture
def sidebar(look: Look, qtbot: QtBot) -> Sidebar:
    sidebar = Sidebar(look)
    qtbot.addWidget(sidebar)
    sidebar.resize(USUAL, 600)
    return sidebar


def test_it_is_264_wide_and_stays_within_its_limits(sidebar: Sidebar) -> None:
    assert (sidebar.wanted_width, sidebar.reserved_width) == (USUAL, USUAL)
    sidebar.set_full_width(1000)
    assert sidebar.wanted_width == WIDEST
    sidebar.set_full_width(10)
    assert sidebar.wanted_width == NARROWEST


def test_folding_leaves_a_rail_and_remembers_the_width(sidebar: Sidebar) -> None:
    sidebar.set_full_width(300)
    sidebar.set_folded(True, animated=False)
    assert (sidebar.wanted_width, sidebar.is_folded) == (RAIL, True)
    sidebar.toggle()
    assert (sidebar.wanted_width, sidebar.is_folded) == (300, False)


def test_folding_takes_its_time_only_where_motion_is_wanted(
    sidebar: Sidebar, look: Look, qtbot: QtBot
) -> None:
    sidebar.show()
    qtbot.waitExposed(sidebar)
    sidebar.set_folded(True)
    assert sidebar.wanted_width > RAIL
    qtbot.waitUntil(lambda: sidebar.wanted_width == RAIL)
    look.theme.reduced_motion = True
    sidebar.set_folded(False)
    assert sidebar.wanted_width == USUAL


def test_in_a_narrow_window_it_unfolds_over_the_page(sidebar: Sidebar) -> None:
    sidebar.set_narrow(True)
    assert (sidebar.wanted_width, sidebar.reserved_width) == (RAIL, RAIL)
    sidebar.begin_search()
    assert (sidebar.wanted_width, sidebar.reserved_width) == (USUAL, RAIL)
    sidebar.close_drawer()
    assert sidebar.wanted_width == RAIL
    sidebar.set_narrow(False)
    assert sidebar.wanted_width == USUAL
    assert not sidebar.is_folded  # the window's need is not the user's choice


def test_its_edge_can_be_dragged(sidebar: Sidebar) -> None:
    grip = sidebar.findChild(Grip)
    assert isinstance(grip, Grip)
    left = Qt.MouseButton.LeftButton
    at = QPointF(USUAL + 40 - grip.x(), 10)
    move = QMouseEvent(
        QMouseEvent.Type.MouseMove, at, at, left, left, Qt.KeyboardModifier.NoModifier
    )
    grip.mouseMoveEvent(move)
    assert sidebar.wanted_width == USUAL + 40


def test_escape_empties_the_search_and_down_goes_to_the_list(
    sidebar: Sidebar, qtbot: QtBot
) -> None:
    QTest.keyClicks(sidebar.search, "bread")
    assert sidebar.rows.is_filtered
    QTest.keyClick(sidebar.search, Qt.Key.Key_Escape)
    assert not sidebar.rows.is_filtered
    with qtbot.waitSignal(sidebar.search.left, timeout=100):
        QTest.keyClick(sidebar.search, Qt.Key.Key_Down)


def test_the_open_page_is_marked_in_both_faces(sidebar: Sidebar) -> None:
    sidebar.show_page("models")
    assert [b.isChecked() for b in sidebar._pages["models"]] == [True, True]
    assert [b.isChecked() for b in sidebar._pages["chat"]] == [False]
