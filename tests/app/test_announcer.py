"""What is announced to screen readers; that it arrives there is tested in tests/accessibility."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.ui import announcer, spoken
from app.ui.announcer import count_words
from tests.app.conftest import Program
from tests.app.test_application import ask, await_reply
from tests.doubles.engines import Reply, ScriptedRunner


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """(words, urgent) of everything that the announcer says."""
    heard: list[tuple[str, bool]] = []

    def speak(widget: QWidget, words: str, *, urgent: bool = False) -> None:
        heard.append((words, urgent))

    monkeypatch.setattr(announcer, "speak", speak)
    return heard


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("It isn't well-known, is it?", 5),
        ("冰比水轻。", 4),
        ("用 Python 写 3 行", 5),
        ("これは**重要**です", 7),
        ("```\nprint(1)\n```", 2),
    ],
)
def test_words_are_counted_as_word_processors_count(text: str, words: int) -> None:
    assert count_words(text) == words


def test_an_answer_is_two_sentences_however_long(
    program: Program, said: list[tuple[str, bool]]
) -> None:
    running = program.start_ready(ScriptedRunner([Reply("word " * 300)]))
    ask(running, "question")
    await_reply(program, running, 2)
    assert said[-2:] == [
        ("The answer begins.", False), ("The answer is finished: 300 words.", False),
    ]  # fmt: skip
    assert ("SmolLM2-135M-Instruct is ready.", False) in said
    assert len([words for words, _ in said if "answer" in words]) == 2


def test_a_stopped_answer_says_how_far_it_came(
    program: Program, said: list[tuple[str, bool]]
) -> None:
    running = program.start_ready(ScriptedRunner([Reply("one two ", lingers=True)]))
    ask(running, "question")
    program.qtbot.waitUntil(lambda: ("The answer begins.", False) in said)
    assert running.window.parts.chat.stop()
    await_reply(program, running, 2)
    assert said[-1][0].startswith("Stopped after")


def test_another_chat_is_not_taken_for_an_answer(
    program: Program, said: list[tuple[str, bool]]
) -> None:
    running = program.start_ready(ScriptedRunner([Reply("yes")]))
    ask(running, "question")
    await_reply(program, running, 2)
    said.clear()
    running.chats_on_screen.new()
    running.chats_on_screen.step(1)
    QTest.qWait(20)
    assert said == []


@pytest.mark.parametrize(
    ("active", "words", "sent"), [(False, "x", 0), (True, "", 0), (True, "x", 1)]
)
def test_nothing_is_sent_where_nobody_listens(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, active: bool, words: str, sent: int
) -> None:
    events: list[QAccessibleEvent] = []
    monkeypatch.setattr(QAccessible, "isActive", lambda: active)
    monkeypatch.setattr(QAccessible, "updateAccessibility", events.append)
    widget = QWidget()
    qtbot.addWidget(widget)
    spoken.speak(widget, words)
    assert len(events) == sent


def test_an_answer_that_ends_in_another_chat_is_told_with_its_title(
    program: Program, said: list[tuple[str, bool]]
) -> None:
    running = program.start_ready(ScriptedRunner([Reply("word " * 40)], tokens_per_second=100))
    ask(running, "What is slow?")
    running.chats_on_screen.new()
    program.qtbot.waitUntil(
        lambda: ("The answer in “What is slow?” is finished.", False) in said, timeout=10_000
    )
    assert not any(words.startswith("The answer is finished") for words, _ in said)
