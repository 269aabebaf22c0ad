"""The list of chats: new, order, titles, deleting with undo, several answering at once."""

from __future__ import annotations

import gc
import sqlite3
import weakref
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from app.store.copies import Copies
from app.store.worker import InlineWorker
from tests.chat.conftest import Desk, Heard
from tests.doubles.engines import Reply

Desks = Callable[..., Desk]


def said(desk: Desk, text: str) -> int:
    """Say something in a new chat and return the chat."""
    session = desk.library.new()
    session.send(text)
    desk.run()
    return session.row.id


def titles(desk: Desk) -> list[str]:
    return [row.title for row in desk.library.chats()]


def test_a_chat_is_in_the_list_from_its_first_message_on_the_latest_first(desks: Desks) -> None:
    desk = desks()
    desk.library.new()
    assert titles(desk) == []
    first = said(desk, "one")
    said(desk, "two")
    assert titles(desk) == ["two", "one"]
    desk.library.open(first).send("more")
    assert titles(desk) == ["one", "two"]
    assert titles(desks()) == ["one", "two"]


def test_asking_for_a_new_chat_twice_gives_the_same_empty_one(desks: Desks) -> None:
    desk = desks()
    assert desk.library.new() is desk.library.new()


def test_the_draft_of_a_chat_without_messages_comes_back_in_the_new_chat(desks: Desks) -> None:
    desks().library.new().unsent.set_text("half a question")
    again = desks()
    assert again.library.new().unsent.draft.text == "half a question"
    assert titles(again) == []


def test_drafts_are_kept_for_each_chat(desks: Desks) -> None:
    desk = desks()
    first, second = said(desk, "one"), said(desk, "two")
    desk.library.open(first).unsent.set_text("a")
    desk.library.open(second).unsent.set_text("b")
    assert desk.library.open(first).unsent.draft.text == "a"
    again = desks()
    assert (
        again.library.open(first).unsent.draft.text,
        again.library.open(second).unsent.draft.text,
    ) == ("a", "b")


def test_M21_a_title_is_kept_as_it_was_typed(desks: Desks) -> None:
    desk = desks()
    chat = said(desk, "one")
    desk.library.rename(chat, "<img src=x onerror=alert(1)> [x](javascript:alert(1))")
    assert titles(desks()) == ["<img src=x onerror=alert(1)> [x](javascript:alert(1))"]


def test_a_title_of_ones_own_is_not_replaced(desks: Desks) -> None:
    desk = desks()
    session = desk.library.new()
    session.change_row(title="Mine", title_by="user")
    session.send("one")
    assert session.row.title == "Mine"


def test_pinned_chats_come_first(desks: Desks) -> None:
    desk = desks()
    first = said(desk, "one")
    said(desk, "two")
    desk.library.pin(first, True)
    assert titles(desk) == ["one", "two"]
    assert titles(desks()) == ["one", "two"]


def test_titles_are_found_by_all_words_in_any_case(desks: Desks) -> None:
    desk = desks()
    said(desk, "Doubling savings at 4 %")
    said(desk, "押金和房租")
    assert [row.title for row in desk.library.search_titles("SAVINGS double")] == []
    assert [row.title for row in desk.library.search_titles("SAVINGS doub")] == [
        "Doubling savings at 4 %"
    ]
    assert [row.title for row in desk.library.search_titles("押金")] == ["押金和房租"]


def test_a_deleted_chat_comes_back_whole(desks: Desks) -> None:
    desk = desks(Reply("answer"))
    chat = said(desk, "one")
    desk.library.delete(chat)
    assert titles(desk) == []
    assert desk.library.undo_delete(chat)
    assert [turn.content for turn in desk.library.open(chat).path()] == ["one", "answer"]
    assert titles(desks()) == ["one"]


def test_a_purged_chat_is_gone_from_the_file(desks: Desks, tmp_path: Path) -> None:
    desk = desks()
    chat = said(desk, "one")
    desk.library.delete(chat)
    desk.library.purge()
    assert not desk.library.undo_delete(chat)
    assert desk.opened.store.links(chat) == []


def test_deleting_a_chat_that_answers_stops_it(desks: Desks) -> None:
    desk = desks(Reply("x", endless=True))
    session = desk.library.new()
    session.send("one")
    desk.step(6)
    desk.library.delete(session.row.id)
    desk.run()
    assert titles(desk) == []


def test_a_chat_that_does_not_exist_is_a_key_error(desks: Desks) -> None:
    with pytest.raises(KeyError):
        desks().library.open(99)


def test_two_chats_answer_at_once_and_switching_stops_neither(desks: Desks) -> None:
    desk = desks(Reply("a b c d"), Reply("e f g h"))
    heard = Heard()
    desk.library.answering_changed.connect(heard)
    first = desk.library.new()
    first.send("one")
    desk.step(3)
    second = desk.library.new()
    second.send("two")
    desk.step(2)
    assert desk.library.is_answering(first.row.id)
    assert desk.library.is_answering(second.row.id)
    desk.run()
    assert first.path()[1].content == "a b c d"
    assert second.path()[1].content == "e f g h"
    assert not desk.library.is_answering(first.row.id)
    assert set(heard.said) == {first.row.id, second.row.id}


def test_many_chats_do_not_all_stay_in_memory_and_none_loses_a_word(desks: Desks) -> None:
    desk = desks(*(Reply(f"answer {number}") for number in range(20)))
    chats = [said(desk, f"question {number}") for number in range(20)]
    assert len(desk.library._sessions) <= 10
    for number, chat in enumerate(chats):
        path = desk.library.open(chat).path()
        assert [turn.content for turn in path] == [f"question {number}", f"answer {number}"]


def test_a_temporary_chat_is_never_on_disk(desks: Desks, tmp_path: Path) -> None:
    desk = desks(Reply("a secret answer"))
    session = desk.library.new_temporary()
    session.send("a secret question")
    desk.run()
    assert [turn.content for turn in session.path()] == ["a secret question", "a secret answer"]
    assert desk.library.open(session.row.id) is session
    desks()
    for file in tmp_path.iterdir():
        assert b"secret" not in file.read_bytes()


def test_a_chat_that_is_let_go_dies_at_once_on_the_windows_thread(desks: Desks) -> None:
    """Python's cycle collector may run on any thread, where a QObject must not die."""
    desk = desks(Reply("a"))
    chat = said(desk, "one")
    alive = weakref.ref(desk.library.open(chat))
    gc.disable()
    try:
        desk.library.delete(chat)
        assert alive() is None
    finally:
        gc.enable()


def test_a_branch_begins_with_what_was_said_and_goes_its_own_way(desks: Desks) -> None:
    desk = desks(Reply("a"), Reply("b"), Reply("c"))
    chat = said(desk, "one")
    session = desk.library.open(chat)
    session.send("two")
    desk.run()
    branch = desk.library.branch(chat, session.path()[1].id)
    assert [turn.content for turn in branch.path()] == ["one", "a"]
    assert branch.row.branched_from == session.path()[1].id
    branch.send("another way")
    desk.run()
    assert desk.asked[-1].messages[1].ids == desk.asked[1].messages[1].ids
    assert [turn.content for turn in session.path()] == ["one", "a", "two", "b"]
    again = desks().library.open(branch.row.id)
    assert [turn.content for turn in again.path()] == ["one", "a", "another way", "c"]


def test_folders_tags_and_the_archive_are_kept(desks: Desks) -> None:
    desk = desks()
    first, second, third = said(desk, "one"), said(desk, "two"), said(desk, "three")
    work = desk.library.folders.add("Work")
    home = desk.library.folders.add(" Home  repairs ")
    desk.library.folders.rename(work.id, "Works")
    desk.library.move(first, work.id)
    desk.library.move(second, home.id)
    desk.library.set_tags(first, ["b", "a"])
    desk.library.archive(third, True)
    desk.library.folders.delete(work.id)
    again = desks().library
    assert [folder.name for folder in again.folders.all()] == ["Home repairs"]
    assert {row.id: row.folder for row in again.chats()} == {first: None, second: home.id}
    assert [row.id for row in again.chats(archived=True)] == [third]
    assert again.tags() == ["a", "b"]


def test_an_ended_temporary_chat_is_gone(desks: Desks) -> None:
    desk = desks(Reply("x", endless=True))
    session = desk.library.new_temporary()
    session.send("secret")
    desk.step(6)
    desk.library.delete(session.row.id)
    desk.run()
    with pytest.raises(KeyError):
        desk.library.open(session.row.id)


def test_a_running_program_keeps_its_index_and_the_days_copy(desks: Desks, tmp_path: Path) -> None:
    desk = desks()
    said(desk, "something to find")
    desk.library._on_quiet()
    assert desk.opened.store._copies is not None
    assert desk.opened.store._copies._worker.flush()
    assert len(list((tmp_path / "copies").glob("chats-*.db"))) == 1
    database = desk.opened.store.database.path
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT count(*) FROM unindexed").fetchone() == (0,)


def test_a_copy_that_ends_while_the_program_closes_stops_nothing(tmp_path: Path) -> None:
    """Between its connection's end and the note of it, ``close`` finds a closed connection."""
    copies = Copies(tmp_path / "chats.db", tmp_path, InlineWorker())
    copies._copying = sqlite3.connect(":memory:")
    copies._copying.close()
    assert copies.close()
