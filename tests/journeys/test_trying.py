"""The strip "Try it" with the real model: its own words, and what a step does to them."""

from __future__ import annotations

from pathlib import Path

from app.chat.trying import TryPhase
from tests.journeys.conftest import REPLY_MS, Person


def test_the_odds_of_the_next_word_follow_the_steps(person: Person, shelf: Path) -> None:
    program = person.start_ready(shelf)
    program.window.show_page("settings")
    page = program.window.parts.settings
    page.open_section("open-chat")
    trying, strip = program.chat_settings._trying, page.open_chat.tried
    page.open_chat.preset.tiles["balanced"].click()
    person.wait(
        lambda: (
            trying.phase is TryPhase.LIVE and all(word.share == word.usual for word in trying.words)
        ),
        REPLY_MS,
    )
    before = trying.words
    assert min(before[0].share, before[1].share) > 0
    assert sum(word.share for word in before) < 1 + 1e-6
    page.open_chat.sampling.rows["top_k"].control.choose(2)
    person.wait(lambda: trying.words != before, REPLY_MS)
    after = trying.words
    assert [word.raw for word in after] == [word.raw for word in before]
    assert [word.usual for word in after] == [word.usual for word in before]
    assert [word.share > 0 for word in after] == [True, True, False, False, False]
    assert abs(sum(word.share for word in after) - 1) < 1e-6
    assert strip.columns[0].name.text() == after[0].raw.decode().strip()
