"""One file of one release on a Python package index, wherever pip would find it.

Understands what pip understands here: simple indexes over http(s) (PEP 503 pages; PEP 691 JSON is
not needed, every index serves the page) and over ``file://``, and folders of wheels
(``find-links``). Sources are tried in order, folders first: they cost no network.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit
from urllib.request import url2pathname

import httpx

from engine.contract import EngineError, FaultKind
from engine.library.downloads.client import without_secrets
from engine.library.pip_settings import PipSettings


@dataclass(frozen=True, slots=True)
class WheelPlace:
    """Where a wheel lies: a local file, or an address with the hash that the index gives."""

    name: str
    address: str = ""
    file: Path | None = None
    sha256: str = ""


def find_wheel(
    client: httpx.Client, settings: PipSettings, project: str, version: str
) -> WheelPlace:
    """The first wheel of that release.

    Raises:
        EngineError: ``DOWNLOAD_REFUSED`` where indexes answered and none has it (the last status,
            404 for a page without it), ``NETWORK_UNREACHABLE`` where none answered.
    """
    refused: EngineError | None = None
    for source in (*settings.find_links, *_project_pages(settings, project)):
        try:
            links = list(_links(client, source))
        except EngineError as error:
            refused = _worse(refused, error)
            continue
        for place in links:
            if _is_release(place.name, project, version):
                return place
    if refused is not None:
        raise refused
    pages = _project_pages(settings, project) or (project,)
    raise EngineError(FaultKind.DOWNLOAD_REFUSED, address=without_secrets(pages[0]), status=404)


def _worse(old: EngineError | None, new: EngineError) -> EngineError:
    """An index that cannot be reached says more than one that has no such project."""
    if old is not None and old.fault.kind is FaultKind.NETWORK_UNREACHABLE:
        return old
    return new


def _project_pages(settings: PipSettings, project: str) -> tuple[str, ...]:
    name = re.sub(r"[-_.]+", "-", project).lower()  # PEP 503
    return tuple(f"{index.rstrip('/')}/{name}/" for index in settings.indexes)


def _is_release(filename: str, project: str, version: str) -> bool:
    parts = filename.removesuffix(".whl").split("-")
    distribution = re.sub(r"[-_.]+", "_", project).lower()
    return filename.endswith(".whl") and parts[:2] == [distribution, version]


def _links(client: httpx.Client, source: str) -> Iterator[WheelPlace]:
    """The wheels of a folder or of a page."""
    if urlsplit(source).scheme in {"http", "https"}:
        yield from _page_links(*_get(client, source))
        return
    folder = _local(source)
    page = folder / "index.html" if folder.is_dir() else folder
    if page.is_file() and page.suffix == ".html":
        yield from _page_links(page.as_uri(), page.read_text("utf-8", "replace"))
    if folder.is_dir():
        for file in sorted(folder.glob("*.whl")):
            yield WheelPlace(file.name, file=file)


def _local(source: str) -> Path:
    if urlsplit(source).scheme == "file":
        return Path(url2pathname(urlsplit(source).path))
    return Path(source).expanduser()


def _get(client: httpx.Client, address: str) -> tuple[str, str]:
    """(final address, page)."""
    try:
        response = client.get(address, headers={"Accept": "text/html"})
    except httpx.TransportError as error:
        host = urlsplit(address).hostname or address
        raise EngineError(FaultKind.NETWORK_UNREACHABLE, host=host) from error
    if response.status_code != 200:
        raise EngineError(FaultKind.DOWNLOAD_REFUSED, address=address, status=response.status_code)
    return str(response.url), response.text


def _page_links(base: str, page: str) -> Iterator[WheelPlace]:
    parser = _Anchors()
    parser.feed(page)
    for reference in parser.references:
        address, fragment = urldefrag(urljoin(base, reference))
        name = unquote(urlsplit(address).path.rpartition("/")[2])
        sha256 = fragment.removeprefix("sha256=") if fragment.startswith("sha256=") else ""
        if urlsplit(address).scheme == "file":
            yield WheelPlace(name, file=_local(address), sha256=sha256)
        else:
            yield WheelPlace(name, address=address, sha256=sha256)


class _Anchors(HTMLParser):
    """Collects the ``href`` of every anchor."""

    def __init__(self) -> None:
        super().__init__()
        self.references: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember an anchor's reference."""
        if tag == "a":
            self.references += [value for key, value in attrs if key == "href" and value]
