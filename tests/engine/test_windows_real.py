"""Sliding-window layers resume where a turn ended (case E23), on the real Gemma 3."""

from __future__ import annotations

from pathlib import Path

from engine.contract import (
    Complete,
    Event,
    Finished,
    GenerateSettings,
    Load,
    Loaded,
    LoadSettings,
    Sampling,
)
from engine.engine import Engine
from engine.library.identify import identify
from engine.library.memory import memory_needed
from tests.doubles.engines import DirectService
from tests.engine.laws import terminal_of

GREEDY = Sampling(temperature=0)


def test_E23_turns_past_the_window_go_on_where_they_ended(gemma_model: Path) -> None:
    """The prompt is longer than the window of 512 tokens; nothing before its end is read twice."""
    events: list[Event] = []
    service = DirectService(events.append, Engine)
    service.submit(Load(1, gemma_model, LoadSettings(context=16_384)))
    service.run_all()
    prompt = " ".join(f"item {number}," for number in range(180))
    more = prompt + " and " + ", ".join(f"thing {number}" for number in range(200))
    settings = GenerateSettings(GREEDY, max_tokens=8)
    ends = []
    for request, text in enumerate((prompt, prompt, more, prompt, more), 2):
        service.submit(Complete(request, text, settings))
        service.run_all()
        end = terminal_of(request, events)
        assert isinstance(end, Finished)
        ends.append(end)
    service.close()
    first, again, longer, back, on = ends
    assert first.usage.prompt_tokens > 600
    assert longer.usage.prompt_tokens > first.usage.prompt_tokens + 600
    for end, before in ((again, first), (back, first), (on, longer)):
        assert end.usage.reused_tokens == end.usage.prompt_tokens - 1
        assert end.ids == before.ids
    assert longer.usage.reused_tokens >= first.usage.prompt_tokens - 1


def test_the_cache_of_layers_with_a_window_does_not_grow_with_the_context(
    gemma_model: Path,
) -> None:
    """15 of 18 layers slide: 8,192 tokens more cost what 3 layers keep of them."""
    facts = identify(gemma_model)
    assert (facts.window, facts.window_bytes_per_token) == (
        512,
        facts.cache_bytes_per_token * 5 // 6,
    )
    taken = []
    for context in (8_192, 16_384):
        events: list[Event] = []
        service = DirectService(events.append, Engine)
        service.submit(Load(1, gemma_model, LoadSettings(context=context)))
        service.run_all()
        service.close()
        (loaded,) = [event for event in events if isinstance(event, Loaded)]
        taken.append(loaded.memory.cache)
        spare = 4_096  # tokens for a second conversation
        assert abs(taken[-1] / memory_needed(facts, context + spare).cache - 1) < 0.03
    assert taken[1] - taken[0] == 8_192 * (facts.cache_bytes_per_token // 6)
