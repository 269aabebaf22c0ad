"""Who may ask at all: checked before anything of a request is read.

A web page that someone visits can make the browser call addresses of this machine. Two things stop
it: the name in ``Host`` (a page whose own name was made to point here, DNS rebinding, still sends
its own name) and ``Origin`` (a page says where it comes from). A key stops everyone else.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import socket

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.server.errors import ApiError
from engine.server.settings import ServerSettings, is_loopback

HEALTH = "/health"
"""The one path that needs no key: it tells nothing but that the server runs."""

HEADER_BYTES = 16_384
"""Of all headers of a request. The parser refuses more while they are incomplete; what comes in one
piece is looked at here."""

_DROPPED = 4
"""Times the longest body that is read away after it; then the connection is closed all the same."""


class Guard:
    """Refuses requests in OpenAI's form, and bounds their bodies in size and time.

    Args:
        app: what answers the rest.
        settings: whom to let in.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app = app
        self._settings = settings
        self._key = settings.key.encode()
        self._is_local = is_loopback(settings.host)
        own = socket.gethostname().casefold()
        names = {settings.host, *settings.hosts} | (
            set() if self._is_local else {own, own + ".local"}
        )
        self._names = {name.casefold() for name in names} | {"localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or pass on."""
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        try:
            self._check(headers, scope["path"], scope["method"])
        except ApiError as error:
            if error.status == 413:
                deadline = asyncio.get_running_loop().time() + self._settings.patience_s
                await self._read_away(receive, deadline)
            response = JSONResponse(error.body(), error.status, error.headers())
            await response(scope, receive, send)
            return
        await self._app(scope, self._bounded(receive), send)

    def _check(self, headers: Headers, path: str, method: str) -> None:
        if sum(len(name) + len(value) for name, value in headers.raw) > HEADER_BYTES:
            raise ApiError(
                431, f"Headers may have {HEADER_BYTES:,} bytes at most.", "headers_too_large",
                closes=True,
            )  # fmt: skip
        if not self._knows(headers.get("host", "")):
            raise ApiError(
                403, "This server does not answer to that host name.", "host", closes=True
            )
        origin = headers.get("origin")
        if origin is not None and origin not in self._settings.origins:
            raise ApiError(403, "Web pages may not call this server.", "origin", closes=True)
        if origin is None and headers.get("sec-fetch-site") == "cross-site":
            raise ApiError(403, "Web pages may not call this server.", "origin", closes=True)
        if path == HEALTH or (method == "OPTIONS" and origin is not None):
            return
        if self._key and not self._has_key(headers.get("authorization", "")):
            raise ApiError(401, "The API key is missing or wrong.", "invalid_api_key", closes=True)
        length = headers.get("content-length", "")
        if length.isdigit() and int(length) > self._settings.body_bytes:
            raise self._too_large()

    def _knows(self, host: str) -> bool:
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        name = name.strip("[]").casefold()
        if name in self._names:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or not self._is_local  # a bare address cannot be rebound

    def _has_key(self, authorization: str) -> bool:
        scheme, _, given = authorization.partition(" ")
        return scheme.casefold() == "bearer" and hmac.compare_digest(
            given.strip().encode("utf-8", "surrogateescape"), self._key
        )

    def _too_large(self) -> ApiError:
        limit = self._settings.body_bytes
        return ApiError(
            413, f"A request may have {limit:,} bytes at most.", "request_too_large", closes=True
        )

    async def _read_away(self, receive: Receive, deadline: float) -> None:
        """Drop some more of a body that is too long, so that its sender hears the answer.

        Whoever still writes into a closed connection is told of a reset, and of nothing else.
        """
        dropped, more = 0, True
        try:
            async with asyncio.timeout_at(deadline):
                while more and dropped <= _DROPPED * self._settings.body_bytes:
                    message = await receive()
                    dropped += len(message.get("body", b""))
                    more = message.get("more_body", False)
        except TimeoutError:
            return

    def _bounded(self, receive: Receive) -> Receive:
        """The request's messages, as long as its body is neither too long nor too slow."""
        taken, is_whole = 0, False
        deadline = asyncio.get_running_loop().time() + self._settings.patience_s

        async def bounded() -> Message:
            nonlocal taken, is_whole
            if is_whole:  # from here on it only tells that the client left
                return await receive()
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                raise ApiError(
                    408, "The request came too slowly.", "timeout", closes=True
                ) from None
            taken += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
            if taken > self._settings.body_bytes:
                if not is_whole:
                    await self._read_away(receive, deadline)
                raise self._too_large()
            return message

        return bounded
