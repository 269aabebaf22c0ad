"""Beside a newer program's chats: they stay as they are, what is written lasts and joins them."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.store import schema
from app.store.copies import copy_before_migration, schema_copy
from app.store.faults import StoreFaultKind
from app.store.folders import beside_path, beside_paths, chats_path, copies_folder
from app.store.rows import ChatRow, Draft, TurnRow
from app.store.schema import MIGRATIONS
from app.store.standing import Keeping
from tests.store.conftest import Opener, fill, rows_of

KNOWN = len(MIGRATIONS)


def renumber(folder: Path, version: int) -> None:
    """Let the chats be of a program with so many migrations."""
    with closing(sqlite3.connect(chats_path(folder))) as database:
        database.execute(f"PRAGMA user_version = {version}")


def asked(number: int, chat: int, text: str, parent: int | None = None) -> TurnRow:
    return TurnRow(number, chat, parent, "user", text, created=chat * 7)


def titles(opener: Opener) -> list[str]:
    return sorted(row.title for row in opener().store.chats())


def test_chats_of_a_newer_program_keep_every_byte_and_what_is_written_lasts(
    opener: Opener, tmp_path: Path
) -> None:
    fill(opener())
    opener().close()
    renumber(tmp_path, 99)
    before = chats_path(tmp_path).read_bytes()
    opened = opener()
    assert opened.fault is not None
    assert opened.fault.kind is StoreFaultKind.NEWER
    assert opened.fault.figures["found"] == 99
    assert opened.fault.figures["beside"] == str(beside_path(tmp_path, KNOWN))
    assert "copied" not in opened.fault.figures
    assert opened.standing is not None
    assert (opened.keeps, opened.standing.keeping) == (True, Keeping.APART)
    assert opened.store.chats() == []
    fill(opened, chat=2)
    assert titles(opener) == ["chat 2"]
    assert chats_path(tmp_path).read_bytes() == before


def test_a_log_that_a_newer_program_left_is_not_brought_in(opener: Opener, tmp_path: Path) -> None:
    opener().close()
    path, kept = chats_path(tmp_path), tmp_path / "kept"
    kept.mkdir()
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA user_version = 99")
        for file in (path, path.with_name("chats.db-wal")):  # as a kill leaves them
            shutil.copyfile(file, kept / file.name)
    for file in kept.iterdir():
        shutil.copyfile(file, tmp_path / file.name)
    fill(opener())
    opener().close()
    for file in kept.iterdir():
        assert (tmp_path / file.name).read_bytes() == file.read_bytes()


def test_it_begins_with_the_copy_from_before_the_newer_program(
    opener: Opener, tmp_path: Path
) -> None:
    fill(opener())
    opener().close()
    copy_before_migration(chats_path(tmp_path), copies_folder(tmp_path), KNOWN)
    renumber(tmp_path, KNOWN + 1)
    opened = opener()
    assert opened.fault is not None
    copy = schema_copy(copies_folder(tmp_path), KNOWN)
    assert opened.fault.figures["copied"] == int(copy.stat().st_mtime)
    assert titles(opener) == ["chat 1"]
    opener().store.add_turns(asked(90, 1, "since then", parent=4))
    renumber(tmp_path, KNOWN)
    joined = opener()
    assert [row.content for row in rows_of(joined.store)] == [
        "text 1", "text 2", "text 3", "text 4", "since then",
    ]  # fmt: skip
    assert joined.joined is not None
    assert joined.joined.figures == {"chats": 1, "turns": 1}
    assert not beside_paths(tmp_path)


def test_the_program_that_reads_both_puts_them_together_once(
    opener: Opener, tmp_path: Path
) -> None:
    fill(opener())
    opener().close()
    renumber(tmp_path, 99)
    apart = opener()
    fill(apart, chat=2)
    apart.store.save_draft(2, Draft("typed there"))
    apart.store.put_chat(ChatRow(3, created=1))
    apart.store.save_draft(3, Draft("typed in a chat of its own"))
    apart.close()
    renumber(tmp_path, KNOWN)
    opened = opener()
    assert (opened.fault, opened.standing) == (None, None)
    assert opened.joined is not None
    assert opened.joined.figures == {"chats": 1, "turns": 4}
    drafts = {row.title: opened.store.draft(row.id).text for row in opened.store.chats()}
    assert drafts == {"chat 1": "", "chat 2": "typed there", "": "typed in a chat of its own"}
    assert [file.name for file in tmp_path.glob("*beside*")] == []
    again = opener()
    assert (again.joined, len(again.store.chats())) == (None, 3)


def test_a_reply_that_a_kill_cut_off_comes_along(opener: Opener, tmp_path: Path) -> None:
    opener().close()
    renumber(tmp_path, 99)
    apart = opener()
    apart.store.put_chat(ChatRow(1, created=1))
    apart.store.add_turns(
        asked(1, 1, "question"), TurnRow(2, 1, 1, "assistant", "begun", state="streaming")
    )
    apart.close()
    renumber(tmp_path, KNOWN)
    assert [(row.content, row.state) for row in rows_of(opener().store)] == [
        ("question", "complete"), ("begun", "interrupted"),
    ]  # fmt: skip


def test_what_cannot_be_read_beside_stays_and_stops_nobody(opener: Opener, tmp_path: Path) -> None:
    fill(opener())
    damaged, newer = beside_path(tmp_path, 1), beside_path(tmp_path, 98)
    damaged.write_bytes(b"no database " * 500)
    with closing(sqlite3.connect(newer)) as database:
        database.execute("PRAGMA user_version = 98")
    opened = opener()
    assert (opened.fault, opened.joined, len(opened.store.chats())) == (None, None, 1)
    assert beside_paths(tmp_path) == [damaged, newer]


def test_a_damaged_file_beside_is_set_aside_and_begun_anew(opener: Opener, tmp_path: Path) -> None:
    opener().close()
    renumber(tmp_path, 99)
    beside_path(tmp_path, KNOWN).write_bytes(b"no database " * 500)
    fill(opener())
    assert titles(opener) == ["chat 1"]
    assert len(list(tmp_path.glob("chats-beside-*.db.damaged-*"))) == 1


def test_what_lies_beside_a_damaged_file_is_set_aside_with_it(
    opener: Opener, tmp_path: Path
) -> None:
    opener().close()
    renumber(tmp_path, 99)
    beside = beside_path(tmp_path, KNOWN)
    beside.write_bytes(b"no database " * 500)
    kept = {suffix: f"said last {suffix}".encode() for suffix in ("-wal", ".replies")}
    for suffix, content in kept.items():
        beside.with_name(beside.name + suffix).write_bytes(content)
    fill(opener())
    assert titles(opener) == ["chat 1"]
    for suffix, content in kept.items():
        (aside,) = tmp_path.glob(f"chats-beside-*.db.damaged-*{suffix}")
        assert aside.read_bytes() == content


def test_where_nothing_can_lie_beside_it_is_in_memory_and_says_so(
    opener: Opener, tmp_path: Path
) -> None:
    opener().close()
    renumber(tmp_path, 99)
    beside_path(tmp_path, KNOWN).mkdir()
    opened = opener()
    assert opened.standing is not None
    assert (opened.keeps, opened.standing.keeping) == (False, Keeping.MEMORY)
    assert opened.fault is not None
    assert opened.fault.kind is StoreFaultKind.NEWER
    assert "beside" not in opened.fault.figures
    fill(opened)
    assert len(opened.store.chats()) == 1


def test_a_program_with_more_migrations_joins_what_an_older_one_kept(
    opener: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The way back and forth: newer, older beside it, newer again, with tables that changed."""
    more = (*MIGRATIONS, "CREATE TABLE later(id INTEGER PRIMARY KEY);")
    modules = ("schema", "opening", "beside")
    fill(opener())
    with monkeypatch.context() as newer:
        for module in modules:
            newer.setattr(f"app.store.{module}.MIGRATIONS", more)
        fill(opener(), chat=2)
        opener().close()
        assert schema.schema_of(chats_path(tmp_path)) == KNOWN + 1
    older = opener()
    assert [row.title for row in older.store.chats()] == ["chat 1"]  # the copy from before
    fill(older, chat=3)
    older.close()
    with monkeypatch.context() as newer:
        for module in modules:
            newer.setattr(f"app.store.{module}.MIGRATIONS", more)
        assert titles(opener) == ["chat 1", "chat 2", "chat 3"]
        opener().close()
