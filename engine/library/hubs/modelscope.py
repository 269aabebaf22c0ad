"""ModelScope (魔搭), the hub that is quick in China."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import httpx

from engine.library.downloads.order import WantedFile, safe_path
from engine.library.hubs.asking import Asked, ask, unreadable
from engine.library.hubs.hub import (
    ENDPOINTS,
    MODELSCOPE,
    HubModel,
    HubQuery,
    Repository,
    SortBy,
    parameters_in,
)

_REVISION = "master"
_SORTS = {SortBy.DOWNLOADS: "downloads", SortBy.LIKES: "likes", SortBy.NEWEST: "last_modified"}


class ModelScope:
    """The hub at an endpoint.

    Args:
        client: what asks.
        endpoint: another server of the same protocol; "" is modelscope.cn.
        token: for private models.
    """

    name = MODELSCOPE

    def __init__(self, client: httpx.Client, endpoint: str = "", token: str = "") -> None:
        self._client, self._token = client, token
        self._endpoint = (endpoint or ENDPOINTS[MODELSCOPE]).rstrip("/")

    def search(self, query: HubQuery) -> tuple[HubModel, ...]:
        """The models that match (see ``Hub``); without words those that say GGUF."""
        address = f"{self._endpoint}/openapi/v1/models"
        asked: dict[str, Asked] = {
            "search": query.words or "GGUF", "sort": _SORTS[query.sort], "page_number": 1,
            "page_size": query.asked,
        }  # fmt: skip
        hits = _inside(address, ask(self._client, address, asked, self._token), "data", "models")
        return query.of(
            HubModel(
                MODELSCOPE, hit["id"], _count(hit.get("downloads")), _count(hit.get("likes")),
                parameters=parameters_in(hit["id"].rpartition("/")[2]),
            )
            for hit in hits
            if isinstance(hit, dict) and isinstance(hit.get("id"), str) and safe_path(hit["id"])
        )  # fmt: skip

    def look(self, repository: str) -> Repository:
        """What lies in a repository (see ``Hub``)."""
        base = f"{self._endpoint}/api/v1/models/{quote(repository)}/repo"
        query = {"Revision": _REVISION, "Recursive": "true"}
        page = f"{self._endpoint}/models/{repository}"
        answer = ask(self._client, f"{base}/files", query, self._token, page)
        files = []
        for entry in _inside(base, answer, "Data", "Files"):
            path = entry.get("Path") if isinstance(entry, dict) else None
            if isinstance(path, str) and safe_path(path) and entry.get("Type") != "tree":
                address = f"{base}?Revision={_REVISION}&FilePath={quote(path)}"
                hashed = entry.get("Sha256")
                sha256 = hashed if isinstance(hashed, str) else ""
                files.append(WantedFile(address, path, _count(entry.get("Size")), sha256))
        return Repository(HubModel(MODELSCOPE, repository), _REVISION, page, tuple(files))


def _inside(address: str, answer: Any, *names: str) -> list[Any]:
    """The list under these names."""
    for name in names:
        answer = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(answer, list):
        raise unreadable(address, f"no {'.'.join(names)}")
    return answer


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
