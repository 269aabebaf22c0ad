"""Waiting for the engine beside a client that may leave, or grow impatient."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from typing import TypeVar

from starlette.requests import Request

from engine.server.errors import client_gone

_T = TypeVar("_T")

_PING_S = 15.0
"""A stream that has nothing to say for this long says so: something between may be impatient."""


async def unless_gone(request: Request, work: Awaitable[_T]) -> _T:
    """The work's result; it is cancelled when the client leaves.

    Raises:
        ApiError: 499, which nobody reads.
    """
    working = asyncio.ensure_future(work)
    watching = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({working, watching}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise client_gone()
        return working.result()
    finally:
        for task in (working, watching):
            task.cancel()
        await asyncio.gather(working, watching, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def with_pings(events: AsyncGenerator[_T, None]) -> AsyncGenerator[_T | None, None]:
    """The events; None where there was none for a while."""
    following: asyncio.Future[_T] | None = None
    try:
        while True:
            following = following or asyncio.ensure_future(anext(events))
            done, _ = await asyncio.wait({following}, timeout=_PING_S)
            if not done:
                yield None
                continue
            found, following = following, None
            try:
                yield found.result()
            except StopAsyncIteration:
                return
    finally:
        if following is not None:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
