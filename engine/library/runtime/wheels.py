"""Which files a variant is made of, with sizes and hashes, by a package index (PEP 691)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx
from packaging.requirements import Requirement
from packaging.tags import Tag
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import Version

from engine.contract import EngineError, FaultKind
from engine.library.downloads.client import host_of, without_secrets

_JSON = "application/vnd.pypi.simple.v1+json"


@dataclass(frozen=True, slots=True)
class Wheel:
    """A file of the runtime: its size in bytes (0 where the index does not say) and its hash."""

    name: str
    address: str
    size: int
    sha256: str


def find_wheels(
    client: httpx.Client, indexes: Sequence[str], wanted: Iterable[str], tags: Sequence[Tag]
) -> tuple[Wheel, ...]:
    """One wheel for each requirement: the newest version, of that the best fitting build.

    Args:
        client: asks.
        indexes: addresses of simple indexes, asked in this order.
        wanted: requirements, for example "torch==2.13.0".
        tags: what this Python can load, best first.

    Raises:
        EngineError: ``NETWORK_UNREACHABLE``, ``FILE_GONE`` (no index has such a wheel),
            ``DOWNLOAD_REFUSED``, ``HUB_UNREADABLE`` (no JSON, or a file without a hash).
    """
    return tuple(_find(client, indexes, Requirement(each), tags) for each in wanted)


def _find(
    client: httpx.Client, indexes: Sequence[str], wanted: Requirement, tags: Sequence[Tag]
) -> Wheel:
    address = ""
    for index in indexes:
        address = f"{index.rstrip('/')}/{canonicalize_name(wanted.name)}/"
        fitting = list(_fitting(_files(client, address), wanted, tags))
        if fitting:
            return _wheel(max(fitting, key=lambda found: found[:2])[2], address)
    raise EngineError(FaultKind.FILE_GONE, address=f"{without_secrets(address)} ({wanted})")


def _files(client: httpx.Client, address: str) -> list[Mapping[str, Any]]:
    """What an index has of a project; nothing where it does not know it."""
    try:
        response = client.get(address, headers={"Accept": _JSON})
    except httpx.TransportError as error:
        raise EngineError(FaultKind.NETWORK_UNREACHABLE, host=host_of(address)) from error
    if response.status_code == 404:
        return []
    shown = without_secrets(address)
    if response.status_code != 200:
        raise EngineError(FaultKind.DOWNLOAD_REFUSED, address=shown, status=response.status_code)
    try:
        files = response.json()["files"]
    except (ValueError, KeyError, TypeError) as error:
        raise _unreadable(address, "no package list in JSON") from error
    if not isinstance(files, list):
        raise _unreadable(address, "no package list in JSON")
    return [each for each in files if isinstance(each, dict)]


def _fitting(
    files: Iterable[Mapping[str, Any]], wanted: Requirement, tags: Sequence[Tag]
) -> Iterator[tuple[Version, int, Mapping[str, Any]]]:
    rank = {tag: -place for place, tag in enumerate(tags)}
    for each in files:
        try:
            _, version, _, offered = parse_wheel_filename(str(each.get("filename", "")))
        except InvalidWheelFilename:
            continue  # a source archive, or a name of old
        fits = [rank[tag] for tag in offered if tag in rank]
        if fits and not each.get("yanked") and wanted.specifier.contains(version):
            yield version, max(fits), each


def _wheel(found: Mapping[str, Any], page: str) -> Wheel:
    name, size = str(found["filename"]), found.get("size")
    hashes = found.get("hashes")
    sha256 = hashes.get("sha256", "") if isinstance(hashes, dict) else ""
    address = urljoin(page, str(found.get("url", "")))
    if not sha256 or urlsplit(address).scheme not in {"http", "https"}:
        raise _unreadable(page, f"no hash or no address of {name}")
    return Wheel(name, address, size if isinstance(size, int) else 0, str(sha256))


def _unreadable(address: str, detail: str) -> EngineError:
    return EngineError(FaultKind.HUB_UNREADABLE, host=host_of(address), detail=detail)
