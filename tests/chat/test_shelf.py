"""Turns of a long chat are fetched when they are looked at, near ones together."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.chat.activity import Activity
from app.chat.shelf import Shelf, TurnPath
from app.store.rows import ChatRow
from tests.chat.conftest import Desk
from tests.store.conftest import fill


class Counting(Shelf):
    """A shelf that remembers what was read from the disk."""

    def fetch(self, turns: object) -> None:
        before = len(self._here)
        super().fetch(turns)  # type: ignore[arg-type]
        self.read = getattr(self, "read", 0) + len(self._here) - before


def test_looking_at_the_end_of_a_long_chat_reads_only_the_end(desks: Callable[..., Desk]) -> None:
    desk = desks()
    ids = [row.id for row in fill(desk.opened, turns=1000)]
    shelf = Counting(desk.opened.store, ids)
    path = TurnPath(ids, shelf, shelf.__getitem__)
    assert path[-1].content == "text 1000"
    assert path[-40].content == "text 961"
    assert (len(path), shelf.read) == (1000, 40), "the last slice of 64 holds 40 turns"
    assert [turn.content for turn in path[100:103]] == ["text 101", "text 102", "text 103"]
    assert shelf.read == 43
    while shelf.fetch_some():
        pass
    assert (shelf.read, len(shelf)) == (1000, 1000)
    assert [turn.id for turn in path] == ids


def test_the_rest_of_a_chat_is_fetched_while_nothing_else_is_to_be_done(
    desks: Callable[..., Desk],
) -> None:
    desk = desks()
    rows = fill(desk.opened, turns=200)
    desk.library._rows[1] = ChatRow(1, "t", created=1, turns=1)
    session = desk.library.open(1)
    while session._fetching.fetch_slice():
        pass
    assert session.fault is None
    assert session._book.shelf._missing == {}
    assert len(session.path()) == len(rows)
    made = session._book._snapshots._made
    assert len(made) == len(rows), "the first prompt finds its messages made"
    before = dict(made)
    session.messages()
    assert all(made[turn] is before[turn] for turn in made)


def test_the_first_prompt_of_a_long_chat_waits_for_its_turns_a_slice_at_a_time(
    desks: Callable[..., Desk], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The window's thread never reads more than a slice (about 3 ms) in one go."""
    desk = desks()
    rows = fill(desk.opened, turns=1000)
    desk.library._rows[1] = ChatRow(1, "t", created=1, turns=len(rows))
    session = desk.library.open(1)
    sizes: list[int] = []
    fetch = Shelf.fetch

    def watching(self: Shelf, turns: list[int]) -> None:
        sizes.append(sum(turn in self._missing for turn in turns))
        fetch(self, turns)

    monkeypatch.setattr(Shelf, "fetch", watching)
    session.send("and now?")
    assert session.state.activity is Activity.WAITING
    assert desk.asked == []
    qtbot.waitUntil(lambda: session.state.activity is not Activity.WAITING or _works(desk))
    qtbot.waitUntil(lambda: not session.state.busy or _works(desk))
    assert len(desk.asked[0].messages) == 1001
    assert max(sizes) <= 64


def test_a_reply_that_waits_for_its_chat_can_be_stopped(desks: Callable[..., Desk]) -> None:
    desk = desks()
    rows = fill(desk.opened, turns=200)
    desk.library._rows[1] = ChatRow(1, "t", created=1, turns=len(rows))
    session = desk.library.open(1)
    session.send("and now?")
    session.stop()
    assert not session.state.busy
    while session._fetching.fetch_slice():
        pass
    desk.run()
    assert desk.asked == []


def _works(desk: Desk) -> bool:
    desk.run()
    return False
