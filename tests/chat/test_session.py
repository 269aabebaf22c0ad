"""One chat from the question to the saved reply, every state derived from the engine's events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from app.chat.activity import Activity
from app.chat.attachment import Outgoing
from app.chat.options import ChatOptions
from app.chat.session import ChatSession
from app.chat.turn import TurnState
from engine.contract import Channel, Command, Event, Fault, FaultKind, FinishReason, Role, Sampling
from tests.chat.conftest import Desk, Heard
from tests.doubles.engines import LoadScript, Reply
from tests.store.conftest import rows_of

Desks = Callable[..., Desk]


def texts(session: ChatSession) -> list[str]:
    return [turn.content for turn in session.path()]


def test_a_question_is_on_disk_before_the_engine_sees_it(
    desks: Desks, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = desks()
    session = desk.library.new()
    on_disk: list[list[str]] = []
    submit = desk.service.submit

    def watching(command: Command) -> None:
        on_disk.append([row.content for row in rows_of(desk.opened.store, session.row.id)])
        submit(command)

    monkeypatch.setattr(desk.service, "submit", watching)
    session.send("hello")
    assert on_disk == [["hello", ""]]


def test_a_reply_streams_and_is_kept_with_its_ids_and_figures(desks: Desks) -> None:
    desk = desks(Reply("Hi there."))
    session = desk.library.new()
    added, text = Heard(), Heard()
    session.turn_added.connect(added)
    session.text_added.connect(text)
    session.send("hello")
    desk.run()
    assert texts(session) == ["hello", "Hi there."]
    reply = session.path()[1]
    assert (reply.state, reply.ids, reply.model) == (TurnState.COMPLETE, (100, 101), "tiny")
    assert reply.figures is not None
    assert (reply.figures.generated_tokens, reply.figures.prompt_tokens) == (2, 12)
    assert [(turn.role, turn.state) for turn in added.said] == [
        (Role.USER, TurnState.COMPLETE),
        (Role.ASSISTANT, TurnState.STREAMING),
    ]
    assert text.said == [
        (reply.id, Channel.ANSWER, "Hi "),
        (reply.id, Channel.ANSWER, "there."),
    ]


def test_a_saved_reply_is_the_same_after_a_restart(desks: Desks) -> None:
    desk = desks(Reply("Hi.", pieces=[(Channel.REASONING, "hm")]))
    session = desk.library.new()
    session.send("hello")
    desk.run()
    before = list(session.path())
    again = desks().library.open(session.row.id)
    assert [replace(turn, ids=()) for turn in before] == list(again.path())
    assert again.row == session.row


def test_an_empty_chat_has_no_messages(desks: Desks) -> None:
    session = desks().library.new()
    assert session.messages() == ()


def test_the_states_follow_the_events(desks: Desks) -> None:
    desk = desks(Reply("a b", prefill=16))
    session = desk.library.new()
    heard = Heard()
    session.state_changed.connect(heard)
    session.send("hello")
    desk.run()
    assert [state.activity for state in heard.said] == [
        Activity.SAVING,
        Activity.WAITING,
        Activity.READING,
        Activity.WRITING,
        Activity.IDLE,
    ]


def test_a_second_turn_passes_the_sampled_ids_on_also_after_a_restart(desks: Desks) -> None:
    desk = desks(Reply("two"))
    session = desk.library.new()
    session.send("one")
    desk.run()
    session.send("three")
    desk.run()
    again = desks()
    session = again.library.open(session.row.id)
    session.send("five")
    again.run()
    first, second = (desk.asked[1], again.asked[0])
    assert [(m.role, m.content, m.ids) for m in first.messages] == [
        (Role.USER, "one", ()),
        (Role.ASSISTANT, "two", (100,)),
        (Role.USER, "three", ()),
    ]
    assert second.messages[:3] == first.messages


def test_a_stop_keeps_the_text_and_shows_until_the_engine_has_ended(desks: Desks) -> None:
    desk = desks(Reply("par", endless=True))
    session = desk.library.new()
    session.send("one")
    desk.step(6)
    session.stop()
    assert session.state.activity is Activity.STOPPING
    desk.run()
    assert session.state.activity is Activity.IDLE
    reply = session.path()[1]
    assert reply.content.startswith("par")
    assert reply.state is TurnState.STOPPED


def test_a_failure_keeps_the_text_and_says_why(desks: Desks) -> None:
    fault = Fault(FaultKind.OUT_OF_MEMORY, {"needed": 10, "free": 5, "device": "cpu"})
    desk = desks(Reply("half a", fault=fault))
    session = desk.library.new()
    session.send("one")
    desk.run()
    reply = session.path()[1]
    assert (reply.content, reply.state, reply.fault) == ("half a", TurnState.FAILED, fault)
    assert desks().library.open(session.row.id).path()[1] == reply


def test_a_length_limit_cuts_and_the_reply_can_go_on(desks: Desks) -> None:
    desk = desks(Reply("one two ", reason=FinishReason.LENGTH), Reply("three"))
    session = desk.library.new()
    session.send("count")
    desk.run()
    cut = session.path()[1]
    assert cut.state is TurnState.CUT
    session.continue_reply(cut.id)
    desk.run()
    whole = session.path()[1]
    assert (whole.id, whole.content, whole.state) == (cut.id, "one two three", TurnState.COMPLETE)
    assert whole.ids == (100, 101, 100)
    command = desk.asked[1]
    assert command.continue_reply
    assert (command.messages[-1].content, command.messages[-1].ids) == ("one two ", (100, 101))
    assert whole.figures is not None
    assert whole.figures.generated_tokens == 3


def test_a_question_during_a_reply_waits_for_its_end(desks: Desks) -> None:
    desk = desks(Reply("first"), Reply("second"))
    session = desk.library.new()
    session.send("one")
    session.send("two")
    assert session.state.queued == (Outgoing("two"),)
    desk.run()
    assert texts(session) == ["one", "first", "two", "second"]
    assert session.state.queued == ()


def test_a_failure_holds_the_queue_back_and_a_waiting_message_can_be_taken_out(
    desks: Desks,
) -> None:
    desk = desks(Reply("", fault=Fault(FaultKind.PROMPT_EMPTY)))
    session = desk.library.new()
    session.send("one")
    session.send("two")
    session.send("three")
    desk.run()
    assert session.state.queued == (Outgoing("two"), Outgoing("three"))
    assert session.unsent.take(1).text == "three"
    session.send_queued()
    desk.run()
    assert texts(session) == ["one", "", "two", "A scripted reply."]
    assert [message.content for message in desk.asked[1].messages] == ["two"]


def test_a_refused_question_does_not_push_out_the_good_turns_that_follow_or_precede_it(
    desks: Desks,
) -> None:
    fault = Fault(FaultKind.PROMPT_TOO_LONG, {"tokens": 67_921, "context": 4096})
    desk = desks(Reply("a"), Reply("", fault=fault), Reply("b"), Reply("c"))
    session = desk.library.new()
    for question in ("one", "far too long"):
        session.send(question)
        desk.run()
    assert [m.content for m in session.messages()] == ["one", "a"], "what the meter counts"
    session.send("hi there")
    desk.run()
    assert [m.content for m in desk.asked[2].messages] == ["one", "a", "hi there"]
    assert texts(session) == ["one", "a", "far too long", "", "hi there", "b"]
    session.regenerate(session.path()[3].id)
    desk.run()
    assert [m.content for m in desk.asked[3].messages] == ["one", "a", "far too long"]


def test_a_question_whose_reply_broke_off_after_a_word_stays_in_the_prompt(desks: Desks) -> None:
    desk = desks(Reply("half", fault=Fault(FaultKind.INTERNAL)), Reply("b"))
    session = desk.library.new()
    for question in ("one", "two"):
        session.send(question)
        desk.run()
    assert [m.content for m in desk.asked[1].messages] == ["one", "half", "two"]


def test_without_a_model_the_reply_says_so_and_the_question_is_kept(desks: Desks) -> None:
    desk = desks(model=False)
    session = desk.library.new()
    session.send("hello")
    reply = session.path()[1]
    assert reply.fault == Fault(FaultKind.NO_MODEL)
    assert texts(desks().library.open(session.row.id)) == ["hello", ""]


def test_a_question_waits_for_the_model_that_is_loading(desks: Desks) -> None:
    desk = desks(model=False)
    desk.services.model.load(desk.folder / "tiny.gguf")
    session = desk.library.new()
    heard = Heard()
    session.state_changed.connect(heard)
    session.send("hello")
    assert session.state.activity is Activity.WAITING_FOR_MODEL
    assert heard.said[-1].activity is Activity.WAITING_FOR_MODEL, "the window can say so"
    desk.run()
    assert texts(session) == ["hello", "A scripted reply."]


def test_a_load_that_fails_fails_the_reply_that_waited_for_it(desks: Desks) -> None:
    fault = Fault(FaultKind.MEMORY_SHORT, {"needed": 10, "free": 5, "context": 1})
    desk = desks(model=False, loads=(LoadScript(fault=fault),))
    desk.services.model.load(desk.folder / "tiny.gguf")
    session = desk.library.new()
    session.send("hello")
    desk.run()
    assert session.path()[1].fault == fault


def test_stopping_before_the_engine_was_asked_ends_at_once(desks: Desks) -> None:
    desk = desks(model=False)
    desk.services.model.load(desk.folder / "tiny.gguf")
    session = desk.library.new()
    session.send("hello")
    session.stop()
    assert session.path()[1].state is TurnState.STOPPED
    desk.run()
    assert desk.asked == []


def test_answering_again_makes_a_version_and_both_can_be_shown(desks: Desks) -> None:
    desk = desks(Reply("first"), Reply("second"))
    session = desk.library.new()
    session.send("one")
    desk.run()
    session.regenerate(session.path()[1].id)
    desk.run()
    reply = session.path()[1]
    assert (reply.content, reply.version, reply.versions) == ("second", 2, 2)
    session.show_version(reply.id, -1)
    assert texts(session) == ["one", "first"]
    session.show_version(session.path()[1].id, -1)
    assert texts(session) == ["one", "first"]
    assert texts(desks().library.open(session.row.id)) == ["one", "first"]


def test_answering_again_during_a_reply_stops_it_first(desks: Desks) -> None:
    desk = desks(Reply("endless", endless=True), Reply("second"))
    session = desk.library.new()
    session.send("one")
    desk.step(6)
    session.regenerate(session.path()[1].id)
    desk.run()
    assert (session.path()[1].content, session.path()[1].versions) == ("second", 2)
    session.show_version(session.path()[1].id, -1)
    assert session.path()[1].state is TurnState.STOPPED


def test_an_edited_question_is_a_new_branch_and_the_old_one_stays(desks: Desks) -> None:
    desk = desks(Reply("a"), Reply("b"))
    session = desk.library.new()
    session.send("one")
    desk.run()
    first = session.path()[0]
    session.edit(first.id, "ONE", answer_again=True)
    desk.run()
    assert texts(session) == ["ONE", "b"]
    assert session.path()[0].version == 2
    assert [m.content for m in desk.asked[1].messages] == ["ONE"]
    session.show_version(session.path()[0].id, -1)
    assert texts(session) == ["one", "a"]


def test_an_edit_may_be_saved_without_an_answer(desks: Desks) -> None:
    desk = desks(Reply("a"))
    session = desk.library.new()
    session.send("one")
    desk.run()
    session.edit(session.path()[0].id, "ONE", answer_again=False)
    assert texts(session) == ["ONE"]
    assert len(desk.asked) == 1


def test_a_reply_edited_in_place_loses_its_ids(desks: Desks) -> None:
    desk = desks(Reply("wrong"))
    session = desk.library.new()
    session.send("one")
    desk.run()
    session.edit(session.path()[1].id, "right", answer_again=False)
    session.send("two")
    desk.run()
    reply = desk.asked[1].messages[1]
    assert (reply.content, reply.ids) == ("right", ())


def test_an_edited_reply_can_be_continued(desks: Desks) -> None:
    desk = desks(Reply("wrong"), Reply("and so on"))
    session = desk.library.new()
    session.send("one")
    desk.run()
    session.edit(session.path()[1].id, "Right, ", answer_again=True)
    desk.run()
    assert texts(session) == ["one", "Right, and so on"]
    assert session.path()[1].ids == ()


def test_I9_an_edited_reply_has_no_figures_and_none_when_stopped_before_a_word(
    desks: Desks,
) -> None:
    desk = desks(Reply("wrong"), Reply("never", prefill=64))
    session = desk.library.new()
    session.send("one")
    desk.run()
    session.edit(session.path()[1].id, "right", answer_again=False)
    assert session.path()[1].figures is None, "the old speed is of words that are gone"
    session.edit(session.path()[1].id, "Right, ", answer_again=True)
    desk.step(2)
    session.stop()
    desk.run()
    reply = session.path()[1]
    assert (reply.content, reply.state) == ("Right, ", TurnState.STOPPED)
    assert reply.figures is None
    assert desks().library.open(session.row.id).path()[1].figures is None


def test_I9_a_continued_reply_stopped_before_a_word_keeps_the_figures_of_its_text(
    desks: Desks,
) -> None:
    desk = desks(Reply("one two ", reason=FinishReason.LENGTH), Reply("never", prefill=64))
    session = desk.library.new()
    session.send("count")
    desk.run()
    cut = session.path()[1]
    session.continue_reply(cut.id)
    desk.step(2)
    session.stop()
    desk.run()
    reply = session.path()[1]
    assert (reply.content, reply.figures) == (cut.content, cut.figures)
    assert reply.ids == cut.ids


def test_I9_a_continued_reply_that_breaks_off_has_no_figures_of_its_beginning_alone(
    desks: Desks,
) -> None:
    desk = desks(
        Reply("one two ", reason=FinishReason.LENGTH),
        Reply("three", fault=Fault(FaultKind.INTERNAL)),
    )
    session = desk.library.new()
    session.send("count")
    desk.run()
    session.continue_reply(session.path()[1].id)
    desk.run()
    reply = session.path()[1]
    assert (reply.content, reply.figures, reply.ids) == ("one two three", None, ())


def test_messages_can_be_written_without_an_answer_and_as_the_model(desks: Desks) -> None:
    desk = desks(Reply("c"))
    session = desk.library.new()
    session.add_message(Role.USER, "a")
    session.add_message(Role.ASSISTANT, "b")
    session.send("d")
    desk.run()
    assert [(m.role, m.content) for m in desk.asked[0].messages] == [
        (Role.USER, "a"),
        (Role.ASSISTANT, "b"),
        (Role.USER, "d"),
    ]


def test_a_prefilled_reply_begins_as_it_was_told(desks: Desks) -> None:
    desk = desks(Reply("of course."))
    session = desk.library.new()
    session.send("Can you?", prefill="Yes, ")
    desk.run()
    assert texts(session) == ["Can you?", "Yes, of course."]
    assert desk.asked[0].continue_reply
    assert desk.asked[0].messages[-1].content == "Yes, "


def test_a_deleted_turn_closes_up_and_comes_back(desks: Desks) -> None:
    desk = desks(Reply("a"), Reply("b"))
    session = desk.library.new()
    for question in ("one", "two"):
        session.send(question)
        desk.run()
    removal = session.delete_turn(session.path()[1].id)
    assert texts(session) == ["one", "two", "b"]
    session.undo_delete(removal)
    assert texts(session) == ["one", "a", "two", "b"]
    assert texts(desks().library.open(session.row.id)) == ["one", "a", "two", "b"]


def test_a_deleted_branch_stays_deleted_after_a_restart(desks: Desks) -> None:
    desk = desks(Reply("a"), Reply("b"))
    session = desk.library.new()
    for question in ("one", "two"):
        session.send(question)
        desk.run()
    session.delete_branch(session.path()[2].id)
    assert texts(session) == ["one", "a"]
    assert texts(desks().library.open(session.row.id)) == ["one", "a"]


def test_deleting_the_running_reply_stops_it(desks: Desks) -> None:
    desk = desks(Reply("x", endless=True))
    session = desk.library.new()
    session.send("one")
    desk.step(6)
    session.delete_turn(session.path()[1].id)
    desk.run()
    assert not session.state.busy
    assert texts(session) == ["one"]
    assert texts(desks().library.open(session.row.id)) == ["one"]


def test_what_holds_for_a_chat_reaches_the_engine_and_is_kept(desks: Desks) -> None:
    desk = desks()
    session = desk.library.new()
    session.set_options(ChatOptions(system="Be brief.", sampling=Sampling(temperature=0.1)))
    session.send("one")
    desk.run()
    command = desk.asked[0]
    assert (command.messages[0].role, command.messages[0].content) == (Role.SYSTEM, "Be brief.")
    assert command.settings.sampling == Sampling(temperature=0.1)
    assert desks().library.open(session.row.id).options == session.options


def test_a_closing_program_keeps_the_text_of_a_running_reply(desks: Desks) -> None:
    desk = desks(Reply("kept", endless=True))
    session = desk.library.new()
    session.send("one")
    desk.step(6)
    again = desks().library.open(session.row.id)
    reply = again.path()[1]
    assert reply.content.startswith("kept")
    assert reply.state is TurnState.INTERRUPTED


def test_an_interrupted_reply_can_go_on(desks: Desks) -> None:
    desk = desks(Reply("kept ", endless=True))
    session = desk.library.new()
    session.send("one")
    desk.step(4)
    again = desks(Reply("and more"))
    session = again.library.open(session.row.id)
    before = session.path()[1].content
    session.continue_reply(session.path()[1].id)
    again.run()
    assert session.path()[1].content == before + "and more"
    assert session.path()[1].state is TurnState.COMPLETE


def test_drafts_and_waiting_messages_outlive_the_program(desks: Desks) -> None:
    desk = desks(Reply("x", endless=True))
    session = desk.library.new()
    session.send("one")
    session.send("two")
    session.unsent.set_text("three, half")
    again = desks().library.open(session.row.id)
    assert again.unsent.draft.text == "two\n\nthree, half"
    assert again.state.queued == ()


@pytest.mark.parametrize(
    "text",
    ["what is enclosed in <>\n<channel>", "<h1>AAA</h1>", "\x00nul\x00", "half \ud83d pair", "😀"],
)
def test_text_is_kept_as_it_is(desks: Desks, text: str) -> None:
    desk = desks(Reply(text))
    session = desk.library.new()
    session.send(text)
    desk.run()
    assert texts(desks().library.open(session.row.id)) == [text, text]


def test_M13_an_unclosed_fence_is_as_it_was_after_a_restart(desks: Desks) -> None:
    desk = desks(Reply("Look:\n```python\nprint(1)"))
    session = desk.library.new()
    session.send("code")
    desk.run()
    again = desks(Reply("later"))
    session = again.library.open(session.row.id)
    session.send("next")
    again.run()
    assert texts(session) == ["code", "Look:\n```python\nprint(1)", "next", "later"]


def test_late_events_of_an_ended_reply_change_nothing(desks: Desks) -> None:
    desk = desks(Reply("one"))
    session = desk.library.new()
    session.send("hello")
    desk.run()
    for event in late_events(desk.asked[0].request):
        desk.services.bridge.received.emit(event)
    assert texts(session) == ["hello", "one"]


def late_events(request: int) -> Iterator[Event]:
    from engine.contract import Failed, TextDelta

    yield TextDelta(request, Channel.ANSWER, "late")
    yield Failed(request, Fault(FaultKind.INTERNAL))
