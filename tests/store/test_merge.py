"""Merging: backups, older copies and damaged files give what was lost, and nothing twice."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from app.store.bundle import Bundle, Merged
from app.store.copies import make_copy
from app.store.faults import StoreFaultKind
from app.store.folders import chats_path, copies_folder
from app.store.foreign import read_database
from app.store.opening import OpenedStore
from app.store.rows import ChatRow, TurnRow
from tests.store.conftest import Opener, fill, rows_of

BUNDLE = Bundle(
    ChatRow(1, "imported", created=77, updated=80),
    (
        TurnRow(1, 1, None, "user", "q", created=1),
        TurnRow(2, 1, 1, "assistant", "a", created=2, ids=(7, 8), model="M"),
        TurnRow(3, 1, 1, "assistant", "b", created=3),
    ),
    {1: 2},
    folder="Work",
)


def merge(opened: OpenedStore, bundle: Bundle) -> Merged:
    told: list[Merged] = []
    opened.store.merge(bundle, told.append)
    return told[0]


def test_a_new_chat_gets_ids_of_the_store_and_keeps_its_shape(opener: Opener) -> None:
    opened = opener()
    fill(opened)
    merged = merge(opened, BUNDLE)
    assert (merged.is_new, merged.new_turns) == (True, 3)
    rows = rows_of(opened.store, merged.chat)
    assert [(row.content, row.parent) for row in rows] == [
        ("q", None),
        ("a", rows[0].id),
        ("b", rows[0].id),
    ]
    assert opened.store.choices(merged.chat) == {rows[0].id: rows[1].id}
    assert opened.store.token_ids(rows[1].id) == (7, 8)
    assert rows[0].id > 4
    (chat,) = [row for row in opened.store.chats() if row.id == merged.chat]
    assert (chat.title, chat.updated) == ("imported", 80)
    assert opened.store.database.read("SELECT name FROM folders WHERE id = ?", (chat.folder,))


def test_merging_the_same_chat_again_adds_only_what_it_lacks(opener: Opener) -> None:
    opened = opener()
    first = merge(opened, BUNDLE)
    assert merge(opened, BUNDLE) == Merged(first.chat, False, 0)
    longer = replace(BUNDLE, turns=(*BUNDLE.turns, TurnRow(9, 1, 3, "user", "more")))
    assert merge(opened, longer) == Merged(first.chat, False, 1)
    contents = [row.content for row in rows_of(opened.store, first.chat)]
    assert contents == ["q", "a", "b", "more"]


def test_two_chats_that_began_alike_at_other_times_stay_two(opener: Opener) -> None:
    opened = opener()
    merge(opened, BUNDLE)
    other = replace(BUNDLE, row=replace(BUNDLE.row, created=78))
    assert merge(opened, other).is_new


def test_another_database_is_read_with_everything_and_not_changed(
    opener: Opener, tmp_path: Path
) -> None:
    opened = opener()
    merge(opened, BUNDLE)
    opened.close()
    path = chats_path(tmp_path)
    before = path.read_bytes()
    foreign = read_database(path)
    assert path.read_bytes() == before
    (bundle,) = foreign.bundles
    assert (bundle.folder, bundle.row.title, foreign.lost_turns) == ("Work", "imported", 0)
    assert [(turn.content, turn.ids) for turn in bundle.turns] == [
        ("q", ()),
        ("a", (7, 8)),
        ("b", ()),
    ]
    assert bundle.choices == {bundle.turns[0].id: bundle.turns[1].id}


def test_S2_a_file_damaged_at_its_root_gives_what_can_still_be_read(
    opener: Opener, tmp_path: Path
) -> None:
    """The list of chats is destroyed, and a page of turns; the other turns come back."""
    opened = opener()
    opened.store.put_chat(ChatRow(1, "lost title", created=5))
    parent = None
    for number in range(1, 41):
        row = TurnRow(number, 1, parent, "user", f"<{number}>" + "y" * 3000, created=number)
        opened.store.add_turns(row)
        parent = number
    opened.close()
    path = chats_path(tmp_path)
    raw = bytearray(path.read_bytes())
    for text in (b"lost title", b"<20>"):
        page = raw.find(text) // 4096 * 4096
        raw[page : page + 4096] = b"\0" * 4096
    path.write_bytes(raw)
    again = opener()
    assert again.fault is not None
    assert again.fault.kind is StoreFaultKind.SALVAGED
    assert again.fault.figures["turns"] == 39
    (chat,) = again.store.chats()
    assert [row.content.split(">")[0] for row in rows_of(again.store, chat.id)] == [
        f"<{number}" for number in range(1, 41) if number != 20
    ]


def test_S2_an_older_copy_is_completed_from_the_damaged_file(
    opener: Opener, tmp_path: Path
) -> None:
    opened = opener()
    fill(opened)
    with closing(sqlite3.connect(chats_path(tmp_path))) as connection:
        make_copy(connection, copies_folder(tmp_path))
    fill(opened, chat=2)
    opened.close()
    path = chats_path(tmp_path)
    raw = bytearray(path.read_bytes())
    page = raw.find(b"chat 1") // 4096 * 4096
    raw[page : page + 4096] = b"\0" * 4096
    path.write_bytes(raw)
    again = opener()
    assert again.fault is not None
    assert again.fault.kind is StoreFaultKind.SALVAGED
    assert {"copy", "copied"} <= again.fault.figures.keys()
    assert sorted(row.turns for row in again.store.chats()) == [4, 4]
