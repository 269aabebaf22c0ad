"""One file from one address into a ``.part`` file: resumable, and never half-trusted.

What an earlier try left is trusted for its length only: the hash is over every byte, and the file
takes its final name only when that is right. The server's answers that
break other programs (a refused range, a range ignored, a connection that ends early) are all
ordinary here.
"""

from __future__ import annotations

import errno
import hashlib
import shutil
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

import certifi
import httpx

from engine.contract import EngineError, FaultKind

_TRIES = 3  # connections in a row that brought not one new byte
_TIMEOUT = httpx.Timeout(20, connect=10)  # seconds

Progress = Callable[[int, int], None]
"""``(done, total)`` in bytes; total 0 is unknown."""


def open_client(certificate: str = "", proxy: str = "") -> httpx.Client:
    """A client that trusts the system's certificates, certifi's, and ``certificate`` (a file).

    The system's, because companies put theirs there; certifi's, because some Pythons on macOS
    have no others.
    """
    trusted = ssl.create_default_context()
    trusted.load_verify_locations(certifi.where())
    if certificate:
        trusted.load_verify_locations(certificate)
    return httpx.Client(
        verify=trusted, proxy=proxy or None, follow_redirects=True, timeout=_TIMEOUT
    )


def without_secrets(address: str) -> str:
    """The address without a password or a signed query, fit to be shown."""
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


class Cancelled(Exception):
    """The user stopped the download; what arrived is kept for the next try."""


@dataclass(frozen=True, slots=True)
class Download:
    """What to fetch and where to put it.

    Attributes:
        address: http or https.
        target: the finished file; ``target`` + ".part" holds what is on its way.
        sha256: hex digits that the whole file must have; empty where nobody knows.
    """

    address: str
    target: Path
    sha256: str = ""

    @property
    def part(self) -> Path:
        """Where the bytes go until all are there."""
        return self.target.with_name(self.target.name + ".part")


def fetch(
    client: httpx.Client,
    download: Download,
    progress: Progress,
    cancelled: Callable[[], bool],
) -> Path:
    """Fetch the file, continuing an earlier try.

    Raises:
        Cancelled: ``cancelled`` said so.
        EngineError: ``NETWORK_UNREACHABLE``, ``DOWNLOAD_REFUSED``, ``DISK_FULL``,
            ``HASH_MISMATCH`` (the bytes are removed: nothing can be continued from them),
            ``FILE_UNREADABLE`` (the folder cannot be written).
    """
    resumed = download.part.exists()
    _transfer(client, download, progress, cancelled)
    if resumed and not _has_hash(download.part, download.sha256):
        download.part.unlink()  # begun from another file of that name: once more, from the start
        _transfer(client, download, progress, cancelled)
    check_hash(download.part, download.sha256)
    download.part.replace(download.target)
    return download.target


def _transfer(
    client: httpx.Client, download: Download, progress: Progress, cancelled: Callable[[], bool]
) -> None:
    try:
        download.target.parent.mkdir(parents=True, exist_ok=True)
        with download.part.open("ab") as file:
            _Connections(client, download, file, progress, cancelled).run()
    except OSError as error:
        raise disk_fault(error, download.part) from error


class _Connections:
    """One run of a download over as many connections as it takes."""

    def __init__(
        self,
        client: httpx.Client,
        download: Download,
        file: BinaryIO,
        progress: Progress,
        cancelled: Callable[[], bool],
    ) -> None:
        self._client = client
        self._address = download.address
        self._part = download.part
        self._file = file
        self._progress = progress
        self._cancelled = cancelled
        self._done = file.tell()

    def run(self) -> None:
        """Connect until the file is whole."""
        tries = 0
        while tries < _TRIES:
            if self._cancelled():
                raise Cancelled
            before = self._done
            try:
                if self._connect():
                    return
            except httpx.TransportError:
                pass  # the next connection continues where this one broke
            tries = 0 if self._done > before else tries + 1
        host = urlsplit(self._address).hostname or self._address
        raise EngineError(FaultKind.NETWORK_UNREACHABLE, host=host)

    def _connect(self) -> bool:
        """One connection; whether the file is whole after it."""
        headers = {"Accept-Encoding": "identity"}  # lengths and ranges are of the file's own bytes
        if self._done:
            headers["Range"] = f"bytes={self._done}-"
        with self._client.stream("GET", self._address, headers=headers) as response:
            match response.status_code:
                case 206 if _range_start(response) == self._done:
                    total = self._done + _length(response)
                case 200:
                    self._restart()
                    total = _length(response)
                case 206 | 416:
                    return self._is_whole(response)
                case status:
                    address = without_secrets(self._address)
                    raise EngineError(FaultKind.DOWNLOAD_REFUSED, address=address, status=status)
            return self._receive(response, total)

    def _receive(self, response: httpx.Response, total: int) -> bool:
        check_space(self._part, max(0, total - self._done))
        self._progress(self._done, total)
        for piece in response.iter_raw():  # as they arrive: a broken one loses nothing
            if self._cancelled():
                raise Cancelled
            self._file.write(piece)
            self._done += len(piece)
            self._progress(self._done, total)
        self._file.flush()
        return self._done >= total

    def _is_whole(self, response: httpx.Response) -> bool:
        """After a refused range: the file is all there, or what is there is of no use."""
        total = response.headers.get("Content-Range", "").rpartition("/")[2]
        if total.isdigit() and int(total) == self._done:
            return True
        self._restart()
        return False

    def _restart(self) -> None:
        self._file.truncate(0)
        self._file.seek(0)
        self._done = 0


def _range_start(response: httpx.Response) -> int:
    """The first byte that a partial answer brings; -1 where it does not say."""
    span = response.headers.get("Content-Range", "").removeprefix("bytes ").partition("-")[0]
    return int(span) if span.isdigit() else -1


def _length(response: httpx.Response) -> int:
    length = response.headers.get("Content-Length", "")
    return int(length) if length.isdigit() else 0


def check_space(path: Path, needed: int) -> None:
    """Raise ``DISK_FULL`` unless ``needed`` bytes fit beside ``path``."""
    free = shutil.disk_usage(path.parent).free
    if needed > free:
        raise EngineError(FaultKind.DISK_FULL, path=str(path), needed=needed, free=free)


def sha256_of(path: Path) -> str:
    """Hex digits of the file's SHA-256."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _has_hash(path: Path, sha256: str) -> bool:
    return not sha256 or sha256_of(path) == sha256


def check_hash(path: Path, sha256: str) -> None:
    """Raise ``HASH_MISMATCH`` and remove the file unless it has this SHA-256 ("" passes)."""
    actual = sha256_of(path) if sha256 else ""
    if actual != sha256:
        path.unlink()
        raise EngineError(FaultKind.HASH_MISMATCH, path=str(path), expected=sha256, actual=actual)


def disk_fault(error: OSError, path: Path) -> EngineError:
    """The fault for a write that the system refused."""
    if error.errno == errno.ENOSPC:
        free = shutil.disk_usage(path.parent).free
        return EngineError(FaultKind.DISK_FULL, path=str(path), needed=0, free=free)
    return EngineError(
        FaultKind.FILE_UNREADABLE, path=str(path), reason=error.strerror or str(error)
    )
