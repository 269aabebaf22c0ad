"""Leading a conversation with the real model: begun, put into its mouth, branched, too long."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from app.chat.session import ChatSession
from app.chat.turn import TurnState
from engine.contract import FaultKind, Role
from tests.journeys.conftest import Person


def session_of(person: Person) -> ChatSession:
    session = person.window.window.parts.chat.session
    assert session is not None
    return session


def test_an_answer_begins_as_told_and_words_become_the_models(person: Person, shelf: Path) -> None:
    program = person.start_ready(shelf)
    person.settle(max_tokens=40)
    box = program.window.parts.chat.box
    box.otherwise.beginning_wanted.emit()
    QTest.keyClicks(box.beginning.field, "The sea is")
    person.ask("Say one thing about the sea.")
    begun = person.wait_for_reply()
    assert begun.content.startswith("The sea is")
    assert len(begun.content) > len("The sea is") + 10
    assert begun.figures
    assert begun.figures.generated_tokens > 5
    box.field.setPlainText("My name is Brunhilde.")
    box.otherwise.add_wanted.emit(Role.ASSISTANT)
    assert person.turns()[-1].content == "My name is Brunhilde."
    program.inspector_on_screen.toggle()
    person.ask("What is your name?")
    reply = person.wait_for_reply()
    program.window.parts.inspector.open_page(1)
    person.wait(lambda: (seen := program.inspections.of(reply.id)) is not None and bool(seen.pages))
    seen = program.inspections.of(reply.id)
    assert seen is not None
    raw = b"".join(token.raw for page in seen.pages.values() for token in page)
    prompt = raw.decode()
    assert f"assistant\n{begun.content}" in prompt
    assert "assistant\nMy name is Brunhilde.<|im_end|>" in prompt


def test_a_branch_goes_on_by_itself_and_reads_nothing_again(person: Person, shelf: Path) -> None:
    program = person.start_ready(shelf)
    person.settle(max_tokens=60)
    person.ask("Name three colours of the sea.")
    first = person.wait_for_reply()
    person.ask("And of the sky?")
    person.wait_for_reply()
    trunk, before = session_of(person).row.id, [turn.content for turn in person.turns()]
    program.window.parts.chat.transcript.branch_requested.emit(first.id)
    branch = session_of(person)
    assert branch.row.id != trunk
    assert [turn.content for turn in person.turns()] == before[:2]
    person.settle(max_tokens=40)
    person.ask("And of a forest?")
    reply = person.wait_for_reply()
    assert reply.figures
    assert reply.figures.reused_tokens >= len(first.ids), "the first answer was in the cache"
    program.chats_on_screen.open(trunk)
    assert [turn.content for turn in person.turns()] == before


def test_S11_a_message_longer_than_the_context_is_refused_and_nothing_is_made_up(
    person: Person, shelf: Path
) -> None:
    """Some 160,000 tokens with a secret in the first line, typed or pasted, to 8,192."""
    program = person.start_ready(shelf)
    text = "The secret is 4711.\n" + "Many more words stand on this line of it.\n" * 16_000
    person.ask(text)
    person.wait(lambda: (r := person.reply()) is not None and r.state is TurnState.FAILED)
    reply = person.reply()
    assert reply is not None
    assert (reply.content, reply.fault and reply.fault.kind) == ("", FaultKind.PROMPT_TOO_LONG)
    assert reply.fault
    assert int(reply.fault.figures["tokens"]) > 100_000
    assert person.turns()[0].content == text
    page = program.window.parts.chat
    person.wait(
        lambda: any(
            "too long for this model" in label.text()
            for label in page.transcript.findChildren(QLabel)
        )
    )
    person.ask("Say hello.")
    assert person.wait_for_reply().state in {TurnState.COMPLETE, TurnState.CUT}
    QTest.keyClick(program.window, Qt.Key.Key_Escape)
