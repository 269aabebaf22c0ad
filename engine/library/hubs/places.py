"""The hubs as a person set them up: endpoints, tokens, one client."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import httpx

from engine.contract import EngineError, FaultKind
from engine.library.downloads.order import Order
from engine.library.hubs.choices import FileChoice, choices_in, order_for
from engine.library.hubs.direct import Target, is_address, order_for_address, read_target
from engine.library.hubs.hub import HUGGING_FACE, MODELSCOPE, Hub, Repository
from engine.library.hubs.huggingface import HuggingFace
from engine.library.hubs.modelscope import ModelScope

_TOKENS = {
    HUGGING_FACE: ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"),
    MODELSCOPE: ("MODELSCOPE_API_TOKEN",),
}
_ENDPOINTS = {HUGGING_FACE: "HF_ENDPOINT", MODELSCOPE: "MODELSCOPE_DOMAIN"}


def token_from_environment(account: str) -> str:
    """The token that the hubs' own tools would use; "" where there is none."""
    return next((os.environ[n] for n in _TOKENS.get(account, ()) if os.environ.get(n)), "")


def endpoint_from_environment(hub: str) -> str:
    """The endpoint that the hubs' own tools would use; "" for the hub's own."""
    return with_scheme(os.environ.get(_ENDPOINTS[hub], ""))


def with_scheme(endpoint: str) -> str:
    """An endpoint as an address: "hf-mirror.com" is one as people type it."""
    endpoint = endpoint.strip()
    return endpoint if not endpoint or "://" in endpoint else f"https://{endpoint}"


@dataclass(frozen=True, slots=True)
class Places:
    """Makes hubs.

    Attributes:
        endpoints: hub to server, where it is not the hub's own.
        token_for: the token of a hub.
    """

    endpoints: Mapping[str, str] = field(default_factory=dict)
    token_for: Callable[[str], str] = token_from_environment

    def open(self, client: httpx.Client, hub: str) -> Hub:
        """The hub of this name."""
        endpoint = with_scheme(self.endpoints.get(hub, "")) or endpoint_from_environment(hub)
        kind = ModelScope if hub == MODELSCOPE else HuggingFace
        return kind(client, endpoint, self.token_for(hub))

    def look(self, client: httpx.Client, target: Target) -> tuple[Repository, FileChoice]:
        """A repository, and the choice that a target names in it, or the recommended one.

        Raises:
            EngineError: as ``Hub.look`` and ``choices_in``; ``FILE_GONE`` where there is no such
                file.
        """
        repository = self.open(client, target.hub).look(target.repository)
        return repository, choose(repository, choices_in(repository), target.file)


def choose(repository: Repository, choices: tuple[FileChoice, ...], wanted: str) -> FileChoice:
    """The choice of this label or with this file; the recommended one for "".

    Raises:
        EngineError: ``FILE_GONE``: there is none.
    """
    for choice in choices:
        named = wanted and wanted.upper() == choice.label.upper()
        if named or any(file.path == wanted for file in choice.files):
            return choice
    if wanted:
        raise EngineError(FaultKind.FILE_GONE, address=f"{repository.page} ({wanted})")
    return next(choice for choice in choices if choice.is_recommended)


def order_of(client: httpx.Client, places: Places, text: str, file: str = "") -> Order:
    """The download that a name or an address asks for.

    Raises:
        EngineError: as ``Places.look`` and ``order_for_address``; ``FILE_MISSING`` where the text
            is neither.
    """
    target = read_target(text)
    if target is not None:
        wanted = Target(target.hub, target.repository, file or target.file)
        return order_for(*places.look(client, wanted))
    if is_address(text):
        return order_for_address(text)
    raise EngineError(FaultKind.FILE_MISSING, path=text)
