"""The search as the window uses it: the last text typed is the one that is answered."""

from __future__ import annotations

from collections.abc import Callable

from pytestqt.qtbot import QtBot

from app.chat.searching import ChatSearch
from app.store.worker import InlineWorker
from tests.chat.conftest import Desk, Heard
from tests.doubles.engines import Reply

Desks = Callable[..., Desk]


def test_typing_is_answered_once_with_a_place_to_jump_to(desks: Desks, qtbot: QtBot) -> None:
    desk = desks(Reply("退押金要一个月"), Reply("other"))
    session = desk.library.new()
    session.send("押金？")
    desk.run()
    session.edit(session.path()[0].id, "changed", answer_again=True)
    desk.run()
    search = ChatSearch(desk.services.saving, InlineWorker())
    heard = Heard()
    search.found.connect(heard)
    with qtbot.waitSignal(search.found):
        for typed in ("押", "押金", "退押金"):
            search.find(typed)
    (results,) = heard.said
    (hit,) = results.hits
    assert (results.text, hit.chat) == ("退押金", session.row.id)
    session.show_turn(hit.turn)
    assert [turn.content for turn in session.path()] == ["押金？", "退押金要一个月"]
    search.close()


def test_an_empty_text_finds_nothing_at_once(desks: Desks) -> None:
    search = ChatSearch(desks().services.saving, InlineWorker())
    heard = Heard()
    search.found.connect(heard)
    search.find("  ")
    assert heard.said[0].hits == ()
    search.close()
