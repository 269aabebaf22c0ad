"""A branch becomes a chat of its own; what of a chat cannot be read is said."""

from __future__ import annotations

from app.chat.turn import TurnState
from app.store.faults import StoreFault, StoreFaultKind
from app.store.folders import data_folder
from tests.app.conftest import Program
from tests.app.test_application import ask, await_reply, contents
from tests.doubles.engines import Reply, ScriptedRunner


def test_a_branch_opens_with_what_led_to_the_turn_and_says_where_it_is_from(
    program: Program,
) -> None:
    window = program.start_ready(ScriptedRunner([Reply("a"), Reply("b")]))
    ask(window, "one")
    await_reply(program, window, 2)
    ask(window, "two")
    await_reply(program, window, 4)
    chat, page = window.deeds.open_chat, window.window.parts.chat
    assert page.session is not None
    reply = page.session.path()[1]
    widget = page.transcript.turn_widget(reply.id)
    assert widget is not None
    widget.actions_row._branch.click()
    assert window.deeds.open_chat != chat
    assert contents(window) == ["one", "a"]
    assert page.header.title.text() == "one"
    assert len(window.chats.chats()) == 2
    line = page.line
    assert line.isVisible()
    assert line.origin.text() == "Branched from “one”"
    branch = window.deeds.open_chat
    line.origin.click()
    assert window.deeds.open_chat == chat
    assert contents(window) == ["one", "a", "two", "b"]
    assert not line.isVisible()
    window.chats_on_screen.open(branch)
    assert line.isVisible()
    window.chat_deeds.delete([chat])
    assert not line.origin.isVisible()
    assert line._words.text() == "Branched from a chat that was deleted"


def test_a_branch_from_a_reply_that_is_being_written_keeps_what_there_is(program: Program) -> None:
    runner = ScriptedRunner([Reply("some words", endless=True)], tokens_per_second=200)
    window = program.start_ready(runner)
    ask(window, "go on")
    program.qtbot.waitUntil(lambda: len(contents(window)) == 2 and len(contents(window)[1]) > 20)
    session = window.window.parts.chat.session
    assert session is not None
    window.window.parts.chat.transcript.branch_requested.emit(session.path()[1].id)
    branch = window.window.parts.chat.session
    assert branch is not None
    assert branch is not session
    assert session.state.busy
    assert not branch.state.busy
    assert branch.path()[1].state is TurnState.STOPPED
    assert branch.path()[1].content.startswith("some words")


def test_turns_that_turn_out_to_be_unreadable_are_counted_in_a_notice(program: Program) -> None:
    window = program.start_ready()
    ask(window, "one")
    await_reply(program, window, 2)
    session = window.window.parts.chat.session
    assert session is not None
    session.damaged.emit(StoreFault(StoreFaultKind.ROW_DAMAGED, {"path": "chats.db", "rows": 3}))
    said = window.window.notices._bars["chat-damaged"].accessibleName()
    assert said == "3 turns of this chat cannot be read. All the others are shown."
    window.chats_on_screen.new()
    assert window.window.notices.keys() == []


def test_a_file_that_was_no_chats_any_more_is_kept_and_said_at_the_start(program: Program) -> None:
    path = data_folder() / "chats.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"not a database " * 1000)
    window = program.start()
    bars = window.window.notices._bars
    program.qtbot.waitUntil(lambda: "store-set_aside" in bars)
    said = bars["store-set_aside"].accessibleName()
    assert said.startswith("The chats could not be read. The damaged file was kept as chats.db.")
    assert bars["store-set_aside"]._button.text() == "Open the folder"


def test_an_edited_question_s_new_answer_is_followed(program: Program) -> None:
    long = "\n\n".join(f"Paragraph {k}." for k in range(60))
    window = program.start_ready(ScriptedRunner([Reply(long), Reply(long)]))
    ask(window, "first")
    await_reply(program, window, 2)
    page = window.window.parts.chat
    page.verbs.edit_last()
    assert not page.transcript.is_at_end()
    widget = page.transcript.turn_widget(page.session.path()[0].id)  # type: ignore[union-attr]
    assert widget is not None
    assert widget.edit_box is not None
    widget.edit_box._go.click()
    await_reply(program, window, 2)
    assert page.transcript.is_at_end()
