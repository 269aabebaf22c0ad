"""A screen reader presses a row of a list: it opens, as by Enter, and is not only marked."""

from __future__ import annotations

from datetime import datetime

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.ui.chat_groups import ChatEntry, FolderEntry
from app.ui.chat_list import ChatList
from app.ui.chat_rows import ChatRows
from app.ui.look import Look
from app.ui.spoken_rows import PressableList, let_rows_be_pressed
from app.ui.today import Today

NOW = datetime(2026, 11, 29, 12).astimezone()
WORK = FolderEntry(7, "Work")
ENTRIES = [ChatEntry(1, "Lease", NOW, folder=7), *(ChatEntry(n, f"Tea {n}", NOW) for n in (2, 3))]
NAME, PRESS = QAccessible.Text.Name, "Press"


@pytest.fixture
def view(look: Look, qapp: QApplication, qtbot: QtBot) -> ChatList:
    let_rows_be_pressed(qapp)
    rows = ChatRows(look.language, Today(read=NOW.date))
    view = ChatList(look, rows)
    rows.setParent(view)
    rows.show_chats(ENTRIES, [WORK])
    view.resize(240, 300)
    qtbot.addWidget(view)
    view.show()
    qtbot.waitExposed(view)
    return view


def heard(view: PressableList) -> dict[str, QAccessibleInterface]:
    """The rows as a screen reader gets them, by the beginning of their names."""
    spoken = QAccessible.queryAccessibleInterface(view)
    assert spoken.role() == QAccessible.Role.List
    rows = [spoken.child(number) for number in range(spoken.childCount())]
    assert [spoken.indexOfChild(row) for row in rows] == list(range(len(rows)))
    return {row.text(NAME).partition(",")[0]: row for row in rows}


def test_a_row_is_pressed_first_and_marked_second(view: ChatList) -> None:
    rows = heard(view)
    assert {"Folders", "Work", "Today", "Tea 2", "Tea 3"} <= set(rows)
    for row in rows.values():
        assert row.role() == QAccessible.Role.ListItem
        assert row.actionInterface().actionNames() == [PRESS, "Toggle"]
        assert row.parent().object() is view
    first = view.visualRect(view.model().index(0, 0))
    assert QAccessible.queryAccessibleInterface(view).child(0).rect().size() == first.size()


def test_pressing_a_chat_opens_it(view: ChatList, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.chosen) as chosen:
        heard(view)["Tea 3"].actionInterface().doAction(PRESS)
    assert chosen.args == [3]
    assert view.selectedIndexes() == []


def test_pressing_a_folder_shows_its_chats_and_the_heading_makes_one(
    view: ChatList, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(view._rows.groups_changed):
        heard(view)["Work"].actionInterface().doAction(PRESS)
    assert "Lease" in heard(view)
    with qtbot.waitSignal(view.folder_wanted):
        heard(view)["Folders"].actionInterface().doAction(PRESS)


def test_a_row_can_still_be_marked(view: ChatList) -> None:
    rows = heard(view)
    selection = QAccessible.queryAccessibleInterface(view).selectionInterface()
    rows["Tea 2"].actionInterface().doAction("Toggle")
    assert selection.select(rows["Tea 3"])
    assert sorted(view.selected()) == [2, 3]
    assert selection.selectedItemCount() == 2
    assert rows["Tea 2"].state().selected
    assert selection.isSelected(rows["Tea 3"])
    assert selection.unselect(rows["Tea 3"])
    assert [row.text(NAME) for row in selection.selectedItems()] == ["Tea 2"]
    assert selection.clear()
    assert view.selected() == []


def test_the_keys_and_the_edge_of_the_list_are_told(view: ChatList) -> None:
    rows = heard(view)
    view.setCurrentIndex(view._rows.index_of(3))
    assert rows["Tea 3"].state().focused
    assert QAccessible.queryAccessibleInterface(view).focusChild().text(NAME) == "Tea 3"
    view.setFixedHeight(60)
    view.scrollToTop()
    assert rows["Tea 3"].state().invisible
    assert not rows["Folders"].state().invisible


def test_other_rows_are_others_to_a_screen_reader(view: ChatList) -> None:
    """What listens keeps a row's name by its number, which is no longer given out."""
    before = {name: QAccessible.uniqueId(row) for name, row in heard(view).items()}
    view._rows.show_chats([ChatEntry(9, "New", NOW)], [])
    after = {name: QAccessible.uniqueId(row) for name, row in heard(view).items()}
    assert "New" in after
    assert not set(before.values()) & set(after.values())
    for number in before.values():
        assert QAccessible.accessibleInterface(number) is None


def test_a_list_that_is_gone_leaves_nothing_to_be_asked(look: Look, qapp: QApplication) -> None:
    let_rows_be_pressed(qapp)
    rows = ChatRows(look.language, Today(read=NOW.date))
    view = ChatList(look, rows)
    rows.setParent(view)
    rows.show_chats(ENTRIES, [WORK])
    numbers = [QAccessible.uniqueId(row) for row in heard(view).values()]
    view.deleteLater()
    QApplication.sendPostedEvents(view, QEvent.Type.DeferredDelete)
    assert [QAccessible.accessibleInterface(number) for number in numbers] == [None] * len(numbers)
