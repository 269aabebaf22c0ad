"""What a person types or pastes: a repository's name, a page of a hub, a file anywhere."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from engine.contract import EngineError, FaultKind
from engine.library.downloads.client import without_secrets
from engine.library.downloads.order import Order, WantedFile, safe_path
from engine.library.hubs.hub import HUGGING_FACE, MODELSCOPE

_REPOSITORY = re.compile(r"[\w][\w.-]*/[\w][\w.-]*")
_LABELLED = re.compile(r"[^/:]+/[^/:]+:[\w.-]+")  # hf.co/owner/name:Q4_K_M, as Ollama has it
_HOSTS = {
    "huggingface.co": HUGGING_FACE, "hf.co": HUGGING_FACE, "hf-mirror.com": HUGGING_FACE,
    "modelscope.cn": MODELSCOPE,
}  # fmt: skip
_PREFIXES = {"hf": HUGGING_FACE, "huggingface": HUGGING_FACE, "ms": MODELSCOPE}


@dataclass(frozen=True, slots=True)
class Target:
    """A repository of a hub, and one file of it where one was named."""

    hub: str
    repository: str
    file: str = ""


def read_target(text: str) -> Target | None:
    """What a text names: "owner/name", "modelscope:owner/name", a page of a hub; else None.

    A page's address may come without "https://", as browsers show it.
    """
    text = text.strip()
    prefix, colon, rest = text.partition(":")
    hub = {**_PREFIXES, MODELSCOPE: MODELSCOPE}.get(prefix.lower(), "")
    if colon and hub and _REPOSITORY.fullmatch(rest):
        return Target(hub, rest)
    if _REPOSITORY.fullmatch(text):
        return Target(HUGGING_FACE, text)
    parts = urlsplit(text if "://" in text else f"https://{text}")
    hub = _HOSTS.get((parts.hostname or "").removeprefix("www."), "")
    path = unquote(parts.path).strip("/").removeprefix("models/" if hub == MODELSCOPE else "")
    path, _, label = path.partition(":") if _LABELLED.fullmatch(path) else (path, "", "")
    owner, _, rest = path.partition("/")
    name, _, rest = rest.partition("/")
    if not hub or not _REPOSITORY.fullmatch(f"{owner}/{name}"):
        return None
    _, _, file = rest.partition("/") if rest.startswith(("resolve/", "blob/")) else ("", "", "")
    return Target(hub, f"{owner}/{name}", file.partition("/")[2] or label)


def is_address(text: str) -> bool:
    """Whether a text is the address of something on the web."""
    parts = urlsplit(text.strip())
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def order_for_address(address: str) -> Order:
    """The download of one GGUF file from anywhere; there is no hash to compare.

    Raises:
        EngineError: ``FORMAT_UNSUPPORTED``: it does not end in a GGUF file's name.
    """
    name = unquote(urlsplit(address).path.rpartition("/")[2])
    if not name.lower().endswith(".gguf") or not safe_path(name):
        shown = without_secrets(address)
        kind = name.rpartition(".")[2] if "." in name else "unknown"
        raise EngineError(FaultKind.FORMAT_UNSUPPORTED, path=shown, format=kind)
    stem = name[: -len(".gguf")]
    return Order(f"url:{without_secrets(address)}", stem, stem, (WantedFile(address, name),))
