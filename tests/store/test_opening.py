"""Opening the chats in every state of the file: the program always starts and says what it met."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.store.copies import make_copy, make_copy_when_due, newest_sound_copy
from app.store.faults import StoreFault, StoreFaultKind
from app.store.folders import chats_path, copies_folder
from app.store.foreign import read_database
from app.store.opening import OpenedStore, open_store
from app.store.rows import ChatRow, Draft, TurnRow, Waiting
from app.store.schema import MIGRATIONS, _apply
from app.store.worker import InlineWorker, ThreadWorker
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


SECRET = "龘靐齉"


def secrets_in(folder: Path) -> list[str]:
    files = [file for file in folder.rglob("*") if file.is_file()]
    return [file.name for file in files if SECRET.encode() in file.read_bytes()]


def test_a_deletion_leaves_a_new_copy_behind_when_the_program_ends_at_once(tmp_path: Path) -> None:
    opened = open_store(tmp_path, ThreadWorker())
    fill(opened, chat=1)
    opened.store.put_chat(ChatRow(2, title=SECRET, created=1))
    assert opened.store.database.flush()
    opened.store.copy_when_due()
    older = copies_folder(tmp_path) / "chats-20260101-000000.db"
    while newest_sound_copy(copies_folder(tmp_path)) is None:
        time.sleep(0.01)
    made = newest_sound_copy(copies_folder(tmp_path))
    assert made is not None
    older.write_bytes(made.read_bytes())
    assert len(secrets_in(tmp_path)) >= 3
    opened.store.delete_chat(2, 1)
    opened.store.purge()
    assert opened.close()
    assert secrets_in(tmp_path) == []
    (only,) = copies_folder(tmp_path).glob("chats-*.db")
    (bundle,) = read_database(only).bundles
    assert bundle.row.title == "chat 1"


def test_a_copy_that_cannot_replace_the_older_ones_keeps_nothing_deleted(
    opener: Opener, tmp_path: Path
) -> None:
    def refuse(connection: sqlite3.Connection, folder: Path) -> Path:
        raise OSError("the disk is full")

    opened = opener()
    fill(opened)
    copied(tmp_path)
    told: list[bool] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("app.store.copies.make_copy", refuse)
        opened.store.purge(lambda: told.append(True))
        opened.close()
    assert told == [True]
    assert newest_sound_copy(copies_folder(tmp_path)) is None
    with closing(sqlite3.connect(chats_path(tmp_path))) as connection:
        again = make_copy_when_due(connection, copies_folder(tmp_path))
    assert again is not None, "the next start makes one at once: none is there"


def test_power_loss_at_any_point_of_the_log_keeps_whole_commits_in_their_order(
    opener: Opener, tmp_path: Path
) -> None:
    """Cut at, just before, just after and inside every frame, and inside the log's own head."""
    opened = opener()
    for chat in range(1, 6):
        fill(opened, chat=chat)
    path = chats_path(tmp_path)
    log = path.with_name("chats.db-wal")
    alive, database = log.read_bytes(), path.read_bytes()
    opened.close()
    ends = range(32, len(alive) + 1, 24 + 4096)
    cuts = {0, 1, 16, 31, *(end + off for end in ends for off in (-1, 0, 1, 24, 2000))}
    counts: list[int] = []
    trial = tmp_path / "trial.db"
    for cut in sorted(cut for cut in cuts if 0 <= cut <= len(alive)):
        trial.write_bytes(database)
        trial.with_name("trial.db-shm").unlink(missing_ok=True)
        trial.with_name("trial.db-wal").write_bytes(alive[:cut])
        with closing(sqlite3.connect(trial)) as connection:
            assert connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
            if connection.execute("PRAGMA user_version").fetchone()[0] < len(MIGRATIONS):
                counts.append(0)
                continue
            found = connection.execute(
                "SELECT chat, count(*) FROM turns GROUP BY chat ORDER BY chat"
            ).fetchall()
        assert found == [(chat, 4) for chat in range(1, len(found) + 1)]
        counts.append(len(found))
    assert counts == sorted(counts)
    assert set(counts) == set(range(6))


@pytest.mark.skipif(sys.platform == "win32", reason="rights are another thing there")
@pytest.mark.parametrize("has_chats", [True, False])
def test_a_folder_that_may_not_be_written_is_told_and_left_as_it_is(has_chats: bool) -> None:
    """Opened by a user who is nobody, where the test itself may do anything."""
    code = (
        "import os, sys; from pathlib import Path; from app.store.opening import open_store;"
        "from app.store.worker import InlineWorker; from app.store.rows import ChatRow;"
        "_ = os.getuid() or (os.setgid(65534), os.setuid(65534));"
        "opened = open_store(Path(sys.argv[1]), InlineWorker());"
        "opened.store.put_chat(ChatRow(7, title='in memory', created=1));"
        "print(opened.fault.kind.value, opened.keeps, len(opened.store.chats())); opened.close()"
    )
    folder = Path(tempfile.mkdtemp())
    try:
        if has_chats:
            opened = open_store(folder, InlineWorker())
            fill(opened)
            opened.close()
        before = sorted(file.name for file in folder.iterdir())
        folder.chmod(0o555)
        root = Path(__file__).parent.parent.parent
        ran = subprocess.run(
            [sys.executable, "-B", "-c", code, str(folder)],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (ran.stdout.split(), ran.stderr) == (["read_only", "False", "1"], "")
        assert sorted(file.name for file in folder.iterdir()) == before
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a file system of 1 MB, where the test may mount one."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = shutil.which("mount")
    command = [str(mount), "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no file system may be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_S4_a_real_disk_that_is_full_keeps_the_old_and_takes_the_new_when_there_is_room(
    small_disk: Path,
) -> None:
    opened = open_store(small_disk, InlineWorker())
    rows = fill(opened)
    ballast = small_disk / "ballast"
    free = shutil.disk_usage(small_disk).free
    ballast.write_bytes(b"x" * (free - 40_000))
    heard: list[StoreFault | None] = []
    opened.store.database.listener = lambda ticket, fault: heard.append(fault)
    ticket = opened.store.add_turns(TurnRow(11, 1, None, "user", "y" * 200_000))
    assert heard[-1] is not None
    assert heard[-1].kind is StoreFaultKind.DISK_FULL
    assert not opened.store.is_saved(ticket)
    assert [row.content for row in rows_of(opened.store)] == [row.content for row in rows]
    ballast.unlink()
    opened.store.database.retry()
    assert heard[-1] is None
    assert opened.close()
    again = open_store(small_disk, InlineWorker())
    assert kind(again) is None
    assert [row.id for row in rows_of(again.store)] == [1, 2, 3, 4, 11]
    again.close()


def test_S4_a_disk_that_was_full_before_the_start_does_not_stop_it(small_disk: Path) -> None:
    (small_disk / "ballast").write_bytes(b"x" * shutil.disk_usage(small_disk).free)
    opened = open_store(small_disk, InlineWorker())
    assert kind(opened) is StoreFaultKind.DISK_FULL
    fill(opened)
    assert len(opened.store.chats()) == 1
    opened.close()
