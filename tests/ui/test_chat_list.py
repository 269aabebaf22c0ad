"""The chat list: headings by day, search, renaming, the keyboard's way through it."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.ui.chat_delegate import more_rect
from app.ui.chat_groups import ChatEntry, heading_id
from app.ui.chat_list import ChatList
from app.ui.chat_rows import ChatRows
from app.ui.look import Look
from app.ui.today import Today

NOW = datetime(2026, 11, 29, 12).astimezone()
TAGS = "<img src=x onerror=alert(1)>"


def entries() -> list[ChatEntry]:
    return [
        ChatEntry(1, "Doubling savings", NOW),
        ChatEntry(2, TAGS, NOW - timedelta(minutes=1)),
        ChatEntry(3, "给物业的一封信", NOW - timedelta(days=3)),
        ChatEntry(4, "Bread", NOW - timedelta(days=40), pinned=True),
        ChatEntry(5, "  ", NOW - timedelta(days=30), answering=True),
    ]


@pytest.fixture
def chats(look: Look, qtbot: QtBot) -> ChatList:
    rows = ChatRows(look.language, Today(read=NOW.date))
    view = ChatList(look, rows)
    rows.setParent(view)
    rows.show_chats(entries())
    view.resize(240, 500)
    qtbot.addWidget(view)
    view.show()
    qtbot.waitExposed(view)
    return view


def shown(view: ChatList) -> list[str]:
    model = view.model()
    return [str(model.index(n, 0).data()) for n in range(model.rowCount())]


@pytest.mark.parametrize(
    ("age", "heading"),
    [(0, "chats-today"), (1, "chats-yesterday"), (2, "chats-week"), (6, "chats-week"),
     (7, "chats-earlier"), (-1, "chats-today")],
)  # fmt: skip
def test_chats_stand_under_the_heading_of_their_day(age: int, heading: str) -> None:
    noon = datetime(2026, 11, 29, 12).astimezone()
    assert heading_id(ChatEntry(1, "", noon - timedelta(days=age)), noon.date()) == heading


def test_M21_titles_are_shown_as_they_are_under_their_headings(chats: ChatList) -> None:
    assert shown(chats) == [
        "Pinned", "Bread", "Today", "Doubling savings", TAGS, "Last 7 days", "给物业的一封信",
        "Earlier", "New chat",
    ]  # fmt: skip


def test_search_keeps_titles_with_all_words_whatever_the_case(chats: ChatList) -> None:
    rows = chats._rows
    rows.show_only("SAVINGS doub")
    assert shown(chats) == ["Today", "Doubling savings"]
    rows.show_only("物业")
    assert shown(chats) == ["Last 7 days", "给物业的一封信"]
    rows.show_only("nothing like this")
    assert shown(chats) == []
    rows.show_only("")
    assert len(shown(chats)) == 9


def test_headings_cannot_be_chosen(chats: ChatList) -> None:
    assert chats._rows.flags(chats._rows.index(0)) == Qt.ItemFlag.NoItemFlags


def test_a_click_opens_and_the_dots_open_the_menu(chats: ChatList, qtbot: QtBot) -> None:
    row = chats.visualRect(chats._rows.index_of(1))
    with qtbot.waitSignal(chats.chosen, timeout=200) as chosen:
        QTest.mouseClick(chats.viewport(), Qt.MouseButton.LeftButton, pos=row.center())
    assert chosen.args == [1]
    with (
        qtbot.waitSignal(chats.menu_requested, timeout=200) as asked,
        qtbot.assertNotEmitted(chats.chosen),
    ):
        dots: QPoint = more_rect(row).center()
        QTest.mouseClick(chats.viewport(), Qt.MouseButton.LeftButton, pos=dots)
    assert asked.args is not None
    assert asked.args[0] == 1


def test_the_keyboard_opens_renames_and_deletes(chats: ChatList, qtbot: QtBot) -> None:
    chats.setFocus(Qt.FocusReason.TabFocusReason)
    chats.setCurrentIndex(chats._rows.index_of(4))
    QTest.keyClick(chats, Qt.Key.Key_Down)  # passes over the heading
    with qtbot.waitSignal(chats.chosen, timeout=200) as chosen:
        QTest.keyClick(chats, Qt.Key.Key_Return)
    assert chosen.args == [1]
    with qtbot.waitSignal(chats.delete_requested, timeout=200) as deleted:
        QTest.keyClick(chats, Qt.Key.Key_Delete)
    assert deleted.args == [1]


def test_renaming_in_place_reports_a_new_title_once(chats: ChatList, qtbot: QtBot) -> None:
    renamed: list[tuple[int, str]] = []
    chats.delegate.renamed.connect(lambda chat, title: renamed.append((chat, title)))
    chats.rename(1)
    field = chats.findChild(QLineEdit)
    assert isinstance(field, QLineEdit)
    assert field.accessibleName() == "Rename"
    assert field.text() == "Doubling savings"
    field.setText("  Savings   at 4 % ")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: renamed == [(1, "Savings at 4 %")])


def test_renaming_is_given_up_by_escape_and_by_an_empty_title(
    chats: ChatList, qtbot: QtBot
) -> None:
    for text, key in (("other", Qt.Key.Key_Escape), ("   ", Qt.Key.Key_Return)):
        with qtbot.assertNotEmitted(chats.delegate.renamed, wait=30):
            chats.rename(1)
            field = chats.findChildren(QLineEdit)[-1]
            field.setText(text)
            QTest.keyClick(field, key)


def test_the_open_chat_is_marked(chats: ChatList) -> None:
    chats._rows.mark_open(1)
    picture = chats.grab().toImage()
    row = chats.visualRect(chats._rows.index_of(1))
    scale = picture.devicePixelRatio()
    mark = picture.pixelColor(round((row.x() + 1) * scale), round(row.center().y() * scale))
    assert mark == chats._look.theme.color("accent")


def test_why_there_is_nothing_is_said(chats: ChatList, look: Look) -> None:
    chats._rows.show_chats([])
    before = chats.grab().toImage()
    chats._rows.show_only("x")
    assert chats.grab().toImage() != before  # another sentence: nothing found
