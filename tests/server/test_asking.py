"""Room for requests is given back, however a client leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest

from engine.contract import (
    Channel,
    Command,
    Complete,
    Event,
    Failed,
    Fault,
    FaultKind,
    Finished,
    FinishReason,
    GenerateSettings,
    TextDelta,
)
from engine.server.asking import Asking

MOST = 4


class Silent:
    """An engine that says only what a test has it say."""

    def __init__(self) -> None:
        self.cancelled: list[int] = []
        self.submitted: list[int] = []

    def submit(self, command: Command) -> None:
        self.submitted.append(command.request)

    def cancel(self, request: int) -> None:
        self.cancelled.append(request)


def text(request: int) -> Event:
    return TextDelta(request, Channel.ANSWER, "x")


def ended(request: int) -> Event:
    return Finished(request, FinishReason.END_OF_TURN)


def failed(request: int) -> Event:
    return Failed(request, Fault(FaultKind.INTERNAL, {"detail": "broken"}))


async def leave(engine: Silent, unread: Sequence[Event], asking: Asking) -> None:
    """Ask for two replies, read the first event, and leave while ``unread`` waits to be read."""
    asking.begin()
    question = Complete(0, "x", GenerateSettings())
    answers = asking.ask([question, question])
    reading = asyncio.ensure_future(anext(answers))
    await asyncio.sleep(0)
    asking.hear(text(engine.submitted[-2]))
    await reading
    for event in unread:
        asking.hear(event)
    await asyncio.sleep(0.01)
    await answers.aclose()


@pytest.mark.parametrize("end", [ended, failed])
def test_an_end_that_nobody_read_gives_its_room_back(end: Callable[[int], Event]) -> None:
    """The client left while the reply's end lay in the queue: the engine says nothing any more."""
    engine = Silent()
    asking = Asking(engine, MOST)

    async def run() -> None:
        for round in range(5):
            first, second = -2 * round - 1, -2 * round - 2
            await leave(engine, [end(first), text(second), end(second)], asking)
            asking.admit(MOST)

    asyncio.run(run())
    assert engine.cancelled == []


def test_who_leaves_before_the_end_keeps_the_room_until_the_engine_has_ended() -> None:
    engine = Silent()
    asking = Asking(engine, MOST)

    async def run() -> None:
        await leave(engine, [ended(-1), text(-2)], asking)
        assert engine.cancelled == [-2]
        asking.admit(MOST - 1)
        with pytest.raises(Exception, match="1 requests are open already"):
            asking.admit(MOST)
        asking.hear(ended(-2))
        await asyncio.sleep(0.01)
        asking.admit(MOST)

    asyncio.run(run())
