"""One question to a hub: JSON or a named fault."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from engine.contract import EngineError, FaultKind
from engine.library.downloads.answers import refusal, retry_after
from engine.library.downloads.client import host_of, without_secrets

Asked = str | int | tuple[str, ...]
"""A value of a question; a tuple is said once for each of its texts."""

_LARGEST = 16 << 20  # bytes: repositories of ten thousand files take 4 MB


def ask(
    client: httpx.Client,
    address: str,
    query: Mapping[str, Asked] | None = None,
    token: str = "",
    page: str = "",
) -> Any:
    """The JSON that an address answers with.

    A refusal names the ``page``, if there is one: that is where terms are accepted. Without one the
    hub as a whole is asked, and one that has nothing there is none.

    Raises:
        EngineError: ``NETWORK_UNREACHABLE``, ``SERVER_BUSY``, ``TOKEN_NEEDED``, ``TOKEN_REFUSED``,
            ``ACCESS_REFUSED``, ``FILE_GONE``, ``DOWNLOAD_REFUSED``, ``HUB_UNREADABLE``,
            ``HUB_ADDRESS_INVALID``.
    """
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    host = host_of(address)
    try:
        with client.stream("GET", address, params=dict(query or {}), headers=headers) as response:
            if response.status_code == 429:
                seconds = round(retry_after(response))
                raise EngineError(FaultKind.SERVER_BUSY, host=host, seconds=seconds)
            if response.status_code in {404, 410} and not page:
                raise unreadable(address, f"status {response.status_code}")
            if response.status_code != 200:
                raise refusal(response.status_code, page or address, has_token=bool(token))
            return httpx.Response(200, content=_read(response, host)).json()
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        shown = without_secrets(address).partition("/api/")[0].partition("/openapi/")[0]
        raise EngineError(FaultKind.HUB_ADDRESS_INVALID, address=shown) from error
    except (httpx.TransportError, httpx.TooManyRedirects) as error:
        raise EngineError(FaultKind.NETWORK_UNREACHABLE, host=host) from error
    except ValueError as error:
        raise unreadable(address, str(error)) from error


def unreadable(address: str, detail: str) -> EngineError:
    """The fault for an answer of another form than the hub's."""
    return EngineError(FaultKind.HUB_UNREADABLE, host=host_of(address), detail=detail)


def _read(response: httpx.Response, host: str) -> bytes:
    content = bytearray()
    for piece in response.iter_bytes():
        content += piece
        if len(content) > _LARGEST:
            raise EngineError(FaultKind.HUB_UNREADABLE, host=host, detail="too much of it")
    return bytes(content)
