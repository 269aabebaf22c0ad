"""The hubs as a person set them up: endpoints, tokens, one client."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import httpx

from engine.contract import EngineError, FaultKind
from engine.library.hubs.choices import FileChoice
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


def choose(repository: Repository, choices: tuple[FileChoice, ...], wanted: str) -> FileChoice:
    """The choice of this label or with this file; the recommended one for "".

    Raises:
        EngineError: ``CHOICE_MISSING``: there is none.
    """
    for choice in choices:
        named = wanted and wanted.upper() == choice.label.upper()
        if named or any(file.path == wanted for file in choice.files):
            return choice
    if wanted:
        offered, name = ", ".join(choice.label for choice in choices), repository.model.repository
        raise EngineError(FaultKind.CHOICE_MISSING, name=name, file=wanted, offered=offered)
    return next(choice for choice in choices if choice.is_recommended)
