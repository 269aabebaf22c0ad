"""A remote model's card: a small file in the model folder, so that it is a model like any other.

It says where the server is and which of its models is meant. It never holds a key: keys lie in the
system's keyring, one for each server (``key_account``).
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from engine.contract import EngineError, FaultKind, ModelFacts, Support
from engine.library.servers.address import root_of, server_address
from engine.library.servers.known import ServerKind

ENDING = ".remote.json"
_LARGEST = 64 << 10  # bytes
_UNFIT = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class RemoteCard:
    """Which model of which server.

    Attributes:
        address: as ``server_address`` makes it.
        model: what the server calls it.
        name: what the person calls it.
        kind: of the server, as a value of ``ServerKind``.
        context: tokens, as the server told; 0 where it did not.
        certificate: a file with the server's own certificate authority; empty: none.
        proxy: through which it is asked; empty: the system's setting.
    """

    address: str
    model: str
    name: str = ""
    kind: str = ServerKind.OTHER.value
    context: int = 0
    certificate: str = ""
    proxy: str = ""


@dataclass(frozen=True, slots=True)
class ServerKeys:
    """What no card holds: the server's key, and the password of the proxy on the way to it."""

    key: str = field(default="", repr=False)
    proxy_password: str = field(default="", repr=False)


def is_card(path: Path) -> bool:
    """Whether a path names a remote model."""
    return path.name.endswith(ENDING)


def key_account(address: str) -> str:
    """Under which name the keyring has a server's key."""
    return f"server:{root_of(address)}"


def read_card(path: Path) -> RemoteCard:
    """Read a card.

    Raises:
        EngineError: ``FILE_MISSING``, ``FILE_UNREADABLE``, ``CONFIG_INVALID``.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise EngineError(FaultKind.CONFIG_INVALID, path=str(path), detail="too large")
        content = json.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise EngineError(FaultKind.FILE_MISSING, path=str(path)) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise EngineError(FaultKind.FILE_UNREADABLE, path=str(path), reason=reason) from error
    except (ValueError, RecursionError) as error:
        raise EngineError(FaultKind.CONFIG_INVALID, path=str(path), detail=str(error)) from error
    return _card(path, content)


def write_card(folder: Path, card: RemoteCard, path: Path | None = None) -> Path:
    """Write a card, over ``path`` or under a name that is free, whole or not at all; its path.

    Raises:
        EngineError: ``ADDRESS_INVALID``, ``PROXY_INVALID`` (it holds a password, which would lie in
            a file), ``FILE_UNREADABLE`` where the folder cannot be written.
    """
    server_address(card.address)
    if ":" in urlsplit(card.proxy).netloc.rpartition("@")[0]:
        raise EngineError(FaultKind.PROXY_INVALID, address=card.proxy.rpartition("@")[2])
    target = path or _free_path(folder, card.name or card.model)
    part = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(asdict(card), ensure_ascii=False, indent=2), "utf-8")
        part.replace(target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise EngineError(FaultKind.FILE_UNREADABLE, path=str(target), reason=reason) from error
    return target


def card_facts(path: Path) -> ModelFacts:
    """A card as facts of a model, so that it stands among the others.

    Raises:
        EngineError: as ``read_card``.
    """
    card = read_card(path)
    from engine.library.servers.proxy import split_proxy  # noqa: PLC0415 - it reads cards itself

    return ModelFacts(
        path=path,
        name=card.name or card.model,
        format="remote",
        architecture="",
        support=Support.REMOTE,
        size_bytes=0,
        parameters=0,
        active_parameters=0,
        bits_per_weight=0.0,
        quantization="",
        context_length=card.context,
        layers=0,
        vocabulary=0,
        cache_bytes_per_token=0,
        has_template=True,
        server=card.address,
        proxy=split_proxy(card.proxy)[0],
    )


def _card(path: Path, content: Any) -> RemoteCard:
    known: dict[str, Any] = {}
    for each in fields(RemoteCard):
        value = content.get(each.name) if isinstance(content, dict) else None
        kind = int if each.name == "context" else str
        if type(value) is kind:
            known[each.name] = value
    if not known.get("address") or not known.get("model"):
        raise EngineError(FaultKind.CONFIG_INVALID, path=str(path), detail="no address, no model")
    if known.get("kind") not in set(ServerKind):  # of a newer program
        known["kind"] = ServerKind.OTHER.value
    known["context"] = max(0, known.get("context", 0))
    return RemoteCard(**known | {"address": server_address(known["address"])})


def _free_path(folder: Path, name: str) -> Path:
    stem = _UNFIT.sub("-", name).strip("-.")[:80] or "model"
    taken = {entry.casefold() for entry in (os.listdir(folder) if folder.is_dir() else ())}
    number, ending = 1, ENDING
    while f"{stem}{ending}".casefold() in taken:
        number += 1
        ending = f"-{number}{ENDING}"
    return folder / f"{stem}{ending}"
