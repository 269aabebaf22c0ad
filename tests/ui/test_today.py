"""The day that it is: told when another one begins while the window is open."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.ui.chat_groups import ChatEntry
from app.ui.chat_list import ChatList
from app.ui.chat_rows import ChatRows
from app.ui.look import Look
from app.ui.today import Today
from tests.ui.test_chat_list import shown

EVENING = datetime(2026, 11, 29, 23, 50).astimezone()


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = EVENING

    def date(self) -> date:
        return self.now.date()


def test_what_was_written_today_is_of_yesterday_once_midnight_has_passed(
    look: Look, qtbot: QtBot
) -> None:
    clock = Clock()
    today = Today(read=clock.date)
    rows = ChatRows(look.language, today)
    view = ChatList(look, rows)
    qtbot.addWidget(view)
    rows.show_chats([ChatEntry(1, "Tea", EVENING)])
    assert shown(view) == ["Today", "Tea"]
    clock.now += timedelta(hours=8)
    today.look()
    assert shown(view) == ["Yesterday", "Tea"]


def test_the_day_is_looked_at_when_the_program_comes_to_the_front_and_told_once(
    qapp: QApplication,
) -> None:
    clock, told = Clock(), list[datetime]()
    today = Today(read=clock.date)
    today.changed.connect(lambda: told.append(clock.now))
    qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    assert not told
    clock.now += timedelta(days=1)
    qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationInactive)
    assert not told
    qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    assert len(told) == 1
    assert today.date == clock.now.date()


def test_the_next_look_is_no_further_away_than_an_hour_nor_than_midnight() -> None:
    now = datetime.now()
    midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    today = Today()
    wait = today._timer.interval()
    assert 0 < wait <= 3_600_000
    assert wait <= (midnight - now).total_seconds() * 1000 + 1000
