"""As many connections as one file takes, and what each answer of a server means for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import httpx

from engine.contract import EngineError, FaultKind
from engine.library.downloads.answers import (
    Later,
    is_encoded,
    length_of,
    range_start,
    range_total,
    refusal,
    retry_after,
)
from engine.library.downloads.client import host_of
from engine.library.downloads.disk import Cancelled, check_space
from engine.library.downloads.pace import wait

if TYPE_CHECKING:
    from engine.library.downloads.transfer import Download, Progress, Terms


class _Trickle(Exception):
    """The connection is alive and brings next to nothing."""


class Connections:
    """One run of a download."""

    def __init__(
        self,
        client: httpx.Client,
        download: Download,
        file: BinaryIO,
        progress: Progress,
        cancelled: Callable[[], bool],
        terms: Terms,
    ) -> None:
        self._client, self._download, self._file = client, download, file
        self._progress, self._cancelled, self._terms = progress, cancelled, terms
        self._patience = terms.patience
        self._done = file.tell()
        self._tag = _noted(download.tag) if self._done else ""
        self._stops = 0  # connections in a row that brought nothing, or a trickle

    def run(self) -> None:
        """Connect until the file is whole."""
        while True:
            self._check_cancelled()
            before = self._done
            pause = self._patience.pause * self._stops
            try:
                if self._connect():
                    return
                self._judge(self._done > before, None)
            except httpx.TransportError:
                self._judge(self._done > before, None)  # the next continues where this one broke
            except _Trickle:
                self._judge(False, FaultKind.NETWORK_SLOW)
            except Later as later:
                pause = later.seconds or pause
                self._judge(False, FaultKind.SERVER_BUSY, later)
            if self._stops:
                wait(pause, self._cancelled)

    def _judge(self, moved: bool, kind: FaultKind | None, later: Later | None = None) -> None:
        """Count a connection that ended; give up after too many that did not help."""
        self._check_cancelled()
        self._stops = 0 if moved else self._stops + 1
        host = host_of(self._download.address)
        if later is not None and later.seconds > self._patience.longest_wait:
            seconds = round(later.seconds)
            raise EngineError(FaultKind.SERVER_BUSY, host=host, seconds=seconds)
        if self._stops < self._patience.tries:
            return
        if later is not None and later.status >= 500:
            raise refusal(later.status, self._download.address, has_token=False)
        if kind is FaultKind.SERVER_BUSY:
            raise EngineError(kind, host=host, seconds=round(later.seconds) if later else 0)
        raise EngineError(kind or FaultKind.NETWORK_UNREACHABLE, host=host)

    def _check_cancelled(self) -> None:
        if self._cancelled():
            raise Cancelled

    def _headers(self) -> dict[str, str]:
        headers = {"Accept-Encoding": "identity"}  # lengths and ranges are of the file's own bytes
        if self._download.token:
            headers["Authorization"] = f"Bearer {self._download.token}"
        if self._done:
            headers["Range"] = f"bytes={self._done}-"
            if self._tag and not self._tag.startswith("W/"):
                headers["If-Range"] = self._tag  # the whole file where it is another one by now
        return headers

    def _connect(self) -> bool:
        """One connection; whether the file is whole after it."""
        address = self._download.address
        with self._client.stream("GET", address, headers=self._headers()) as response:
            self._terms.wire.carry(response)
            self._check_cancelled()
            status = response.status_code
            match status:
                case 206 if self._continues(response):
                    total = range_total(response) or self._done + length_of(response)
                case 200:
                    self._restart()
                    self._note_tag(response)
                    total = 0 if is_encoded(response) else length_of(response)
                case 206 | 416:
                    return self._is_whole(response)
                case 429 | 500 | 502 | 503 | 504:
                    raise Later(status, retry_after(response))
                case _:
                    has_token = bool(self._download.token)
                    raise refusal(status, address, has_token=has_token)
            return self._receive(response, self._expected(total))

    def _continues(self, response: httpx.Response) -> bool:
        """Whether a partial answer goes on where the file ends, of the same version of it."""
        tag = response.headers.get("ETag", "")
        same = not tag or not self._tag or tag == self._tag
        return same and range_start(response) == self._done and not is_encoded(response)

    def _expected(self, total: int) -> int:
        size = self._download.size
        if size and total and size != total:
            raise self._changed(total)
        return size or total

    def _changed(self, actual: int) -> EngineError:
        return EngineError(
            FaultKind.FILE_CHANGED,
            path=str(self._download.target),
            size=actual,
            expected=self._download.size,
        )

    def _receive(self, response: httpx.Response, total: int) -> bool:
        check_space(self._download.part, max(0, total - self._done))
        self._progress(self._done, total)
        since, at = time.monotonic(), self._done
        for piece in _pieces(response):  # as they arrive: a broken one loses nothing
            self._check_cancelled()
            if total and self._done + len(piece) > total:
                raise self._changed(self._done + len(piece))
            self._file.write(piece)
            self._done += len(piece)
            self._progress(self._done, total)
            self._terms.limit.take(len(piece), self._cancelled)
            now = time.monotonic()
            if now - since > self._patience.window:
                if self._done - at < self._patience.least:
                    raise _Trickle
                since, at = now, self._done
        self._file.flush()
        return self._done >= total

    def _is_whole(self, response: httpx.Response) -> bool:
        """After a refused range: the file is all there, or what is there is of no use."""
        total = range_total(response)
        if response.status_code == 416 and total and total == self._done:
            self._expected(total)
            return True
        self._restart()
        return False

    def _restart(self) -> None:
        self._file.truncate(0)
        self._file.seek(0)
        self._done = 0

    def _note_tag(self, response: httpx.Response) -> None:
        self._tag = response.headers.get("ETag", "")
        self._download.tag.write_text(self._tag, "utf-8")


def _noted(tag: Path) -> str:
    return tag.read_text("utf-8") if tag.is_file() else ""


def _pieces(response: httpx.Response) -> Iterator[bytes]:
    """The file's bytes: unpacked only where the server packed them against the request."""
    return response.iter_bytes() if is_encoded(response) else response.iter_raw()
