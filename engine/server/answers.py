"""How a request is answered, whichever of the interface's forms it has: whole, or as a stream."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from typing import Any, Protocol

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Send

from engine.contract import (
    Complete,
    CountTokens,
    Event,
    Failed,
    Finished,
    FinishReason,
    Generate,
    Loaded,
    TextDelta,
    TokensCounted,
)
from engine.server.asking import Asking
from engine.server.errors import (
    ApiError,
    model_gone,
    no_model,
    of_fault,
    prompt_too_long,
)
from engine.server.journal import Entry
from engine.server.waiting import unless_gone, with_pings

_LEAST_TOKENS_A_MESSAGE = 16
"""Room for a message's marks, where bytes are counted instead of tokens."""

Commands = Sequence[Generate] | Sequence[Complete]


class Writer(Protocol):
    """Writes an answer in one of the interface's forms."""

    def opening(self) -> Iterator[dict[str, Any]]:
        """What a stream begins with."""
        ...

    def delta(self, place: int, delta: TextDelta) -> Iterator[dict[str, Any]]:
        """New text of a choice."""
        ...

    def end(self, place: int, end: Finished) -> Iterator[dict[str, Any]]:
        """The end of a choice."""
        ...

    def closing(self) -> Iterator[dict[str, Any]]:
        """What a stream ends with."""
        ...

    def whole(self) -> dict[str, Any]:
        """The whole answer, when all choices have ended."""
        ...


class Answers:
    """Answers requests.

    Args:
        asking: the way to the engine.
    """

    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    def loaded(self, wanted: str) -> Loaded:
        """The model that a request names; without a name the one there is.

        Raises:
            ApiError: 404, or 503 without a model.
        """
        return self.named(wanted, self._asking.loaded)

    def named(self, wanted: str, loaded: Loaded | None) -> Loaded:
        """The same of a model that is given.

        Raises:
            ApiError: 404, or 503 without a model.
        """
        if loaded is None:
            raise no_model()
        if wanted and wanted not in {loaded.model.name, loaded.model.path.stem, "default"}:
            raise ApiError(
                404,
                f"There is no model {wanted} here; loaded is {loaded.model.name}.",
                "model_not_found",
                "model",
            )
        return loaded

    async def answer(
        self, request: Request, commands: Commands, writer: Writer, entry: Entry
    ) -> Response:
        """Answer whole; a client that leaves ends the work.

        Raises:
            ApiError: whatever the engine says.
        """
        return await unless_gone(request, self._whole(commands, writer, entry))

    async def stream(
        self, request: Request, commands: Commands, writer: Writer, entry: Entry, *, named: bool
    ) -> AsyncGenerator[bytes, None]:
        """Begin to answer piece by piece; what fails at once is raised, and has its own status.

        Args:
            request: whose answer it is.
            commands: what the engine is asked.
            writer: of the interface's form.
            entry: of the log.
            named: whether each event carries its type as its name, and no ``[DONE]`` ends them.

        Raises:
            ApiError: whatever the engine says at once.
        """
        events = self._events(commands, entry)
        first = await unless_gone(request, anext(events))
        return _frames(first, events, writer, entry, named=named)

    async def _whole(self, commands: Commands, writer: Writer, entry: Entry) -> Response:
        async with aclosing(self._events(commands, entry)) as events:
            async for place, event in events:
                for _ in _pieces(writer, place, event):
                    pass
        return JSONResponse(writer.whole())

    async def _events(
        self, commands: Commands, entry: Entry
    ) -> AsyncGenerator[tuple[int, Event], None]:
        """The commands' events, without their faults; known replies come from the cache.

        Raises:
            ApiError: a fault, a conversation that does not fit, a model that is gone.
        """
        loaded = self._asking.loaded
        if loaded is None:
            raise no_model()
        keys = [self._asking.cache.key(loaded, command) for command in commands]
        known = [self._asking.cache.find(key) if key else () for key in keys]
        if all(known):
            entry.is_cached = True
            for place, reply in enumerate(known):
                for event in reply:
                    entry.note(event)
                    yield place, event
            return
        await self._check_room(commands[0], loaded)
        seen: list[list[Event]] = [[] for _ in commands]
        async with aclosing(self._asking.ask(commands)) as events:
            async for place, event in events:
                _check(event)
                entry.note(event)
                seen[place].append(event)
                if isinstance(event, Finished) and (key := keys[place]) is not None:
                    self._asking.cache.keep(key, seen[place])
                yield place, event

    async def _check_room(self, command: Generate | Complete, loaded: Loaded) -> None:
        """Count a conversation that might not fit: the engine would leave its oldest turns out.

        Raises:
            ApiError: 400.
        """
        if isinstance(command, Complete):
            return  # the engine refuses it
        size = sum(len(m.content.encode()) + _LEAST_TOKENS_A_MESSAGE for m in command.messages)
        if size < loaded.context:
            return
        async with aclosing(self._asking.ask([CountTokens(0, command.messages)])) as events:
            async for _, event in events:
                _check(event)
                if isinstance(event, TokensCounted) and event.tokens >= event.context:
                    raise prompt_too_long(event.tokens, event.context)


class EventStream(StreamingResponse):
    """A stream whose source is closed with it, whoever ends first."""

    async def stream_response(self, send: Send) -> None:
        """Send all pieces."""
        source: Any = self.body_iterator
        async with aclosing(source):
            await super().stream_response(send)


def _check(event: Event) -> None:
    """Turn an end that is no answer into an error.

    Raises:
        ApiError: for it.
    """
    if isinstance(event, Failed):
        raise of_fault(event.fault)
    if isinstance(event, Finished):
        usage = event.usage
        if event.reason is FinishReason.CANCELLED:
            raise model_gone()
        if usage.left_out_turns:
            tokens = usage.prompt_tokens + usage.left_out_tokens
            raise prompt_too_long(tokens, usage.context_size)


def _pieces(writer: Writer, place: int, event: Event) -> Iterator[dict[str, Any]]:
    if isinstance(event, TextDelta):
        return writer.delta(place, event)
    if isinstance(event, Finished):
        return writer.end(place, event)
    return iter(())


async def _frames(
    first: tuple[int, Event],
    events: AsyncGenerator[tuple[int, Event], None],
    writer: Writer,
    entry: Entry,
    *,
    named: bool,
) -> AsyncGenerator[bytes, None]:
    """The stream's bytes."""
    framed = _named_frame if named else _frame
    async with aclosing(events):
        try:
            for piece in writer.opening():
                yield framed(piece)
            for piece in _pieces(writer, *first):
                yield framed(piece)
            async for found in with_pings(events):
                if found is None:
                    yield b": still at work\n\n"
                    continue
                for piece in _pieces(writer, *found):
                    yield framed(piece)
            for piece in writer.closing():
                yield framed(piece)
        except ApiError as error:
            entry.status = error.status
            yield framed({"type": "error"} | error.body())
        if not named:
            yield b"data: [DONE]\n\n"


def _frame(piece: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(piece, ensure_ascii=False)}\n\n".encode("utf-8", "replace")


def _named_frame(piece: dict[str, Any]) -> bytes:
    return f"event: {piece['type']}\n".encode() + _frame(piece)
