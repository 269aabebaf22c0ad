"""What the window's settings say, for the command line: the same library, the same ways to load.

Read from the window's file, never written. A file that is not there or not sound has the defaults,
each by the catalogue's own rule.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.contract import LoadSettings
from engine.contract.ranges import LOADING, SERVING
from engine.contract.setting import Value
from engine.library.folders import models_folder
from engine.library.sources import Source, SourceKind, other_sources
from engine.safety.settings import settings_path


@dataclass(frozen=True, slots=True)
class WindowSettings:
    """The part of the window's settings that holds in a terminal too.

    Attributes:
        loading: how a model is loaded, by the keys of ``LOADING``.
        folders: that a person added to the library.
        sources_off: other programs whose models are not looked for.
        offline: whether nothing but this computer may be asked.
        hub_endpoint: a mirror of Hugging Face; empty: its own server.
        download_limit: kilobytes a second; 0 is none.
        serving: how the local server listens and whom it answers, by the keys of ``SERVING``.
    """

    loading: Mapping[str, Value]
    folders: tuple[Path, ...] = ()
    sources_off: frozenset[str] = frozenset()
    offline: bool = False
    hub_endpoint: str = ""
    download_limit: int = 0
    serving: Mapping[str, Value] = field(
        default_factory=lambda: {each.key: each.default for each in SERVING}
    )

    def load_settings(self, given: Mapping[str, Any]) -> LoadSettings:
        """How a model is loaded; what is given (not None) goes before what the window has."""
        values: dict[str, Any] = {}
        for setting in LOADING:
            value = given.get(setting.key)
            value = self.loading[setting.key] if value is None else value
            is_automatic = value in (setting.off, "")
            values[setting.key] = None if is_automatic else value
        return LoadSettings(**values)

    def sources(self) -> tuple[Source, ...]:
        """The folders in which the window looks for models, in its order."""
        others = [each for each in other_sources() if each.kind.value not in self.sources_off]
        added = [Source(SourceKind.ADDED, folder) for folder in self.folders]
        return (Source(SourceKind.OWN, models_folder()), *others, *added)


def window_settings() -> WindowSettings:
    """Return what the window's file says now."""
    stored = _stored()
    return WindowSettings(
        {each.key: each.read(stored.get(each.key)) for each in LOADING},
        tuple(Path(folder) for folder in _texts(stored.get("model_folders"))),
        frozenset(_texts(stored.get("sources_off"))),
        stored.get("offline") is True,
        endpoint if isinstance(endpoint := stored.get("hub_endpoint"), str) else "",
        limit if type(limit := stored.get("download_limit")) is int and limit > 0 else 0,
        {each.key: each.read(stored.get(each.key)) for each in SERVING},
    )


def _stored() -> dict[str, Any]:
    try:
        value = json.loads(settings_path().read_bytes().decode("utf-8", errors="surrogatepass"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
