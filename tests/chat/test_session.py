"""One chat from the question to the saved reply, with every state derived from events."""

from __future__ import annotations

from app.chat.answering import Activity
from app.chat.turn import TurnState
from engine.contract import FinishReason, Role
from tests.chat.conftest import Desk


def test_a_question_is_on_disk_before_the_engine_sees_it(desk: Desk) -> None:
    session = desk.library.new()
    on_disk: list[int] = []
    submit = desk.engine.submit
    desk.services.bridge._service = desk.engine

    def spying(command: object) -> None:
        on_disk.append(len(desk.opened.store.turns(session.row.id)[0]))
        submit(command)  # type: ignore[arg-type]

    desk.engine.submit = spying  # type: ignore[method-assign]
    session.send("hello")
    assert on_disk == [2]


def test_a_reply_streams_and_is_kept(desk: Desk) -> None:
    session = desk.library.new()
    session.send("hello")
    assert session.state.activity is Activity.WAITING
    desk.engine.say("Hi ")
    assert session.state.activity is Activity.WRITING
    desk.engine.say("there.")
    desk.engine.finish()
    assert [turn.content for turn in session.path()] == ["hello", "Hi there."]
    reply = session.path()[1]
    assert (reply.state, reply.ids, reply.model) == (TurnState.COMPLETE, (1, 2, 3), "Tiny")
    rows, fault = desk.opened.store.turns(session.row.id)
    assert [row.content for row in rows] == ["hello", "Hi there."]
    assert fault is None
    assert [row.title for row in desk.library.chats()] == ["hello"]


def test_a_second_turn_passes_the_sampled_ids_on(desk: Desk) -> None:
    session = desk.library.new()
    session.send("one")
    desk.engine.say("two")
    desk.engine.finish(ids=(9, 8, 7))
    session.send("three")
    assert [(m.role, m.content, m.ids) for m in desk.engine.last.messages] == [
        (Role.USER, "one", ()),
        (Role.ASSISTANT, "two", (9, 8, 7)),
        (Role.USER, "three", ()),
    ]


def test_a_stop_keeps_the_text(desk: Desk) -> None:
    session = desk.library.new()
    session.send("one")
    desk.engine.say("par")
    session.stop()
    assert session.state.activity is Activity.STOPPING
    assert desk.engine.cancelled == [desk.engine.last.request]
    desk.engine.finish(FinishReason.CANCELLED)
    assert session.state.activity is Activity.IDLE
    assert (session.path()[1].content, session.path()[1].state) == ("par", TurnState.STOPPED)
