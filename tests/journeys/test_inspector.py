"""Looking into an answer of the real model: every token, and where another one leads."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.chat.inspection import candidates_of, probability
from app.chat.turn import TurnState
from app.ui.inspector.panel import InspectorPanel
from tests.journeys.conftest import Person

CTRL = Qt.KeyboardModifier.ControlModifier


def open_panel(person: Person) -> InspectorPanel:
    QTest.keyClick(person.window.window, Qt.Key.Key_I, CTRL)
    panel = person.window.window.parts.built_inspector
    assert panel is not None
    return panel


def test_another_word_makes_another_version_that_begins_with_it(
    person: Person, shelf: Path
) -> None:
    program = person.start_ready(shelf)
    person.settle(max_tokens=40)
    panel = open_panel(person)
    person.ask("Name three colours of the sea.")
    first = person.wait_for_reply()
    seen = program.inspections.of(first.id)
    assert seen is not None
    assert tuple(token.id for token in seen.tokens) == first.ids
    assert all(0 < probability(token) <= 1 for token in seen.tokens)
    person.wait(lambda: len(panel.answer.tokens._cells) == len(first.ids))

    tokens = panel.answer.tokens
    QTest.keyClick(tokens, Qt.Key.Key_Home)
    for _ in range(4):
        QTest.keyClick(tokens, Qt.Key.Key_Right)
    rows = panel.answer.detail.candidates
    other = next(
        place
        for place, each in enumerate(candidates_of(seen.tokens[4]))
        if each.id != first.ids[4] and not each.is_control
    )
    place = rows.visualRect(rows.model().index(other, 0)).center()
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    person.wait(lambda: (r := person.reply()) is not None and r.id != first.id)
    second = person.wait_for_reply()
    begins = seen.branch(4, other)
    assert second.ids[:5] == begins.ids
    assert (second.version, second.versions) == (2, 2)
    promised = "".join(token.text for token in begins.tokens)
    assert second.content.startswith(promised.strip())
    assert second.figures
    assert second.figures.reused_tokens >= second.figures.prompt_tokens - 2


def test_an_answer_made_unseen_is_looked_into_afterwards(person: Person, shelf: Path) -> None:
    program = person.start_ready(shelf)
    person.settle(max_tokens=40)
    person.ask("Say hello.")
    reply = person.wait_for_reply()
    assert reply.state in {TurnState.COMPLETE, TurnState.CUT}
    panel = open_panel(person)
    panel.absence.look_back.click()
    person.wait(lambda: len(panel.answer.tokens._cells) == len(reply.ids))
    panel.open_page(1)
    person.wait(lambda: len(panel.prompt.tokens._cells) > 5)
    seen = program.inspections.of(reply.id)
    assert seen is not None
    person.wait(lambda: seen.is_over)
    read = b"".join(token.raw for token in seen.pages[0]).decode()
    assert "Say hello." in read
    assert read.startswith("<|im_start|>")
    assert person.reply() == reply  # looking changes nothing
