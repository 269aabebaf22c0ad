"""Chats of an older program are copied before their tables change, and can be had back."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.store import opening
from app.store.backup import restore_backup
from app.store.copies import schema_copy
from app.store.faults import StoreError, StoreFaultKind
from app.store.folders import chats_path, copies_folder
from app.store.opening import open_store, put_back
from app.store.schema import MIGRATIONS, _apply, schema_of
from app.store.worker import InlineWorker
from tests.store.conftest import Opener, fill, rows_of

OLDER = len(MIGRATIONS) - 1


def write_older(folder: Path) -> None:
    """Chats as the program before the newest migration left them."""
    folder.mkdir(exist_ok=True)
    with closing(sqlite3.connect(chats_path(folder))) as database:
        for version, script in enumerate(MIGRATIONS[:OLDER], 1):
            _apply(database, script, version)
        database.execute("INSERT INTO chats(id, title, created, updated) VALUES(1, 'old', 1, 1)")
        database.execute(
            "INSERT INTO turns(id, chat, role, state, created, content)"
            " VALUES(1, 1, 'user', 'done', 1, 'asked long ago')"
        )
        database.commit()


def test_the_copy_is_made_first_and_holds_the_older_tables(opener: Opener, tmp_path: Path) -> None:
    write_older(tmp_path)
    opened = opener()
    assert [row.title for row in opened.store.chats()] == ["old"]
    copy = schema_copy(copies_folder(tmp_path), OLDER)
    assert (schema_of(copy), schema_of(chats_path(tmp_path))) == (OLDER, len(MIGRATIONS))
    before = copy.stat().st_mtime_ns
    opener()  # nothing changes any more, so nothing is copied
    assert copy.stat().st_mtime_ns == before


def test_chats_of_this_program_and_new_folders_are_not_copied(
    opener: Opener, tmp_path: Path
) -> None:
    fill(opener())
    opener()
    assert list(copies_folder(tmp_path).glob("schema-*")) == []


def test_the_copy_is_a_backup_that_can_be_restored(opener: Opener, tmp_path: Path) -> None:
    write_older(tmp_path)
    opened = opener()
    opened.store.delete_chat(1, 1)
    opened.store.purge()
    opened.close()
    write_older(tmp_path / "another")
    open_store(tmp_path / "another", InlineWorker()).close()
    copy = schema_copy(copies_folder(tmp_path / "another"), OLDER)
    again = opener()
    assert restore_backup(again.store, copy, 2, replaces=False).turns == 1
    assert [row.content for row in rows_of(again.store)] == ["asked long ago"]


def test_deleted_for_good_leaves_the_older_copy_too(opener: Opener, tmp_path: Path) -> None:
    write_older(tmp_path)
    opened = open_store(tmp_path, InlineWorker(), InlineWorker())
    opened.store.delete_chat(1, 1)
    opened.store.purge()
    opened.close()
    assert list(copies_folder(tmp_path).glob("schema-*")) == []


def test_without_a_copy_nothing_is_migrated(
    opener: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_older(tmp_path)

    def refuse(*_: object) -> None:
        raise StoreError(StoreFaultKind.DISK_FULL, path="", free=0)

    monkeypatch.setattr(opening, "copy_before_migration", refuse)
    opened = opener()
    assert opened.fault is not None
    assert opened.fault.kind is StoreFaultKind.DISK_FULL
    assert not opened.keeps
    assert schema_of(chats_path(tmp_path)) == OLDER


def test_an_older_program_gets_its_chats_back_and_the_newer_ones_are_kept(
    opener: Opener, tmp_path: Path
) -> None:
    write_older(tmp_path)
    opened = opener()
    fill(opened, chat=2)
    opened.close()
    aside = put_back(tmp_path, OLDER)
    assert aside is not None
    assert aside.name.startswith("chats.db.newer-")
    assert schema_of(chats_path(tmp_path)) == OLDER
    assert schema_of(aside) == len(MIGRATIONS)
    assert put_back(tmp_path, OLDER) is None  # it reads what is there
    opened = opener()  # the newer program again: what it set aside is a backup like any other
    assert restore_backup(opened.store, aside, 2, replaces=False).chats == 1
    assert sorted(row.title for row in opened.store.chats()) == ["chat 2", "old"]


def test_a_copy_that_there_is_no_room_for_changes_nothing(
    opener: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_older(tmp_path)
    opener().close()
    chats = chats_path(tmp_path)
    before = chats.read_bytes()

    def half(source: Path, target: Path) -> None:
        target.write_bytes(source.read_bytes()[:100])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", half)
    with pytest.raises(OSError, match="No space"):
        put_back(tmp_path, OLDER)
    assert chats.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir() if ".part" in file.name] == []
    assert list(tmp_path.glob("*.newer-*")) == []


def test_without_its_copy_the_chats_stay(opener: Opener, tmp_path: Path) -> None:
    fill(opener())
    opener().close()
    assert put_back(tmp_path, OLDER) is None
    assert schema_of(chats_path(tmp_path)) == len(MIGRATIONS)
