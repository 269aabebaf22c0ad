"""Sliding-window layers resume where a turn ended (case E23), on the real Gemma 3."""

from __future__ import annotations

from pathlib import Path

from engine.contract import (
    Complete,
    Event,
    Finished,
    GenerateSettings,
    Load,
    LoadSettings,
    Sampling,
)
from engine.engine import Engine
from tests.doubles.engines import DirectService
from tests.engine.laws import terminal_of

GREEDY = Sampling(temperature=0)


def test_E23_regenerating_past_the_window_reads_one_token_again(gemma_model: Path) -> None:
    """The prompt is longer than the window of 512 tokens; nothing before its end is read twice."""
    events: list[Event] = []
    service = DirectService(events.append, Engine)
    service.submit(Load(1, gemma_model, LoadSettings(context=2048)))
    service.run_all()
    prompt = " ".join(f"item {number}," for number in range(180))
    settings = GenerateSettings(GREEDY, max_tokens=8)
    ends = []
    for request in (2, 3):
        service.submit(Complete(request, prompt, settings))
        service.run_all()
        end = terminal_of(request, events)
        assert isinstance(end, Finished)
        ends.append(end)
    service.close()
    first, again = ends
    assert first.usage.prompt_tokens > 600
    assert again.usage.reused_tokens == again.usage.prompt_tokens - 1
    assert again.ids == first.ids
