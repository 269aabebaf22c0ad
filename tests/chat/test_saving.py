"""A disk that refuses: the window is told, the answer goes on, and nothing is lost in the end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pytestqt.qtbot import QtBot

from app.chat.saving import Saving
from app.store.faults import StoreFaultKind
from app.store.opening import open_store
from app.store.rows import ChatRow
from app.store.worker import ThreadWorker
from tests.chat.conftest import Desk, Heard
from tests.doubles.engines import Reply

Desks = Callable[..., Desk]


def limit_pages(desk: Desk, pages: int) -> None:
    """Make SQLite answer "database or disk is full" beyond so many pages."""
    desk.opened.store.database._writing.execute(f"PRAGMA max_page_count = {pages}")


def test_S4_a_full_disk_warns_answers_all_the_same_and_saves_when_there_is_room(
    desks: Desks,
) -> None:
    desk = desks(Reply("answer"))
    saving = desk.services.saving
    refused, recovered = Heard(), Heard()
    saving.refused.connect(refused)
    saving.recovered.connect(lambda: recovered(True))
    limit_pages(desk, 1)
    session = desk.library.new()
    session.send("question " + "x" * 100_000)
    desk.run()
    assert session.path()[1].content == "answer"
    assert refused.said[0].kind is StoreFaultKind.DISK_FULL
    assert saving.fault is not None
    assert recovered.said == []
    limit_pages(desk, 100_000)
    desk.opened.store.database.retry()
    assert recovered.said == [True]
    assert saving.fault is None
    again = desks().library.open(session.row.id)
    assert [turn.content[:8] for turn in again.path()] == ["question", "answer"]


def test_the_writers_thread_tells_the_window_on_its_own_thread(
    qtbot: QtBot, tmp_path: Path
) -> None:
    worker = ThreadWorker()
    opened = open_store(tmp_path, worker)
    saving = Saving(opened.store)
    heard = Heard()
    saving.saved.connect(heard)
    ticket = opened.store.put_chat(ChatRow(1, created=1))
    qtbot.waitUntil(lambda: ticket in heard.said)
    assert opened.store.is_saved(ticket)
    saving.close()
    assert opened.close()
