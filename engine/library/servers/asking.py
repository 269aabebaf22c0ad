"""What a server has, and how fast it answers: asked once, when a person adds or tests a model.

Everything here may take seconds: it is called on a thread that can wait.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import httpx

from engine.contract import EngineError, FaultKind
from engine.library.servers.access import Access
from engine.library.servers.address import root_of
from engine.library.servers.known import KNOWN, ServerKind
from engine.library.servers.refusals import (
    error_words,
    refused,
    refused_words,
    unreachable,
    words_of,
)

_LARGEST = 8 << 20  # bytes of a list: OpenRouter's takes 1 MB
_READ_S = 15.0
_FIRST_S = 30.0  # a server may read a model's weights first
_LONGEST_LINE = 1 << 20
_CONTEXT_NAMES = (
    "max_model_len",
    "context_length",
    "context_window",
    "max_context_length",
    "n_ctx",
)
_OWNERS = {
    "vllm": ServerKind.VLLM,
    "sglang": ServerKind.SGLANG,
    "llamacpp": ServerKind.LLAMA_CPP,
    "library": ServerKind.OLLAMA,
    "lmdeploy": ServerKind.LMDEPLOY,
    "tensorrt_llm": ServerKind.TENSORRT_LLM,
    "organization_owner": ServerKind.LM_STUDIO,
}


@dataclass(frozen=True, slots=True)
class ServerModel:
    """A model that a server names; ``context`` in tokens, 0 where it does not say."""

    id: str
    context: int = 0


@dataclass(frozen=True, slots=True)
class Server:
    """What a server said of itself; ``answer_s`` is how long its list took."""

    kind: ServerKind
    models: tuple[ServerModel, ...]
    answer_s: float


def ask_server(access: Access) -> Server:
    """Ask for the list of models, and for what the server tells of their contexts.

    Raises:
        EngineError: those of ``Access`` and ``refused``; ``SERVER_FOREIGN``.
    """
    with httpx.Client(**access.client_settings(_READ_S)) as client:
        begin = perf_counter()
        listed = _get(client, access, access.address("/models"))
        seconds = perf_counter() - begin
        items = listed.get("data", listed.get("models")) if isinstance(listed, dict) else listed
        if not isinstance(items, list):
            raise EngineError(FaultKind.SERVER_FOREIGN, host=access.host, detail="/models")
        items = [item for item in items if isinstance(item, dict) and _id(item)]
        kind = _kind(access, items)
        told = _contexts(client, access, kind, [_id(item) for item in items])
    models = (ServerModel(_id(i), told.get(_id(i), 0) or _context(i)) for i in items)
    return Server(kind, tuple(models), seconds)


def try_model(access: Access) -> float:
    """Ask the model for a word; seconds until the first piece of its answer.

    Raises:
        EngineError: those of ``Access`` and ``refused``; ``SERVER_FOREIGN``, ``SERVER_SILENT``.
    """
    question = [{"role": "user", "content": "Say hello."}]
    body = {"model": access.card.model, "messages": question, "stream": True}
    begin = perf_counter()
    try:
        with (
            httpx.Client(**access.client_settings(_FIRST_S)) as client,
            client.stream("POST", access.address("/chat/completions"), json=body) as response,
        ):
            if response.status_code != 200:
                raise refused(access, response, _read(access, response))
            return _first_piece(access, response) - begin
    except httpx.ReadTimeout as error:
        raise EngineError(
            FaultKind.SERVER_SILENT, host=access.host, seconds=round(_FIRST_S)
        ) from error
    except (httpx.TransportError, httpx.DecodingError, httpx.InvalidURL) as error:
        raise unreachable(access, error) from error


def _first_piece(access: Access, response: httpx.Response) -> float:
    """When the first piece of an answer came, streamed or whole; what follows is not read."""
    content_type = response.headers.get("Content-Type", "")
    if "text/event-stream" not in content_type:
        words, codes = error_words(access, body := _read(access, response))
        if b'"choices"' in body:
            return perf_counter()
        if "json" in content_type and words:
            raise refused_words(access, words, codes)
        raise EngineError(FaultKind.SERVER_FOREIGN, host=access.host, detail=content_type[:80])
    held = ""
    for text in response.iter_text():
        held += text
        *lines, held = held.split("\n")
        for line in lines:
            if line.startswith("data:") and _is_piece(access, line[5:].strip()):
                return perf_counter()
        if len(held) > _LONGEST_LINE:
            break
    raise EngineError(FaultKind.SERVER_FOREIGN, host=access.host, detail="no answer in its stream")


def _is_piece(access: Access, data: str) -> bool:
    if data == "[DONE]":
        return False
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise EngineError(FaultKind.SERVER_FOREIGN, host=access.host, detail="no JSON") from error
    if not isinstance(content, dict):
        return False
    if content.get("error"):
        raise refused_words(access, *words_of(access, content))
    return bool(content.get("choices"))


def _get(client: httpx.Client, access: Access, address: str) -> Any:
    try:
        with client.stream("GET", address) as response:
            body = _read(access, response)
    except (httpx.TransportError, httpx.DecodingError, httpx.InvalidURL) as error:
        raise unreachable(access, error) from error
    if response.status_code != 200:
        raise refused(access, response, body)
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        detail = response.headers.get("Content-Type", "")[:80] or "no JSON"
        raise EngineError(FaultKind.SERVER_FOREIGN, host=access.host, detail=detail) from error


def _read(access: Access, response: httpx.Response) -> bytes:
    content = bytearray()
    for piece in response.iter_bytes():
        content += piece
        if len(content) > _LARGEST:
            raise EngineError(FaultKind.SERVER_FOREIGN, host=access.host, detail="too much of it")
    return bytes(content)


def _kind(access: Access, items: list[dict[str, Any]]) -> ServerKind:
    """Which program answers: by its address where that is a company's, else by what it says."""
    root = root_of(access.card.address)
    for known in KNOWN:
        if root_of(known.address) == root and root.startswith("https:"):
            return known.kind
    owners = {str(item.get("owned_by", "")) for item in items}
    for owner, kind in _OWNERS.items():
        if owner in owners:
            return kind
    return ServerKind(access.card.kind)


def _contexts(
    client: httpx.Client, access: Access, kind: ServerKind, ids: list[str]
) -> Mapping[str, int]:
    """Contexts that a server tells elsewhere; none where it does not, for whatever reason."""
    root = root_of(access.card.address)
    with suppress(EngineError):
        match kind:
            case ServerKind.LLAMA_CPP:
                told = _get(client, access, f"{root}/props")
                settings = told.get("default_generation_settings")
                return dict.fromkeys(ids, _number(settings, "n_ctx"))
            case ServerKind.LM_STUDIO:
                models = _list(_get(client, access, f"{root}/api/v0/models"), "data")
                names = ("loaded_context_length", "max_context_length")
                return {_id(m): next((c for n in names if (c := _number(m, n))), 0) for m in models}
            case ServerKind.OLLAMA:
                models = _list(_get(client, access, f"{root}/api/ps"), "models")
                return {str(m.get("name")): _number(m, "context_length") for m in models}
            case ServerKind.TGI:
                return dict.fromkeys(
                    ids, _number(_get(client, access, f"{root}/info"), "max_total_tokens")
                )
            case _:
                pass
    return {}


def _list(content: Any, name: str) -> list[dict[str, Any]]:
    items = content.get(name) if isinstance(content, dict) else None
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _id(item: dict[str, Any]) -> str:
    found = item.get("id") or item.get("name") or ""
    return found if isinstance(found, str) else ""


def _context(item: dict[str, Any]) -> int:
    places = (item, item.get("meta"))
    return next((c for p in places for n in _CONTEXT_NAMES if (c := _number(p, n))), 0)


def _number(place: Any, name: str) -> int:
    value = place.get(name) if isinstance(place, dict) else None
    return value if type(value) is int and 0 < value < 1 << 31 else 0
