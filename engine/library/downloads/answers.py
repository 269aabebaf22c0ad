"""What a server's status and headers say about a file."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime

import httpx

from engine.contract import EngineError, FaultKind
from engine.library.downloads.client import host_of, without_secrets


class Later(Exception):
    """The server wants to be asked again, after ``seconds`` where it says so (else 0)."""

    def __init__(self, status: int, seconds: float) -> None:
        super().__init__(status)
        self.status, self.seconds = status, seconds


def range_start(response: httpx.Response) -> int:
    """The first byte that a partial answer brings; -1 where it does not say."""
    span = response.headers.get("Content-Range", "").removeprefix("bytes ").partition("-")[0]
    return int(span) if span.isdigit() else -1


def range_total(response: httpx.Response) -> int:
    """The length of the whole file by ``Content-Range``; 0 where it does not say."""
    total = response.headers.get("Content-Range", "").rpartition("/")[2]
    return int(total) if total.isdigit() else 0


def length_of(response: httpx.Response) -> int:
    """The bytes that the answer brings; 0 where it does not say."""
    length = response.headers.get("Content-Length", "")
    return int(length) if length.isdigit() else 0


def is_encoded(response: httpx.Response) -> bool:
    """Whether the answer is packed, so that its lengths are not the file's."""
    return str(response.headers.get("Content-Encoding", "identity")) != "identity"


def retry_after(response: httpx.Response) -> float:
    """Seconds that the server asks for (a number or a date, RFC 9110); 0 where it does not."""
    value = response.headers.get("Retry-After", "").strip()
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return 0.0


def refusal(status: int, address: str, *, has_token: bool) -> EngineError:
    """The fault for a status that says no."""
    shown, host = without_secrets(address), host_of(address)
    if status == 401 and not has_token:
        return EngineError(FaultKind.TOKEN_NEEDED, host=host, address=shown)
    if status == 401:
        return EngineError(FaultKind.TOKEN_REFUSED, host=host)
    if status == 403:
        return EngineError(FaultKind.ACCESS_REFUSED, host=host, address=shown)
    if status in {404, 410}:
        return EngineError(FaultKind.FILE_GONE, address=shown)
    return EngineError(FaultKind.DOWNLOAD_REFUSED, address=shown, status=status)
