"""Looking for a newer version by The Update Framework: its own client checks every signature.

The framework's metadata answer what a signature alone does not: an older release shown again
(version numbers that were seen are kept), one that is held back for ever (descriptions expire),
files of two releases mixed (all are named with length and hash), keys that are lost (root metadata
name their successors, signed by the keys before).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
from tuf.api.exceptions import (
    BadVersionNumberError,
    DownloadError,
    DownloadHTTPError,
    ExpiredMetadataError,
    RepositoryError,
)
from tuf.ngclient.config import UpdaterConfig
from tuf.ngclient.fetcher import FetcherInterface
from tuf.ngclient.updater import Updater

from app.update.channel import Channel
from app.update.release import NAME, Refusal, Release, is_newer, read_described
from engine.contract import EngineError, FaultKind
from engine.library.downloads.client import without_secrets
from engine.library.downloads.disk import disk_fault

if TYPE_CHECKING:
    from app.update.form import Place

_FILE_NAME = re.compile(r"^[\w.+~-]+$")  # of a package: it never leads out of its folder


class _Fetcher(FetcherInterface):
    """The downloads' own client under the framework, so that proxies and certificates hold."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def _fetch(self, url: str) -> Iterator[bytes]:
        with self._client.stream("GET", url) as response:
            if response.status_code != 200:
                raise DownloadHTTPError(f"status {response.status_code}", response.status_code)
            yield from response.iter_bytes()


def look(
    client: httpx.Client, channel: Channel, place: Place, running: str, folder: Path
) -> Release | Refusal | None:
    """Ask whether there is a newer version.

    Args:
        client: asks.
        channel: where.
        place: what the program runs as.
        running: the version that asks.
        folder: what was seen before is kept there.

    Returns:
        What can be installed, or why what there is must not be; None when this is the newest.

    Raises:
        EngineError: ``NETWORK_UNREACHABLE``, ``FILE_GONE``, ``DOWNLOAD_REFUSED``, ``DISK_FULL``,
            ``FILE_UNREADABLE``.
    """
    try:
        return _look(client, channel, place, running, folder)
    except ExpiredMetadataError:
        return Refusal.EXPIRED
    except BadVersionNumberError:
        return Refusal.REPLAYED
    except RepositoryError:
        return Refusal.UNTRUSTED
    except DownloadHTTPError as error:
        raise _refused(channel, error.status_code) from error
    except (DownloadError, httpx.TransportError) as error:
        raise EngineError(FaultKind.NETWORK_UNREACHABLE, host=channel.host) from error
    except OSError as error:
        raise disk_fault(error, folder) from error


def _look(
    client: httpx.Client, channel: Channel, place: Place, running: str, folder: Path
) -> Release | Refusal | None:
    seen = folder / "seen"
    seen.mkdir(parents=True, exist_ok=True)
    packages = f"{channel.address}/packages"
    config = UpdaterConfig(prefix_targets_with_hash=False)
    updater = Updater(
        str(seen), f"{channel.address}/metadata", str(seen), packages, _Fetcher(client), config,
        bootstrap=channel.root,
    )  # fmt: skip
    updater.refresh()
    named = updater.get_targetinfo(NAME)
    if named is None:
        return Refusal.UNREADABLE
    described = read_described(Path(updater.download_target(named)).read_bytes())
    if described is None:
        return Refusal.UNREADABLE
    if not is_newer(described.version, running):
        return None
    package = described.packages.get(place.package, "")
    target = updater.get_targetinfo(package) if _FILE_NAME.match(package) else None
    if target is None:
        return Refusal.NO_PACKAGE
    return Release(
        described.version, package, f"{packages}/{package}", target.length,
        target.hashes.get("sha256", ""), described.notes,
    )  # fmt: skip


def _refused(channel: Channel, status: int) -> EngineError:
    shown = without_secrets(channel.address)
    if status in {404, 410}:
        return EngineError(FaultKind.FILE_GONE, address=shown)
    return EngineError(FaultKind.DOWNLOAD_REFUSED, address=shown, status=status)
