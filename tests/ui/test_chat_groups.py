"""Which rows the list has: groups that open, tags that narrow, several selected, chats dropped."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest
from PySide6.QtCore import QItemSelectionModel, QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.ui.chat_delegate import more_rect
from app.ui.chat_groups import ChatEntry, FolderEntry, Place
from app.ui.chat_list import ChatList
from app.ui.chat_rows import ChatRows
from app.ui.look import Look
from app.ui.tag_strip import TagStrip
from app.ui.today import Today

NOW = datetime(2026, 11, 29, 12).astimezone()
WORK, HOME = FolderEntry(7, "Work"), FolderEntry(8, "Home")
ENTRIES = [
    ChatEntry(1, "Lease", NOW, folder=7, tags=("money", "urgent")),
    ChatEntry(2, "Bread", NOW, folder=7, pinned=True),
    ChatEntry(3, "Tea", NOW, tags=("money",)),
    ChatEntry(4, "Old", NOW, place=Place.ARCHIVE, tags=("money",)),
    ChatEntry(5, "Gone", NOW, place=Place.DELETED),
    ChatEntry(-1, "Secret", NOW, place=Place.TEMPORARY),
]
CLOSED = [
    "Temporary", "Secret", "Pinned", "Bread", "Folders", "Work", "Home", "Today", "Tea",
    "Put away", "Archive", "Recently deleted",
]  # fmt: skip


@pytest.fixture
def view(look: Look, qtbot: QtBot) -> ChatList:
    rows = ChatRows(look.language, Today(read=NOW.date))
    view = ChatList(look, rows)
    rows.setParent(view)
    rows.show_chats(ENTRIES, [WORK, HOME])
    view.resize(240, 600)
    qtbot.addWidget(view)
    view.show()
    qtbot.waitExposed(view)
    return view


def shown(view: ChatList) -> list[str]:
    model = view.model()
    return [str(model.index(n, 0).data()) for n in range(model.rowCount())]


def click(view: ChatList, row: int, key: Qt.KeyboardModifier, at: QPoint | None = None) -> None:
    place = at or view.visualRect(view._rows.index(row)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, key, place)


PLAIN, CTRL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier


def test_folders_archive_and_what_was_deleted_are_closed_groups_with_counts(view: ChatList) -> None:
    assert shown(view) == CLOSED
    group = view._rows.group(view._rows.index(CLOSED.index("Work")))
    assert group is not None
    assert (group.chats, group.is_open) == (1, False)  # the pinned one stands with the pinned ones


def test_a_click_opens_a_group_and_another_closes_it(view: ChatList) -> None:
    click(view, CLOSED.index("Work"), PLAIN)
    assert shown(view)[5:8] == ["Work", "Lease", "Home"]
    assert view._rows.is_inside(view._rows.index_of(1))
    click(view, CLOSED.index("Work"), PLAIN)
    assert shown(view) == CLOSED


def test_the_keyboard_opens_a_group_and_keeps_its_place(view: ChatList) -> None:
    view.setFocus(Qt.FocusReason.TabFocusReason)
    view.setCurrentIndex(view._rows.index_of_group("archive"))
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert shown(view)[-3:] == ["Archive", "Old", "Recently deleted"]
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert view.currentIndex() == view._rows.index_of(4)
    QTest.keyClick(view, Qt.Key.Key_Up)
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert shown(view) == CLOSED


def test_a_tag_or_a_word_narrows_to_all_that_match_wherever_they_are(view: ChatList) -> None:
    view._rows.show_tag("money")
    assert shown(view) == ["Today", "Lease", "Tea", "Archive", "Old"]
    view._rows.show_only("tea")
    assert shown(view) == ["Today", "Tea"]
    view._rows.show_tag("")
    view._rows.show_only("gone")  # what was deleted is not found
    assert "Gone" not in shown(view)


def test_ctrl_selects_several_for_one_menu_and_opens_none(view: ChatList, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(view.chosen):
        click(view, CLOSED.index("Bread"), CTRL)
        click(view, CLOSED.index("Tea"), CTRL)
    assert view.selected() == [2, 3]
    view._rows.show_chats([replace(entry, answering=True) for entry in ENTRIES])
    assert view.selected() == [2, 3], "the list is made anew while a chat answers"
    dots = more_rect(view.visualRect(view._rows.index_of(3))).center()
    with qtbot.waitSignal(view.several_menu_requested, timeout=200) as asked:
        click(view, 0, PLAIN, dots)
    assert asked.args is not None
    assert asked.args[0] == [2, 3]
    with qtbot.waitSignal(view.several_delete_requested, timeout=200) as deleted:
        QTest.keyClick(view, Qt.Key.Key_Delete)
    assert deleted.args == [[2, 3]]


def drop(view: ChatList, row: int) -> bool:
    """Drag the chat "Tea" over a row and let it fall; say whether it may."""
    data: QMimeData = view._rows.mimeData([view._rows.index_of(3)])
    place = QPointF(view.visualRect(view._rows.index(row)).center())
    actions, button = Qt.DropAction.MoveAction, Qt.MouseButton.LeftButton
    over = QDragMoveEvent(place.toPoint(), actions, data, button, PLAIN)
    view.dragMoveEvent(over)
    if over.isAccepted():
        view.dropEvent(QDropEvent(place, actions, data, button, PLAIN))
    return over.isAccepted()


@pytest.mark.parametrize(("row", "folder"), [("Work", 7), ("Home", 8), ("Today", None)])
def test_a_chat_is_dropped_into_a_folder_or_out_of_it(
    view: ChatList, qtbot: QtBot, row: str, folder: int | None
) -> None:
    with qtbot.waitSignal(view._rows.dropped, timeout=200) as dropped:
        assert drop(view, CLOSED.index(row))
    assert dropped.args == [[3], folder]
    assert view.drop_row == -1


def test_a_chat_is_dropped_into_neither_archive_nor_bin(view: ChatList) -> None:
    assert not drop(view, CLOSED.index("Archive"))
    assert not drop(view, CLOSED.index("Recently deleted"))


def test_a_deleted_chat_offers_its_menu_and_is_not_opened(view: ChatList, qtbot: QtBot) -> None:
    view._rows.open_group("deleted", True)
    with (
        qtbot.waitSignal(view.menu_requested, timeout=200) as asked,
        qtbot.assertNotEmitted(view.chosen),
    ):
        click(view, len(CLOSED), PLAIN)
    assert asked.args is not None
    assert asked.args[0] == 5


def test_a_folder_is_renamed_in_its_row(view: ChatList, qtbot: QtBot) -> None:
    view.rename_folder(7)
    field = view.findChildren(QLineEdit)[-1]
    assert field.text() == "Work"
    field.setText(" The   office ")
    with qtbot.waitSignal(view.delegate.folder_renamed) as renamed:
        QTest.keyClick(field, Qt.Key.Key_Return)
    assert renamed.args == [7, "The office"]


def test_the_plus_beside_folders_asks_for_a_new_one(view: ChatList, qtbot: QtBot) -> None:
    plus = more_rect(view.visualRect(view._rows.index(CLOSED.index("Folders")))).center()
    with qtbot.waitSignal(view.folder_wanted, timeout=200):
        click(view, 0, PLAIN, plus)


def test_a_screen_reader_hears_tags_counts_and_whether_a_group_is_open(view: ChatList) -> None:
    heard = QAccessible.queryAccessibleInterface(view)
    names = [heard.child(n).text(QAccessible.Text.Name) for n in range(len(CLOSED))]
    assert names[CLOSED.index("Work")] == "Work, 1 chat, closed"
    assert names[CLOSED.index("Tea")] == "Tea, tags: money"


def test_every_row_can_be_painted(view: ChatList) -> None:
    for group in ("folder-7", "archive", "deleted"):
        view._rows.open_group(group, True)
    model, select = view.selectionModel(), QItemSelectionModel.SelectionFlag.Select
    plain = view.grab().toImage()
    for chat in (1, 3):
        model.select(view._rows.index_of(chat), select)
    assert view.grab().toImage() != plain  # the selection can be seen


def test_tags_stand_as_chips_and_what_does_not_fit_is_counted(look: Look, qtbot: QtBot) -> None:
    strip = TagStrip(look)
    qtbot.addWidget(strip)
    strip.resize(240, 60)
    strip.show()
    strip.show_tags([f"tag number {n}" for n in range(9)])
    visible = [chip for chip in strip._chips if not chip.isHidden()]
    assert 2 <= len(visible) < 9
    assert strip._more is not None
    assert strip._more.text() == f"+{9 - len(visible)}"
    inside = strip.rect()
    assert all(inside.contains(chip.geometry()) for chip in (*visible, strip._more))
    with qtbot.waitSignal(strip.chosen) as chosen:
        visible[1].click()
    assert chosen.args == ["tag number 1"]
    with qtbot.waitSignal(strip.chosen) as gone:
        strip.show_tags(["tag number 0"])
    assert gone.args == [""]
