"""Looking into replies, below the window: nothing is asked for unless somebody looks."""

from __future__ import annotations

from collections.abc import Callable

from app.chat.inspection import PAGE, Inspection, Sight
from app.chat.inspections import ALTERNATIVES, Inspections
from app.chat.session import ChatSession
from app.chat.turn import Turn, TurnState
from engine.contract import Channel, Fault, FaultKind, FinishReason, Inspect, ReadPrompt
from tests.chat.conftest import Desk, Heard
from tests.doubles.engines import Reply

Desks = Callable[..., Desk]


def looking(desk: Desk) -> Inspections:
    inspections = desk.services.inspections
    inspections.is_wanted = True
    return inspections


def seen_of(desk: Desk, session: ChatSession) -> Inspection:
    seen = desk.services.inspections.of(last(session).id)
    assert seen is not None
    return seen


def last(session: ChatSession) -> Turn:
    return session.path()[-1]


def said(seen: Inspection) -> str:
    return "".join(token.text for token in seen.tokens)


def test_nothing_is_asked_for_and_nothing_kept_while_nobody_looks(desks: Desks) -> None:
    desk = desks()
    session = desk.library.new()
    session.send("Hello?")
    desk.run()
    assert (desk.asked[0].settings.alternatives, desk.asked[0].settings.traces) == (0, False)
    assert desk.services.inspections.of(last(session).id) is None


def test_a_reply_that_somebody_looks_at_tells_every_token(desks: Desks) -> None:
    desk = desks(Reply("Three little words", pieces=((Channel.REASONING, "hm "),), reused=4))
    session, heard = desk.library.new(), Heard()
    looking(desk).changed.connect(heard)
    session.send("Hello?")
    desk.run()
    assert desk.asked[0].settings.alternatives == ALTERNATIVES
    seen = seen_of(desk, session)
    assert said(seen) == "hm Three little words"
    assert seen.channels == [Channel.REASONING, *[Channel.ANSWER] * 3]
    assert (seen.sight, seen.reused, seen.total) == (Sight.WHOLE, 4, 12)
    assert seen.timings is not None
    assert seen.memory is not None
    assert set(heard.said) == {last(session).id}


def test_a_model_that_tells_no_figures_is_seen_as_such(desks: Desks) -> None:
    desk = desks(Reply("Only text", is_traced=False))
    session = desk.library.new()
    looking(desk)
    session.send("Hello?")
    desk.run()
    assert seen_of(desk, session).sight is Sight.TEXT_ONLY


def test_a_reply_made_unseen_is_computed_once_more(desks: Desks) -> None:
    desk = desks(Reply("Made unseen.", reused=5))
    session = desk.library.new()
    session.send("Hello?")
    desk.run()
    desk.runner.inspected = Reply("Made unseen.")
    session.replying.look_back(last(session).id)
    assert seen_of(desk, session).sight is Sight.RUNNING
    desk.run()
    asked = desk.runner.commands[-1]
    assert isinstance(asked, Inspect)
    assert asked.ids == last(session).ids
    assert [message.content for message in asked.messages] == ["Hello?"]
    assert (seen_of(desk, session).sight, said(seen_of(desk, session))) == (
        Sight.WHOLE, "Made unseen."
    )  # fmt: skip
    figures = last(session).figures
    assert figures is not None
    assert seen_of(desk, session).reused == figures.reused_tokens  # then, not now
    assert last(session).content == "Made unseen."  # the reply itself is left alone


def test_a_computation_that_fails_says_why_and_one_that_is_stopped_leaves_nothing(
    desks: Desks,
) -> None:
    desk = desks()
    session = desk.library.new()
    session.send("Hello?")
    desk.run()
    desk.runner.inspected = Reply(fault=Fault(FaultKind.OUT_OF_MEMORY))
    session.replying.look_back(last(session).id)
    desk.run()
    seen = seen_of(desk, session)
    assert seen.sight is Sight.BROKEN
    assert seen.fault is not None
    desk.runner.inspected = Reply(endless=True)
    session.replying.look_back(last(session).id)
    desk.step(5)
    desk.services.inspections.stop(last(session).id)
    desk.run()
    assert desk.services.inspections.of(last(session).id) is None


def test_the_prompt_is_read_by_pages_each_once(desks: Desks) -> None:
    desk = desks(Reply("Yes.", prefill=PAGE + 40, reused=16))
    session, heard = desk.library.new(), Heard()
    inspections = looking(desk)
    inspections.prompt_changed.connect(heard)
    session.send("Hello?")
    desk.run()
    seen = seen_of(desk, session)
    assert seen.page_count == 2
    for _ in range(2):
        inspections.read_page(seen.turn, 1)
    desk.run()
    inspections.read_page(seen.turn, 1)
    desk.run()
    assert len(seen.pages[1]) == 40
    assert len([c for c in desk.runner.commands if isinstance(c, ReadPrompt)]) == 1
    assert heard.said == [seen.turn]


def test_the_prompt_is_gone_with_the_model(desks: Desks) -> None:
    desk = desks()
    session = desk.library.new()
    inspections = looking(desk)
    session.send("Hello?")
    desk.run()
    desk.services.model.load(desk.folder / "other.gguf")
    desk.run()
    inspections.read_page(last(session).id, 0)
    desk.run()
    assert seen_of(desk, session).pages == {}
    assert not any(isinstance(command, ReadPrompt) for command in desk.runner.commands)


def test_a_branch_begins_with_the_tokens_up_to_there_and_the_alternative(desks: Desks) -> None:
    desk = desks(Reply("One two three four"), Reply("branched"))
    session = desk.library.new()
    looking(desk)
    session.send("Count.")
    desk.run()
    first = seen_of(desk, session)
    begins = first.branch(2, 1)
    session.regenerate(last(session).id, begins)
    desk.run()
    assert desk.asked[1].begins_with == (*[t.id for t in first.tokens[:2]], begins.ids[-1])
    assert begins.ids[-1] != first.tokens[2].id
    assert (last(session).version, last(session).versions) == (2, 2)
    seen = seen_of(desk, session)
    assert said(seen) == "One two  something" + "branched"
    chosen = seen.tokens[2]
    assert chosen.trace is not None
    assert chosen.trace.draw is None


def test_a_reply_that_goes_on_keeps_the_figures_of_its_first_part(desks: Desks) -> None:
    desk = desks(Reply("First ", reason=FinishReason.LENGTH), Reply("second."))
    session = desk.library.new()
    looking(desk)
    session.send("Tell.")
    desk.run()
    session.continue_reply(last(session).id)
    desk.run()
    assert said(seen_of(desk, session)) == "First second."


def test_a_reply_that_goes_on_from_what_nobody_saw_is_not_half_shown(desks: Desks) -> None:
    desk = desks(Reply("First ", reason=FinishReason.LENGTH), Reply("second."))
    session = desk.library.new()
    session.send("Tell.")
    desk.run()
    looking(desk)
    session.continue_reply(last(session).id)
    desk.run()
    assert desk.services.inspections.of(last(session).id) is None
    assert last(session).state is TurnState.COMPLETE


def test_an_edited_reply_has_no_figures_any_more(desks: Desks) -> None:
    desk = desks()
    session = desk.library.new()
    looking(desk)
    session.send("Hello?")
    desk.run()
    session.edit(last(session).id, "My own words.", answer_again=False)
    assert desk.services.inspections.of(last(session).id) is None


def test_only_the_last_few_replies_are_kept(desks: Desks) -> None:
    desk = desks()
    session = desk.library.new()
    inspections = looking(desk)
    for number in range(8):
        session.send(f"Question {number}")
        desk.run()
    replies = [turn.id for turn in session.path() if turn.role == "assistant"]
    kept = [turn for turn in replies if inspections.of(turn) is not None]
    assert kept == replies[-6:]
