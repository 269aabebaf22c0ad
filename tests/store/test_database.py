"""Writing when the disk says no, and what one damaged page costs."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from app.store.backup import make_backup, read_all
from app.store.database import Database
from app.store.faults import StoreFault, StoreFaultKind
from app.store.folders import chats_path
from app.store.foreign import read_database
from app.store.opening import temporary_store
from app.store.reply_journal import Piece
from app.store.rows import LOST, ChatRow, TurnRow
from app.store.worker import ThreadWorker
from tests.store.conftest import Opener, fill, rows_of


def limit_pages(database: Database, pages: int) -> None:
    """Make SQLite itself answer "database or disk is full" beyond so many pages."""
    database._writing.execute(f"PRAGMA max_page_count = {pages}")


def long_turn(number: int) -> TurnRow:
    return TurnRow(number, 1, None, "user", "x" * 100_000)


def test_S4_a_full_disk_is_named_keeps_the_old_and_writes_the_new_when_there_is_room(
    opener: Opener,
) -> None:
    opened = opener()
    rows = fill(opened)
    database = opened.store.database
    heard: list[tuple[int, StoreFault | None]] = []
    database.listener = lambda ticket, fault: heard.append((ticket, fault))
    limit_pages(database, 10)
    ticket = opened.store.add_turns(long_turn(11))
    assert heard[-1][1] is not None
    assert heard[-1][1].kind is StoreFaultKind.DISK_FULL
    assert not opened.store.is_saved(ticket)
    assert not database.flush()
    assert [row.content for row in rows_of(opened.store)] == [row.content for row in rows]
    opened.store.add_turns(long_turn(12))  # waits behind the first: order is kept
    limit_pages(database, 100_000)
    database.retry()
    assert heard[-1] == (database.posted, None)
    assert database.flush()
    assert [row.id for row in rows_of(opener().store)] == [1, 2, 3, 4, 11, 12]


def test_S4_what_could_not_be_saved_is_reported_at_the_end(opener: Opener) -> None:
    opened = opener()
    limit_pages(opened.store.database, 1)
    opened.store.add_turns(long_turn(1))
    assert not opened.close()


def bug(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO no_such_table VALUES(1)")


def too_large(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO chats(id) VALUES(?)", (2**70,))


@pytest.mark.parametrize("broken", [bug, too_large])
def test_a_broken_write_is_loud_and_takes_no_other_with_it(
    opener: Opener, broken: Callable[[sqlite3.Connection], None]
) -> None:
    store = opener().store
    with pytest.raises((sqlite3.OperationalError, OverflowError)):
        store.database.write(broken)
    ticket = store.add_turns(TurnRow(1, 1, None, "user", "kept"))
    assert store.is_saved(ticket)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_broken_write_among_others_is_dropped_alone(opener: Opener) -> None:
    worker = ThreadWorker()
    database = opener(worker).store.database
    worker.post(lambda: __import__("time").sleep(0.05))  # so that all three meet in one commit
    for operation in (put(1), bug, put(2)):
        database.write(operation)
    database.write(put(3))
    while not database.flush():
        database.retry()
    assert database.read("SELECT id FROM chats ORDER BY id") == [(1,), (2,), (3,)]
    database.close()
    assert worker.close()


def put(number: int) -> Callable[[sqlite3.Connection], None]:
    def operation(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO chats(id) VALUES(?)", (number,))

    return operation


def test_one_damaged_page_costs_the_turns_on_it_and_no_other(
    opener: Opener, tmp_path: Path
) -> None:
    opened = opener()
    store = opened.store
    parents: list[int | None] = [None, *range(1, 40)]
    store.add_turns(
        *(
            TurnRow(number, 1, parent, "user", f"<{number}>" + "y" * 3000)
            for number, parent in enumerate(parents, 1)
        )
    )
    opened.close()
    raw = bytearray(chats_path(tmp_path).read_bytes())
    page = raw.find(b"<20>") // 4096 * 4096
    raw[page : page + 4096] = b"\0" * 4096
    chats_path(tmp_path).write_bytes(raw)
    again = opener()
    assert again.fault is None
    rows = rows_of(again.store)
    lost = [row for row in rows if row.state == LOST]
    assert [row.id for row in rows] == list(range(1, 41))
    assert [row.id for row in lost] == [20]
    assert [row.parent for row in rows] == parents
    ticket = again.store.add_turns(TurnRow(41, 1, 40, "user", "still writing"))
    assert again.store.is_saved(ticket)
    assert rows_of(again.store)[-1].content == "still writing"


def test_S5_a_reply_costs_about_its_own_size_and_not_the_chats(opener: Opener) -> None:
    """1,000 tokens at 20 a second in a chat of 5 MB, counted by the bytes put into both logs.

    The journal takes the text and 40 bytes a second; the row takes it once more with its ids, in
    whole pages: 5 kB of text and 4 kB of ids touch twelve (measured). The chat itself is 5,000 kB.
    """
    store = opener().store
    body = "z" * 5_000
    store.add_turns(*(TurnRow(n, 1, n - 1 or None, "user", body) for n in range(1, 1001)))
    store.database.read("PRAGMA wal_checkpoint(TRUNCATE)")
    reply = TurnRow(2000, 1, 1000, "assistant", state="streaming")
    store.add_turns(reply)
    token = "word "
    journaled = 0
    for second in range(50):
        store.append(2000, 1, [Piece("answer", 100 * second, token * 20)])
        journaled = Path(store.database.path + ".replies").stat().st_size
    text = token * 1000
    store.finish(TurnRow(2000, 1, 1000, "assistant", text, ids=tuple(range(1000))))
    logged = Path(store.database.path + "-wal").stat().st_size
    assert journaled < len(text) + 50 * 40
    assert logged < 14 * 4120


def test_a_file_that_was_moved_takes_nothing_and_goes_on_when_it_is_back(
    opener: Opener, tmp_path: Path
) -> None:
    opened = opener()
    fill(opened)
    database = opened.store.database
    heard: list[StoreFault | None] = []
    database.listener = lambda ticket, fault: heard.append(fault)
    away = tmp_path.with_name("away")
    tmp_path.rename(away)
    ticket = opened.store.add_turns(TurnRow(11, 1, 4, "user", "while it was away"))
    assert heard[-1] is not None
    assert heard[-1].kind is StoreFaultKind.GONE
    assert not opened.store.is_saved(ticket)
    away.rename(tmp_path)
    database.retry()
    assert heard[-1] is None
    assert [row.content for row in rows_of(opener().store)][-1] == "while it was away"


def test_another_file_in_its_place_is_not_written_into(opener: Opener, tmp_path: Path) -> None:
    opened = opener()
    fill(opened)
    path = chats_path(tmp_path)
    shutil.copyfile(path, tmp_path / "copy")
    path.unlink()
    (tmp_path / "copy").rename(path)
    before = path.read_bytes()
    opened.store.add_turns(TurnRow(11, 1, 4, "user", "new"))
    assert opened.store.database.fault is not None
    assert opened.store.database.fault.kind is StoreFaultKind.GONE
    assert path.read_bytes() == before


@pytest.mark.parametrize("is_gone", [True, False])
def test_S4_all_can_be_read_out_while_the_disk_takes_nothing(
    opener: Opener, tmp_path: Path, is_gone: bool
) -> None:
    opened = opener()
    fill(opened)
    if is_gone:
        for file in tmp_path.glob("chats.db*"):
            file.unlink()
    else:
        limit_pages(opened.store.database, 1)
    opened.store.add_turns(long_turn(11))
    (bundle,) = read_all(opened.store)
    assert [len(turn.content) for turn in bundle.turns] == [6, 6, 6, 6, 100_000]
    make_backup(opened.store, tmp_path / "backup.db")
    assert read_database(tmp_path / "backup.db").bundles == (bundle,)


def test_chats_in_memory_can_be_read_out_too(tmp_path: Path) -> None:
    store = temporary_store()
    store.put_chat(ChatRow(1, "in memory", created=1))
    store.add_turns(TurnRow(1, 1, None, "user", "only here"))
    (bundle,) = read_all(store)
    make_backup(store, tmp_path / "backup.db")
    assert read_database(tmp_path / "backup.db").bundles == (bundle,)
    store.close()
