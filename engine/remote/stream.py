"""A server's answer as JSON objects, while it comes; whatever goes wrong on the way by name.

Bounded in everything: the time until the first piece, between two pieces, the length of a line and
of the whole. A comment that only keeps the connection alive is no piece.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import httpx
from httpx_sse import EventSource

from engine.contract import EngineError, FaultKind
from engine.library.servers.access import Access
from engine.library.servers.refusals import refused, refused_words, unreachable, words_of
from engine.remote.request import Question

LONGEST_LINE = 1 << 20  # bytes; a token with its details takes 2 kB
LARGEST = 64 << 20  # bytes of an answer
_LARGEST_REFUSAL = 64 << 10
_AGAIN_S = (0.3, 1.5)  # waits before a connection is tried again that brought nothing


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds to wait at most: a server may read a model's weights before its first word."""

    first_s: float = 300.0
    between_s: float = 120.0


async def answers(
    client: httpx.AsyncClient, access: Access, question: Question, patience: Patience
) -> AsyncIterator[dict[str, Any]]:
    """Ask, and yield the objects of the answer up to its end.

    A connection that broke before an answer began is tried again; one that broke later never is,
    for the answer would be another one.

    Raises:
        EngineError: those of ``refused`` and ``unreachable``; ``SERVER_SILENT``,
            ``SERVER_BROKE_OFF``, ``SERVER_FOREIGN``, and ``SERVER_GARBLED`` once it had begun.
    """
    response = await _open(client, access, question, patience)
    try:
        if response.status_code != 200:
            raise refused(access, response, await _read(access, response, _LARGEST_REFUSAL))
        kind = response.headers.get("Content-Type", "")
        if "text/event-stream" in kind:
            async with aclosing(_events(access, response, patience)) as events:
                async for each in events:
                    yield each
        elif "json" in kind:
            yield _whole(access, await _read(access, response, LARGEST))
        else:
            raise EngineError(FaultKind.SERVER_FOREIGN, host=access.host, detail=kind[:80] or "–")
    except (httpx.TransportError, httpx.DecodingError) as error:
        raise EngineError(FaultKind.SERVER_BROKE_OFF, host=access.host) from error
    finally:
        await response.aclose()


async def _open(
    client: httpx.AsyncClient, access: Access, question: Question, patience: Patience
) -> httpx.Response:
    waits = iter(_AGAIN_S)
    while True:
        request = client.build_request(
            "POST", access.address(question.endpoint), json=question.body
        )
        try:
            async with asyncio.timeout(patience.first_s):
                return await client.send(request, stream=True)
        except TimeoutError as error:
            raise _silent(access, patience.first_s) from error
        except (httpx.ConnectError, httpx.ReadError, httpx.RemoteProtocolError) as error:
            wait = next(waits, None)
            fault = unreachable(access, error)
            if wait is None or fault.fault.kind is not FaultKind.SERVER_UNREACHABLE:
                raise fault from error
            await asyncio.sleep(wait)
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise unreachable(access, error) from error


async def _events(
    access: Access, response: httpx.Response, patience: Patience
) -> AsyncGenerator[dict[str, Any], None]:
    """The objects of a stream up to ``[DONE]``, or to its end where servers leave that out."""
    headers = {"Content-Type": "text/event-stream"}
    bounded = httpx.Response(200, headers=headers, stream=_Bounded(access, response))
    async with aclosing(EventSource(bounded).aiter_sse()) as source:
        wait, kind = patience.first_s, FaultKind.SERVER_FOREIGN
        while True:
            try:
                async with asyncio.timeout(wait):
                    event = await anext(source)
            except TimeoutError as error:
                raise _silent(access, wait) from error
            except StopAsyncIteration:
                return
            if event.data.strip() == "[DONE]":
                return
            if event.data:
                yield _object(access, event.data, kind)
                wait, kind = patience.between_s, FaultKind.SERVER_GARBLED


class _Bounded(httpx.AsyncByteStream):
    """An answer's bytes, unpacked, as long as its lines and the whole have a sane length."""

    def __init__(self, access: Access, response: httpx.Response) -> None:
        self._access, self._response = access, response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        line = total = 0
        async for piece in self._response.aiter_bytes():
            total += len(piece)
            end = max(piece.rfind(b"\n"), piece.rfind(b"\r"))
            line = len(piece) - end - 1 if end >= 0 else line + len(piece)
            if line > LONGEST_LINE or total > LARGEST:
                detail = "an endless line" if line > LONGEST_LINE else "an endless answer"
                raise EngineError(FaultKind.SERVER_FOREIGN, host=self._access.host, detail=detail)
            yield piece


def _object(
    access: Access, data: str, otherwise: FaultKind = FaultKind.SERVER_FOREIGN
) -> dict[str, Any]:
    """An object of an answer.

    Raises:
        EngineError: ``otherwise`` where it is none, and what the object itself reports.
    """
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise EngineError(otherwise, host=access.host, detail="no JSON") from error
    if not isinstance(content, dict):
        raise EngineError(otherwise, host=access.host, detail="no JSON object")
    if content.get("error") or content.get("object") == "error":
        raise refused_words(access, *words_of(access, content))
    return content


def _whole(access: Access, body: bytes) -> dict[str, Any]:
    """An answer of a server that does not stream."""
    content = _object(access, body.decode("utf-8", "replace"))
    if not isinstance(content.get("choices"), list):
        raise EngineError(FaultKind.SERVER_FOREIGN, host=access.host, detail="no choices")
    return content


async def _read(access: Access, response: httpx.Response, most: int) -> bytes:
    content = bytearray()
    async for piece in response.aiter_bytes():
        content += piece
        if len(content) > most:
            break
    return bytes(content[:most])


def _silent(access: Access, seconds: float) -> EngineError:
    return EngineError(FaultKind.SERVER_SILENT, host=access.host, seconds=round(seconds))
