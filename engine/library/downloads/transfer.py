"""One file from one address into a ``.part`` file: resumable, and never half-trusted.

What an earlier try left is trusted for its length only: the hash is over every byte, and the file
takes its final name only when that is right. The server's answers that break other programs (a
refused range, a range ignored, a connection that ends early, a file that changed) are all
ordinary here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from engine.contract import EngineError, FaultKind
from engine.library.downloads.connections import Connections
from engine.library.downloads.disk import Cancelled, git_sha1_of, sha256_of
from engine.library.downloads.pace import Patience, RateLimit
from engine.library.downloads.wire import Wire
from engine.library.write_fault import write_fault

__all__ = ["Cancelled", "Download", "Progress", "Terms", "fetch"]

Progress = Callable[[int, int], None]
"""``(done, total)`` in bytes; total 0 is unknown."""


@dataclass(frozen=True, slots=True)
class Download:
    """What to fetch and where to put it.

    Attributes:
        address: http or https.
        target: the finished file; ``target`` + ".part" holds what is on its way.
        sha256: hex digits that the whole file must have; empty where nobody knows.
        git_sha1: the same as git's blob id, which hubs give for small files.
        size: bytes that it must have; 0 where nobody knows.
        token: a credential for the address's own host.
    """

    address: str
    target: Path
    sha256: str = ""
    git_sha1: str = ""
    size: int = 0
    token: str = field(default="", repr=False)

    @property
    def part(self) -> Path:
        """Where the bytes go until all are there."""
        return self.target.with_name(self.target.name + ".part")

    @property
    def tag(self) -> Path:
        """Where the server's version of the file is noted while it is on its way."""
        return self.target.with_name(self.target.name + ".part.etag")


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms files are fetched: shared by all that run at once but the wire."""

    limit: RateLimit
    patience: Patience = field(default_factory=Patience)
    wire: Wire = field(default_factory=Wire)


def fetch(
    client: httpx.Client,
    download: Download,
    progress: Progress,
    cancelled: Callable[[], bool],
    terms: Terms,
) -> Path:
    """Fetch the file, continuing an earlier try.

    Raises:
        Cancelled: ``cancelled`` said so.
        EngineError: ``NETWORK_UNREACHABLE``, ``NETWORK_SLOW``, ``SERVER_BUSY``,
            ``TOKEN_NEEDED``, ``ACCESS_REFUSED``, ``FILE_GONE``, ``DOWNLOAD_REFUSED``,
            ``DISK_FULL``, ``FILE_CHANGED`` and ``HASH_MISMATCH`` (the bytes are removed: nothing
            can be continued from them), ``UNWRITABLE`` and ``FOLDER_GONE``.
    """
    resumed = download.part.exists()
    try:
        download.target.parent.mkdir(parents=True, exist_ok=True)
        _transfer(client, download, progress, cancelled, terms)
        actual = _hash_of(download, cancelled)
        if resumed and not _is_right(download, actual):
            _discard(download)  # begun from another file of that name: once more, from the start
            _transfer(client, download, progress, cancelled, terms)
            actual = _hash_of(download, cancelled)
        if not _is_right(download, actual):
            _discard(download)
            raise EngineError(
                FaultKind.HASH_MISMATCH,
                path=str(download.target),
                expected=download.sha256 or download.git_sha1,
                actual=actual,
            )
        download.part.replace(download.target)
        download.tag.unlink(missing_ok=True)
    except OSError as error:
        kept = download.part.stat().st_size if download.part.is_file() else 0
        raise write_fault(
            error.errno or 0,
            error.strerror or str(error),
            download.target,
            needed=max(0, download.size - kept) if download.size else 0,
            kept=kept,
        ) from error
    return download.target


def _transfer(
    client: httpx.Client,
    download: Download,
    progress: Progress,
    cancelled: Callable[[], bool],
    terms: Terms,
) -> None:
    try:
        with download.part.open("ab") as file, terms.wire.held():
            Connections(client, download, file, progress, cancelled, terms).run()
    except EngineError as error:
        if error.fault.kind is FaultKind.FILE_CHANGED:
            _discard(download)
        raise


def _discard(download: Download) -> None:
    download.part.unlink(missing_ok=True)
    download.tag.unlink(missing_ok=True)


def _hash_of(download: Download, cancelled: Callable[[], bool]) -> str:
    if download.sha256:
        return sha256_of(download.part, cancelled)
    return git_sha1_of(download.part, cancelled) if download.git_sha1 else ""


def _is_right(download: Download, actual: str) -> bool:
    return actual == (download.sha256 or download.git_sha1)
