"""What a server's refusal means: its status and its own words as a named fault.

Other programs' errors have no common form: codes are read where there are some, and the sentences
of vLLM and llama.cpp where there are not, for a conversation that is too long alone.
"""

from __future__ import annotations

import json
import re
import ssl
from typing import Any

import httpx

from engine.contract import EngineError, FaultKind
from engine.library.downloads.answers import retry_after
from engine.library.downloads.client import without_secrets
from engine.library.servers.access import Access
from engine.library.servers.address import is_here, server_name

_MOST = 300  # characters of a server's own words
_CONTEXT = re.compile(
    r"(?:maximum context length is|context (?:window|size) of|n_ctx\D{1,5})\D*(\d+)"
)
_ASKED = re.compile(
    r"(?:requested|prompt contains|request has|n_prompt_tokens\D{1,5})\D{0,20}(\d+)"
)
_TOO_LONG = {"context_length_exceeded", "exceed_context_size_error", "context_window_exceeded"}


def refused(access: Access, response: httpx.Response, body: bytes) -> EngineError:
    """The fault for an answer that is no reply.

    Args:
        access: who was asked.
        response: its status and headers.
        body: what came of it, bounded by the caller.
    """
    status, host = response.status_code, access.host
    words, codes = error_words(access, body)
    match status:
        case _ if 300 <= status < 400:
            fault = _moved(host, response)
        case 401:
            kind = FaultKind.KEY_REFUSED if access.key else FaultKind.KEY_NEEDED
            fault = EngineError(kind, host=host)
        case 407:
            fault = EngineError(FaultKind.PROXY_REFUSES, host=host, detail="407")
        case 403:
            fault = EngineError(FaultKind.SERVER_FORBIDS, host=host, detail=words)
        case 404 if words and "html" not in response.headers.get("Content-Type", ""):
            model = access.card.model
            fault = EngineError(FaultKind.MODEL_GONE, host=host, model=model, detail=words)
        case 404 | 405:
            fault = EngineError(FaultKind.SERVER_FOREIGN, host=host, detail=str(status))
        case 429:
            seconds = round(retry_after(response))
            fault = EngineError(
                FaultKind.SERVER_OVERLOADED, host=host, seconds=seconds, detail=words
            )
        case _ if status >= 500:
            fault = EngineError(FaultKind.SERVER_FAILED, host=host, status=status, detail=words)
        case _:
            fault = refused_words(access, words or str(status), codes)
    return fault


def refused_words(access: Access, words: str, codes: set[str]) -> EngineError:
    """The fault for a refusal that comes in words, with an answer or in the middle of one."""
    context = _CONTEXT.search(words)
    if codes & _TOO_LONG or context is not None:
        asked = _ASKED.search(words)
        return EngineError(
            FaultKind.CONVERSATION_TOO_LONG,
            host=access.host,
            tokens=int(asked[1]) if asked else 0,
            context=int(context[1]) if context else access.card.context,
        )
    return EngineError(FaultKind.SERVER_REFUSED, host=access.host, detail=words)


def error_words(access: Access, body: bytes) -> tuple[str, set[str]]:
    """A server's own words, without the key and bounded, and the codes that came with them."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        return "", set()
    return words_of(access, content)


def words_of(access: Access, content: Any) -> tuple[str, set[str]]:
    """As ``error_words``, of what was JSON."""
    error = content.get("error", content) if isinstance(content, dict) else content
    codes = set()
    if isinstance(error, dict):
        codes = {str(error[name]) for name in ("code", "type") if error.get(name)}
        error = next((error[n] for n in ("message", "detail", "error") if error.get(n)), "")
    if not isinstance(error, str):
        error = json.dumps(error, ensure_ascii=False) if error else ""
    words = " ".join(error.split())
    if access.key:
        words = words.replace(access.key, "…")
    return words[:_MOST], codes


def unreachable(access: Access, error: Exception) -> EngineError:
    """The fault for a connection that did not come about, or broke before an answer."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            detail = cause.verify_message or str(cause)
            return EngineError(FaultKind.SERVER_UNTRUSTED, host=access.host, detail=detail)
        cause = cause.__cause__ or cause.__context__
    is_connecting = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
    is_behind_proxy = bool(access.card.proxy) and not is_here(access.card.address)
    if isinstance(error, httpx.ProxyError) or (is_connecting and is_behind_proxy):
        return EngineError(FaultKind.PROXY_REFUSES, host=access.host, detail=str(error)[:_MOST])
    return EngineError(FaultKind.SERVER_UNREACHABLE, host=access.host)


def _moved(host: str, response: httpx.Response) -> EngineError:
    target = response.headers.get("Location", "")
    try:
        target = str(response.url.join(target))
    except (httpx.InvalidURL, ValueError):
        target = ""
    shown = server_name(target) if target else ""
    address = without_secrets(target) if target else ""
    return EngineError(FaultKind.SERVER_MOVED, host=host, address=address[:200] or shown)
