"""Text of a growing reply: small pieces are read together, a burst a part at a time."""

from __future__ import annotations

import pytest

from app.rendering.reader import Reader
from app.rendering.stream import BlockStream
from app.ui.transcript.live import Live
from engine.contract import Channel
from tests.ui.transcript.conftest import growing

WORDS = "Some words of a paragraph.\n\n"


def test_a_burst_is_read_by_and_by_and_whole_at_the_end() -> None:
    live = Live(growing(2), Reader(), clock=iter(range(10_000)).__next__)  # time flies
    live.push(Channel.REASONING, WORDS * 100)
    live.push(Channel.ANSWER, WORDS * 400)
    assert live.catch_up(0.5), "one part, then the window has its turn"
    rounds = 1
    while live.catch_up(0.5):
        rounds += 1
    assert rounds > 4
    assert live.answer.text == WORDS * 400
    assert live.thought.text == WORDS * 100


def test_small_pieces_are_read_in_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    readings: list[None] = []
    monkeypatch.setattr(BlockStream, "read_on", lambda stream: readings.append(None))
    live = Live(growing(2), Reader())
    for letter in WORDS * 20:
        live.push(Channel.ANSWER, letter)
    assert not live.catch_up(60)
    assert readings == [], "none between them: the layout that follows reads all"
    assert live.answer.text == WORDS * 20
