"""Hugging Face, and mirrors that speak its protocol.

Plain HTTP over the documented API: huggingface_hub takes twice the time to import that httpx takes,
and it would download by its own rules, not by ours.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import httpx

from engine.library.downloads.order import WantedFile, safe_path
from engine.library.hubs.asking import Asked, ask, unreadable
from engine.library.hubs.hub import (
    ENDPOINTS,
    HUGGING_FACE,
    HubModel,
    HubQuery,
    Repository,
    SortBy,
    parameters_in,
)

_SORTS = {SortBy.DOWNLOADS: "downloads", SortBy.LIKES: "likes", SortBy.NEWEST: "createdAt"}
_WANTED = ("downloads", "likes", "gated", "gguf", "safetensors")


class HuggingFace:
    """The hub at an endpoint.

    Args:
        client: what asks.
        endpoint: another server of the same protocol; "" is huggingface.co.
        token: for private and gated models.
    """

    name = HUGGING_FACE

    def __init__(self, client: httpx.Client, endpoint: str = "", token: str = "") -> None:
        self._client, self._token = client, token
        self._endpoint = (endpoint or ENDPOINTS[HUGGING_FACE]).rstrip("/")

    def search(self, query: HubQuery) -> tuple[HubModel, ...]:
        """The text models that match (see ``Hub``); those without words are GGUF."""
        address = f"{self._endpoint}/api/models"
        asked: dict[str, Asked] = {
            "pipeline_tag": "text-generation", "sort": _SORTS[query.sort], "direction": -1,
            "limit": query.asked, "expand": _WANTED,
        }  # fmt: skip
        asked |= {"search": query.words} if query.words else {"filter": "gguf"}
        hits = ask(self._client, address, asked, self._token)
        if not isinstance(hits, list):
            raise unreadable(address, "no list of models")
        return query.of(_model(hit) for hit in hits if _has_name(hit))

    def look(self, repository: str) -> Repository:
        """What lies in a repository (see ``Hub``)."""
        address = f"{self._endpoint}/api/models/{quote(repository)}"
        page = f"{self._endpoint}/{repository}"
        about = ask(self._client, address, {"blobs": "true"}, self._token, page)
        if not isinstance(about, dict) or not isinstance(about.get("siblings"), list):
            raise unreadable(address, "no list of files")
        revision = str(about.get("sha") or "main")
        card = about.get("cardData") if isinstance(about.get("cardData"), dict) else {}
        gguf = about.get("gguf") if isinstance(about.get("gguf"), dict) else {}
        return Repository(
            _model({"id": repository} | about),
            revision,
            page,
            tuple(self._files(repository, revision, about["siblings"])),
            license=_text((card or {}).get("license")),
            languages=_texts((card or {}).get("language")),
            context=_count((gguf or {}).get("context_length")),
        )

    def _files(self, repository: str, revision: str, siblings: list[Any]) -> list[WantedFile]:
        files = []
        for entry in siblings:
            path = _text(entry.get("rfilename")) if isinstance(entry, dict) else ""
            if not safe_path(path):
                continue
            lfs = entry.get("lfs") if isinstance(entry.get("lfs"), dict) else {}
            sha256 = _text(lfs.get("sha256"))
            address = f"{self._endpoint}/{quote(repository)}/resolve/{revision}/{quote(path)}"
            size = _count(lfs.get("size")) or _count(entry.get("size"))
            blob = "" if sha256 else _text(entry.get("blobId"))
            files.append(WantedFile(address, path, size, sha256, blob))
        return files


def _has_name(hit: object) -> bool:
    return isinstance(hit, dict) and safe_path(_text(hit.get("id"))) and "/" in hit["id"]


def _model(hit: dict[str, Any]) -> HubModel:
    return HubModel(
        HUGGING_FACE,
        hit["id"],
        _count(hit.get("downloads")),
        _count(hit.get("likes")),
        bool(hit.get("gated")),
        _parameters(hit),
    )


def _parameters(hit: dict[str, Any]) -> int:
    for key in ("gguf", "safetensors"):
        about = hit.get(key)
        if isinstance(about, dict) and (count := _count(about.get("total"))):
            return count
    return parameters_in(str(hit["id"]).rpartition("/")[2])


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    return tuple(each for each in values if isinstance(each, str))


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
