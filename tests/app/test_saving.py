"""What cannot be saved is said as long as it is so, and not lost without a question."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from app.application import Application
from app.store.chats import ChatStore
from app.store.faults import StoreFault, StoreFaultKind
from app.store.folders import beside_path, chats_path, data_folder, lock_path
from app.store.instance_lock import InstanceLock
from app.store.opening import open_store
from app.store.schema import MIGRATIONS
from app.store.standing import Keeping
from app.store.worker import InlineWorker
from app.ui.question import QuestionDialog
from tests.app.conftest import Program
from tests.store.conftest import fill

KNOWN = len(MIGRATIONS)


def before_start(version: int = KNOWN) -> None:
    """Put a chat into the home, written by a program with so many migrations."""
    data_folder().mkdir(parents=True, exist_ok=True)
    opened = open_store(data_folder(), InlineWorker())
    fill(opened)
    opened.close()
    with closing(sqlite3.connect(chats_path(data_folder()))) as database:
        database.execute(f"PRAGMA user_version = {version}")


def ask(program: Program, running: Application, text: str) -> None:
    """Type and send, and wait for the answer."""
    field = running.window.parts.chat.box.field
    field.setPlainText(text)
    QTest.keyClick(field, Qt.Key.Key_Return)
    session = running.window.parts.chat.session
    assert session is not None
    program.qtbot.waitUntil(lambda: len(session.path()) >= 2 and not session.state.busy)


def line_of(running: Application) -> str:
    """Return what stands over the open chat; nothing where nothing does."""
    line = running.window.parts.chat.line
    return "" if line.isHidden() else line._words.text()


def fill_the_disk(running: Application) -> None:
    running.saving.store.database._writing.execute("PRAGMA max_page_count = 1")


def make_room(running: Application) -> None:
    running.saving.store.database._writing.execute("PRAGMA max_page_count = 1000000")
    running.saving.store.database.retry()


def question(running: Application) -> QuestionDialog | None:
    return next((d for d in running.window.findChildren(QuestionDialog) if d.isVisible()), None)


def answer(running: Application, number: int) -> None:
    dialog = question(running)
    assert dialog is not None
    dialog.answers[number].click()


@pytest.fixture
def first_window() -> Iterator[None]:
    """Hold the home as another program would."""
    data_folder().mkdir(parents=True, exist_ok=True)
    lock = InstanceLock(lock_path(data_folder()))
    yield
    lock.release()


def test_S4_room_on_the_disk_takes_back_its_notice_and_no_other(program: Program) -> None:
    path = chats_path(data_folder())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"not a database " * 1000)
    window = program.start()
    notices = window.window.notices
    program.qtbot.waitUntil(lambda: "store-set_aside" in notices.keys())  # noqa: SIM118
    full = StoreFault(StoreFaultKind.DISK_FULL, {"path": str(path), "free": 0})
    window.saving.refused.emit(full)
    window.saving.refused.emit(full)
    assert notices.keys() == ["store-set_aside", "store-disk_full"]
    window.saving.recovered.emit()
    assert notices.keys() == ["store-set_aside"]


def test_beside_newer_chats_the_window_says_where_a_chat_is_kept_and_keeps_it(
    program: Program,
) -> None:
    before_start(version=99)
    before = chats_path(data_folder()).read_bytes()
    running = program.start_ready()
    beside = beside_path(data_folder(), KNOWN).name
    assert line_of(running) == f"Kept apart from your other chats, in {beside}"
    notices = running.window.notices
    said = notices._bars["store-newer"].accessibleName()
    assert f"chats.db in {data_folder()} has version 99; this one knows {KNOWN}" in said
    for key in notices.keys():  # noqa: SIM118 - dismissing changes them
        notices.dismiss(key)
    ask(program, running, "written beside")
    assert beside in line_of(running)
    running.window.parts.chat.line.why.click()
    assert "store-newer" in notices.keys()  # noqa: SIM118
    assert question(running) is None
    program.end()
    assert chats_path(data_folder()).read_bytes() == before
    again = program.start()
    assert [row.title for row in again.chats.chats()] == ["written beside"]


def test_the_version_that_reads_both_says_that_they_are_together(program: Program) -> None:
    before_start(version=99)
    running = program.start_ready()
    ask(program, running, "written beside")
    program.end()
    with closing(sqlite3.connect(chats_path(data_folder()))) as database:
        database.execute(f"PRAGMA user_version = {KNOWN}")
    again = program.start()
    notices = again.window.notices
    program.qtbot.waitUntil(lambda: "store-joined" in notices.keys())  # noqa: SIM118
    assert "2 turns were added in 1 chat." in notices._bars["store-joined"].accessibleName()
    assert sorted(row.title for row in again.chats.chats()) == ["chat 1", "written beside"]
    assert line_of(again) == ""


@pytest.mark.usefixtures("first_window")
def test_a_chat_in_memory_is_marked_as_long_as_it_lasts_and_asked_about(
    program: Program, tmp_path: Path
) -> None:
    running = program.start_ready()
    mark = "This chat is not kept. Inkstone is already open."
    assert line_of(running) == mark
    ask(program, running, "only here")
    assert line_of(running) == mark
    running.chats_on_screen.new()
    assert line_of(running) == mark  # before anything is typed
    running.window.close()
    assert question(running) is not None
    assert running.window.isVisible()
    answer(running, 1)
    (dialog,) = running.window.findChildren(QFileDialog)
    dialog.fileSelected.emit(str(tmp_path / "kept.json"))
    dialog.done(QFileDialog.DialogCode.Accepted)
    program.qtbot.waitUntil(lambda: not running.window.isVisible())
    (chat,) = json.loads((tmp_path / "kept.json").read_text("utf-8"))["chats"]
    assert next(turn["content"] for turn in chat["turns"]) == "only here"
    assert running.settings.settings.last_chat == 0  # its number means nothing tomorrow


@pytest.mark.parametrize("kind", ["in use", "newer"])
def test_chats_that_are_not_open_here_are_not_said_to_be_none(program: Program, kind: str) -> None:
    before_start(version=KNOWN if kind == "in use" else 99)
    lock = InstanceLock(lock_path(data_folder())) if kind == "in use" else None
    rows = program.start().window.parts.sidebar.list
    if lock is not None:
        lock.release()
    elsewhere = "Your earlier chats are not open in this window. They stay as they are."
    program.qtbot.waitUntil(lambda: rows.accessibleDescription() == elsewhere)
    assert rows.model().rowCount() == 0


@pytest.mark.usefixtures("first_window")
def test_where_there_were_none_the_list_of_chats_says_so(program: Program) -> None:
    rows = program.start().window.parts.sidebar.list
    program.qtbot.waitUntil(lambda: rows.accessibleDescription().startswith("Nothing here yet."))


@pytest.mark.usefixtures("first_window")
def test_a_file_dialog_that_is_closed_keeps_the_window(program: Program) -> None:
    running = program.start_ready()
    ask(program, running, "only here")
    running.window.close()
    answer(running, 1)
    (dialog,) = running.window.findChildren(QFileDialog)
    dialog.reject()
    running.transfer_on_screen.saved.emit()  # a chat saved later on does not close it either
    assert running.window.isVisible()


@pytest.mark.usefixtures("first_window")
def test_a_message_that_was_only_typed_is_asked_about_and_can_be_let_go(program: Program) -> None:
    running = program.start_ready()
    running.window.parts.chat.box.field.setPlainText("not sent")
    running.window.close()
    dialog = question(running)
    assert dialog is not None
    assert [button.text() for button in dialog.answers] == ["Close and lose it"]
    answer(running, 0)
    program.qtbot.waitUntil(lambda: not running.window.isVisible())


@pytest.mark.usefixtures("first_window")
def test_a_temporary_chat_cannot_be_kept_where_nothing_can(program: Program) -> None:
    running = program.start_ready()
    running.chats_on_screen.new_temporary()
    ask(program, running, "fleeting")
    line = running.window.parts.chat.line
    assert (line.isHidden(), line.keep.isHidden(), line.save.isHidden()) == (False, True, True)


def test_S4_a_full_disk_is_marked_until_there_is_room(program: Program) -> None:
    running = program.start_ready()
    assert line_of(running) == ""
    fill_the_disk(running)
    ask(program, running, "question " + "x" * 100_000)
    program.qtbot.waitUntil(lambda: line_of(running) != "")
    assert line_of(running) == "Not saved yet. The disk is full: chats cannot be saved."
    assert not running.window.parts.chat.line.save.isHidden()
    running.window.close()
    dialog = question(running)
    assert dialog is not None
    dialog.reject()
    make_room(running)
    program.qtbot.waitUntil(lambda: line_of(running) == "")
    running.window.close()
    assert not running.window.isVisible()


def test_S4_a_chat_saved_as_a_file_while_the_disk_is_full_is_whole(
    program: Program, tmp_path: Path
) -> None:
    running = program.start_ready()
    fill_the_disk(running)
    ask(program, running, "question " + "x" * 100_000)
    program.qtbot.waitUntil(lambda: running.saving.standing is not None)
    chat = running.deeds.open_chat
    assert chat is not None
    for kind in ("json", "md"):
        with program.qtbot.waitSignal(running.transfer.exported):
            running.transfer_on_screen.write([chat], kind, tmp_path / f"kept.{kind}")
        assert "x" * 100_000 in (tmp_path / f"kept.{kind}").read_text("utf-8")
    make_room(running)
    program.qtbot.waitUntil(lambda: running.saving.standing is None)


def test_a_folder_that_is_moved_away_is_marked_until_it_is_back(program: Program) -> None:
    running = program.start_ready()
    home = data_folder()
    path = chats_path(home)
    path.rename(path.with_name("elsewhere"))
    ask(program, running, "while it was away")
    program.qtbot.waitUntil(lambda: line_of(running) != "")
    assert line_of(running) == "Not saved yet. chats.db was moved or deleted."
    path.with_name("elsewhere").rename(path)
    program.qtbot.waitUntil(lambda: line_of(running) == "", timeout=10_000)
    program.end()
    assert [row.title for row in program.start().chats.chats()] == ["while it was away"]


def test_a_write_into_a_damaged_page_is_marked_and_stays_in_the_window(program: Program) -> None:
    running = program.start_ready()
    ask(program, running, "before")

    def damaged(connection: sqlite3.Connection) -> None:
        error = sqlite3.DatabaseError("database disk image is malformed")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error

    running.saving.store.database.write(damaged)
    program.qtbot.waitUntil(lambda: running.saving.standing is not None)
    assert running.saving.standing is not None
    assert running.saving.standing.keeping is Keeping.PARTLY
    assert line_of(running).startswith("Not all of this is saved. A part of chats.db is damaged")
    ask(program, running, "after")
    assert line_of(running).startswith("Not all of this is saved.")
    running.window.close()
    assert question(running) is not None
    answer(running, 0)


def test_a_chat_that_the_disk_does_not_hand_out_is_said_and_the_open_one_stays(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    before_start()
    running = program.start_ready()
    running.chats_on_screen.new()
    shown = running.deeds.open_chat

    def refuse(store: ChatStore, chat: int) -> list[tuple[int, int | None]]:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(ChatStore, "links", refuse)
    running.chats_on_screen.open(1)
    assert running.deeds.open_chat == shown
    bar = running.window.notices._bars["chat-damaged"]
    assert "chats.db cannot be reached. The system says: disk I/O error." in bar.accessibleName()
