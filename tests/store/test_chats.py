"""Chats and turns in their tables: exact on the way in, lenient on the way out."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from app.store.reply_journal import Piece, ReplyJournal, extend
from app.store.rows import ChatRow, Draft, TurnRow, Waiting
from tests.store.conftest import Opener, fill, rows_of


def test_a_turn_comes_back_as_it_went_in(opener: Opener) -> None:
    store = opener().store
    row = TurnRow(
        id=7,
        chat=1,
        parent=None,
        role="assistant",
        content="内容\n\x00 \ud800 end",
        reasoning="hm",
        tool_calls='{"name": "f"}',
        state="cut",
        created=1_750_000_000_000_001,
        model="M",
        figures='{"a": 1}',
        fault='{"kind": "internal"}',
        ids=(0, 1, 262_143, 4_294_967_295),
        attachments='[{"name": "件.pdf"}]',
    )
    store.add_turns(row)
    again = opener().store
    assert rows_of(again) == [replace(row, ids=())]
    assert again.token_ids(7) == row.ids
    assert again.token_ids(8) == ()


def test_a_chat_comes_back_as_it_went_in(opener: Opener) -> None:
    row = ChatRow(3, "题", "user", 1, 2, 4, True, True, "a\nb", "{}", 9, turns=0)
    opener().store.put_chat(row)
    assert opener().store.chats() == [row]


def test_new_ids_are_larger_than_every_old_one_also_a_deleted_one(opener: Opener) -> None:
    opened = opener()
    rows = fill(opened)
    opened.store.delete_turns([rows[-1].id], 5)
    again = opener().store
    assert again.new_turn_id() == rows[-1].id + 1
    assert again.new_chat_id() == 2


def test_pieces_become_the_text_of_a_reply_that_was_never_finished(opener: Opener) -> None:
    opened = opener()
    opened.store.add_turns(TurnRow(1, 1, None, "assistant", "be", state="streaming", ids=(1,)))
    opened.store.append(1, 1, [Piece("reasoning", 0, "h"), Piece("answer", 2, "gin")])
    rest = [Piece("answer", 5, "ning"), Piece("reasoning", 1, "m"), Piece("tool_call", 0, "{}")]
    opened.store.append(1, 1, rest)
    again = opener().store
    (row,) = rows_of(again)
    assert (row.content, row.reasoning, row.tool_calls) == ("beginning", "hm", "{}")
    assert row.state == "interrupted"
    assert again.token_ids(1) == ()


def test_a_finished_reply_leaves_no_pieces(opener: Opener, tmp_path: Path) -> None:
    store = opener().store
    row = TurnRow(1, 1, None, "assistant", state="streaming")
    other = TurnRow(2, 2, None, "assistant", state="streaming")
    store.add_turns(row, other)
    store.append(1, 1, [Piece("answer", 0, "abc")])
    store.append(2, 2, [Piece("answer", 0, "def")])
    store.finish(replace(row, content="abc", state="complete"))
    journal = tmp_path / "chats.db.replies"
    assert journal.stat().st_size > 0
    store.finish(replace(other, content="def", state="complete"))
    assert journal.stat().st_size == 0
    assert [r.content for r in rows_of(opener().store)] == ["abc"]


def test_older_runs_repeated_and_cut_lines_of_the_journal_change_nothing(tmp_path: Path) -> None:
    journal = ReplyJournal(tmp_path / "replies")
    journal.append(1, 1, [Piece("answer", 0, "old old old")])
    journal.append(1, 2, [Piece("answer", 3, "one ")])
    journal.append(1, 2, [Piece("answer", 3, "one "), Piece("answer", 7, "two")])
    journal.close()
    with (tmp_path / "replies").open("ab") as file:
        file.write(b'[1, 2, "answer", 10, " thr')
    pieces = ReplyJournal(tmp_path / "replies").read()
    assert extend("be ", pieces[1]) == "be one two"


def test_a_gap_in_the_journal_ends_the_text_there() -> None:
    assert extend("", [Piece("answer", 0, "a"), Piece("answer", 5, "b")]) == "a"


def test_drafts_and_choices_are_kept_and_taken_back(opener: Opener) -> None:
    store = opener().store
    draft = Draft("half", (Waiting("one"), Waiting("two", "[{}]", "Yes")), "[]", begins="Sure")
    store.save_draft(1, draft)
    store.choose(1, {0: 5, 5: 7})
    store.choose(1, {5: None})
    again = opener().store
    assert (again.draft(1), again.choices(1)) == (draft, {0: 5})
    again.save_draft(1, Draft())
    assert again.database.read("SELECT count(*) FROM drafts") == [(0,)]


ODD = [None, 3, 2.5, b"\xff\xfe", "", "null", "[1]", "{", '"x"', "NaN", -1, 2**62, "💥"]


@pytest.mark.parametrize("value", ODD)
def test_an_odd_value_in_any_column_never_closes_the_chat(
    opener: Opener, tmp_path: Path, value: object
) -> None:
    opened = opener()
    fill(opened)
    opened.close()
    loosen(tmp_path / "chats.db")
    with sqlite3.connect(tmp_path / "chats.db") as database:
        columns = [row[1] for row in database.execute("PRAGMA table_info(turns)")]
        for column in set(columns) - {"id", "chat", "deleted"}:
            database.execute(f"UPDATE turns SET {column} = ? WHERE id = 2", (value,))
        for column in {row[1] for row in database.execute("PRAGMA table_info(chats)")} - {
            "id",
            "deleted",
        }:
            database.execute(f"UPDATE chats SET {column} = ? WHERE id = 1", (value,))
        database.execute("INSERT INTO drafts(chat, text, queued) VALUES(1, ?, ?)", (value, value))
    database.close()
    store = opener().store
    rows = rows_of(store)
    assert [row.content for row in rows if row.id != 2] == ["text 1", "text 3", "text 4"]
    assert [row.id for row in store.chats()] == [1]
    store.draft(1)
    store.token_ids(2)


def loosen(path: Path) -> None:
    """Take the NOT NULLs away, as a damaged or foreign file may be without them."""
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '') WHERE name = 'turns'"
        )
        database.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '')"
            " WHERE name IN ('chats', 'drafts')"
        )
    database.close()
