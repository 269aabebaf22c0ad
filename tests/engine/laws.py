"""The contract's laws as functions, so that every engine, real or double, is held to the same."""

from __future__ import annotations

from collections.abc import Sequence

from engine.contract import Event, Failed, Finished, FinishReason, TextDelta


def events_of(request: int, events: Sequence[Event]) -> list[Event]:
    return [event for event in events if event.request == request]


def terminal_of(request: int, events: Sequence[Event]) -> Finished | Failed:
    """Law: exactly one terminal event per request, and nothing follows it."""
    mine = events_of(request, events)
    ends = [event for event in mine if isinstance(event, Finished | Failed)]
    assert len(ends) == 1, f"request {request} ended {len(ends)} times"
    assert mine[-1] is ends[0], "something followed the terminal event"
    return ends[0]


def text_of(request: int, events: Sequence[Event], channel: str = "answer") -> str:
    """Law: the deltas of a channel, joined, are its whole text."""
    return "".join(
        event.text
        for event in events_of(request, events)
        if isinstance(event, TextDelta) and event.channel == channel
    )


def assert_cancelled_keeping(text: str, request: int, events: Sequence[Event]) -> None:
    """Law: a cancelled request ends in finished/cancelled and keeps the text it had."""
    end = terminal_of(request, events)
    assert isinstance(end, Finished)
    assert end.reason is FinishReason.CANCELLED
    assert text_of(request, events).startswith(text)
