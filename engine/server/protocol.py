"""Connections that do not keep a place for nothing: uvicorn's own, with deadlines."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


class PatientProtocol(H11Protocol):
    """Drops a client that dawdles over its headers, or does not take what waits for it.

    uvicorn times only the pause between two requests. The deadline of a request's body is the
    guard's, which can answer it.
    """

    patience_s = 20.0
    _headers_due: asyncio.TimerHandle | None = None
    _reading_due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect the headers."""
        super().connection_made(transport)
        self._headers_due = self._drop_later()

    def data_received(self, data: bytes) -> None:
        """Take bytes; a request whose headers are complete is in time."""
        super().data_received(data)
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

    def _drop_later(self) -> asyncio.TimerHandle:
        return self.loop.call_later(self.patience_s, self.transport.abort)


def protocol_with(patience_s: float) -> type[PatientProtocol]:
    """A protocol class of this patience: uvicorn takes a class, and no arguments for it."""
    attributes: dict[str, Any] = {"patience_s": patience_s, "__doc__": PatientProtocol.__doc__}
    return type("PatientProtocol", (PatientProtocol,), attributes)


def _end(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
