"""Connections that do not keep a place for nothing: uvicorn's own, with deadlines.

What is no HTTP, and what comes when too many are connected, is answered in OpenAI's form, too.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import h11
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from engine.server.errors import not_http, too_many_connections

_JSON = [(b"content-type", b"application/json")]
_LINGER_S = 2.0


class PatientProtocol(H11Protocol):
    """Drops a client that dawdles over its headers, or does not take what waits for it.

    uvicorn times only the pause between two requests. The deadline of a request's body is the
    guard's, which can answer it.
    """

    patience_s = 20.0
    most_connections = 256
    _is_refused = False
    _headers_due: asyncio.TimerHandle | None = None
    _reading_due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect the headers."""
        super().connection_made(transport)
        if len(self.connections) > self.most_connections:
            self.app = _refuse
        self._headers_due = self._drop_later()

    def data_received(self, data: bytes) -> None:
        """Take bytes; a request whose headers are complete is in time."""
        if self._is_refused:
            return
        super().data_received(data)
        if self._is_refused:
            return
        if self.conn.their_state is not h11.IDLE:
            _end(self._headers_due)
            self._headers_due = None
        elif self._headers_due is None:
            self._headers_due = self._drop_later()

    def pause_writing(self) -> None:
        """The client takes nothing more for now."""
        super().pause_writing()
        self._reading_due = self._reading_due or self._drop_later()

    def resume_writing(self) -> None:
        """It goes on."""
        super().resume_writing()
        _end(self._reading_due)
        self._reading_due = None

    def connection_lost(self, exc: Exception | None) -> None:
        """End the deadlines."""
        _end(self._headers_due)
        self._headers_due = None
        _end(self._reading_due)
        self._reading_due = None
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP, where there is still a way to answer it."""
        error = sys.exception()
        hint = error.error_status_hint if isinstance(error, h11.RemoteProtocolError) else 400
        answer = not_http(hint, str(error or msg))
        if self.conn.our_state not in {h11.IDLE, h11.SEND_RESPONSE}:
            self.transport.close()  # another answer has begun already
            return
        body = json.dumps(answer.body()).encode()
        headers = [*_JSON, (b"content-length", str(len(body)).encode()), (b"connection", b"close")]
        reason = STATUS_PHRASES[answer.status]
        head = h11.Response(status_code=answer.status, headers=headers, reason=reason)
        for event in (head, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event))
        self._hang_up()

    def _hang_up(self) -> None:
        """Close once the client has had the time to read: one that still writes is told of a reset.

        What it goes on to send is dropped.
        """
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        _end(self._headers_due)
        self._is_refused = True
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._headers_due = self.loop.call_later(_LINGER_S, self.transport.abort)

    def _drop_later(self) -> asyncio.TimerHandle:
        return self.loop.call_later(self.patience_s, self.transport.abort)


def protocol_with(patience_s: float, most_connections: int) -> type[PatientProtocol]:
    """A protocol class with these limits: uvicorn takes a class, and no arguments for it."""
    attributes: dict[str, Any] = {
        "patience_s": patience_s,
        "most_connections": most_connections,
        "__doc__": PatientProtocol.__doc__,
    }
    return type("PatientProtocol", (PatientProtocol,), attributes)


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer that there are too many."""
    error = too_many_connections()
    await JSONResponse(error.body(), error.status, error.headers())(scope, receive, send)


def _end(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
