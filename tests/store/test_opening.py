"""Opening the chats in every state of the file: the program always starts and says what it met."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from app.store.copies import make_copy, make_copy_when_due, newest_sound_copy
from app.store.faults import StoreFaultKind
from app.store.folders import chats_path, copies_folder
from app.store.foreign import read_database
from app.store.opening import OpenedStore, open_store
from app.store.rows import Draft, Waiting
from app.store.schema import MIGRATIONS, _apply
from app.store.worker import InlineWorker
from tests.store.conftest import Opener, fill, rows_of


def kind(opened: OpenedStore) -> StoreFaultKind | None:
    return opened.fault.kind if opened.fault else None


def copied(folder: Path) -> Path:
    with closing(sqlite3.connect(chats_path(folder))) as connection:
        return make_copy(connection, copies_folder(folder))


def fill_with_nuls(path: Path) -> None:
    path.write_bytes(b"\0" * path.stat().st_size)


def test_a_new_folder_is_made_and_nothing_is_said(tmp_path: Path) -> None:
    opened = open_store(tmp_path / "資料 測試" / "new", InlineWorker())
    assert (kind(opened), opened.keeps) == (None, True)
    assert opened.close()


def test_S2_nul_bytes_without_a_copy_are_set_aside_and_the_program_starts(
    opener: Opener, tmp_path: Path
) -> None:
    opened = opener()
    fill(opened)
    opened.close()
    fill_with_nuls(chats_path(tmp_path))
    again = opener()
    assert kind(again) is StoreFaultKind.SET_ASIDE
    assert again.fault is not None
    aside = Path(str(again.fault.figures["aside"]))
    assert aside.name.startswith("chats.db.damaged-")
    assert aside.exists()
    assert again.store.chats() == []
    fill(again)
    assert [row.title for row in opener().store.chats()] == ["chat 1"]


def test_S2_nul_bytes_with_a_copy_bring_the_copy_and_its_age(
    opener: Opener, tmp_path: Path
) -> None:
    opened = opener()
    fill(opened)
    opened.close()
    copy = copied(tmp_path)
    fill_with_nuls(chats_path(tmp_path))
    again = opener()
    assert kind(again) is StoreFaultKind.COPY_USED
    assert again.fault is not None
    assert again.fault.figures["copied"] == int(copy.stat().st_mtime)
    assert [row.content for row in rows_of(again.store)] == [
        "text 1",
        "text 2",
        "text 3",
        "text 4",
    ]


def test_S2_nul_bytes_in_the_copy_too_still_start(opener: Opener, tmp_path: Path) -> None:
    opened = opener()
    fill(opened)
    opened.close()
    fill_with_nuls(copied(tmp_path))
    fill_with_nuls(chats_path(tmp_path))
    assert kind(opener()) is StoreFaultKind.SET_ASIDE


def test_a_file_cut_to_nothing_brings_the_copy(opener: Opener, tmp_path: Path) -> None:
    opened = opener()
    fill(opened)
    opened.close()
    copied(tmp_path)
    chats_path(tmp_path).write_bytes(b"")
    again = opener()
    assert kind(again) is StoreFaultKind.COPY_USED
    assert len(again.store.chats()) == 1


def test_a_newer_schema_is_refused_kindly_and_not_touched(opener: Opener, tmp_path: Path) -> None:
    opener().close()
    with sqlite3.connect(chats_path(tmp_path)) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    before = chats_path(tmp_path).read_bytes()
    again = opener()
    assert kind(again) is StoreFaultKind.NEWER
    assert again.fault is not None
    assert again.fault.figures["found"] == 99
    assert not again.keeps
    fill(again)
    assert len(again.store.chats()) == 1
    again.close()
    assert chats_path(tmp_path).read_bytes() == before


def test_a_second_program_is_told_and_works_in_memory(opener: Opener, tmp_path: Path) -> None:
    first = opener()
    fill(first)
    second = open_store(tmp_path, InlineWorker())
    assert (kind(second), second.keeps) == (StoreFaultKind.IN_USE, False)
    second.close()
    assert len(first.store.chats()) == 1


@pytest.mark.skipif(os.name == "nt", reason="read-only is another thing there")
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    opened = open_store(in_the_way / "folder", InlineWorker())
    assert (kind(opened), opened.keeps) == (StoreFaultKind.READ_ONLY, False)
    fill(opened)
    assert len(opened.store.chats()) == 1
    opened.close()


def test_a_kill_leaves_a_log_that_is_read_at_the_next_start(opener: Opener, tmp_path: Path) -> None:
    """A cut log (power loss) loses the commits behind the cut and no others."""
    opened = opener()
    for chat in range(1, 6):
        fill(opened, chat=chat)
    log = chats_path(tmp_path).with_name("chats.db-wal")
    alive, database = log.read_bytes(), chats_path(tmp_path).read_bytes()
    opened.close()
    for kept in (0, len(alive) // 2, len(alive) - 100, len(alive)):
        chats_path(tmp_path).write_bytes(database)
        log.write_bytes(alive[:kept])
        opened = opener()
        assert opened.fault is None
        whole = [row.id for row in opened.store.chats() if row.turns == 4]
        assert whole in ([], [5, 4, 3, 2, 1][-len(whole) :])
        opened.close()


def test_copies_are_made_once_a_day_and_three_are_kept(opener: Opener, tmp_path: Path) -> None:
    opened = opener()
    fill(opened)
    folder = copies_folder(tmp_path)
    connection = sqlite3.connect(chats_path(tmp_path))
    first = make_copy_when_due(connection, folder)
    assert first is not None
    assert make_copy_when_due(connection, folder) is None
    for day in range(1, 5):
        older = folder / f"chats-2026010{day}-000000.db"
        older.write_bytes(first.read_bytes())
    make_copy(connection, folder)
    assert len(list(folder.iterdir())) == 3
    assert newest_sound_copy(folder) is not None
    two_days_ago = time.time() - 2 * 86_400
    for copy in folder.iterdir():
        os.utime(copy, (two_days_ago, two_days_ago))
    assert make_copy_when_due(connection, folder) is not None
    connection.close()


def test_a_file_of_an_older_program_is_brought_up_to_date_and_read_as_a_backup(
    opener: Opener, tmp_path: Path
) -> None:
    """The schema before files went with messages: opened it has them, as a backup it is read."""
    old = tmp_path / "old.db"
    with sqlite3.connect(old, isolation_level=None) as database:
        for version, script in enumerate(MIGRATIONS[:2], 1):
            _apply(database, script, version)
        database.execute("INSERT INTO chats(id, title) VALUES(1, 'kept')")
        database.execute(
            "INSERT INTO turns(id, chat, role, state, content) VALUES(1, 1, 'user', '', 'words')"
        )
        database.execute("INSERT INTO drafts VALUES(1, 'half', '[\"waits\"]')")
    database.close()
    (bundle,) = read_database(old).bundles
    assert [(turn.content, turn.attachments) for turn in bundle.turns] == [("words", "")]
    chats_path(tmp_path).write_bytes(old.read_bytes())
    store = opener().store
    assert rows_of(store)[0].attachments == ""
    assert store.draft(1) == Draft("half", (Waiting("waits"),))
