"""All models below some folders, at any depth."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.contract import EngineError, Fault, ModelFacts
from engine.library.architectures import NO_MODEL_ARCHITECTURES
from engine.library.identify import identify
from engine.storage.gguf_split import is_later_part
from engine.storage.model_folder import PICKLES


@dataclass(frozen=True, slots=True)
class Found:
    """A model, or what looks like one and is not sound: exactly one of facts and fault."""

    path: Path
    facts: ModelFacts | None = None
    fault: Fault | None = None


def scan(folders: Iterable[Path]) -> list[Found]:
    """Every model below ``folders``, by name; one bad file never hides another.

    Links are followed, dangling ones are passed over, and a folder that links lead to twice is
    read once. Folders that cannot be listed hold no models.
    """
    seen: set[Path] = set()
    found: list[Found] = []
    for folder in folders:
        for path in _candidates(folder):
            real = Path(os.path.realpath(path))
            if real not in seen:
                seen.add(real)
                found += _look_at(path)
    return sorted(found, key=lambda f: (f.facts.name if f.facts else f.path.name).casefold())


def _candidates(folder: Path) -> Iterator[Path]:
    """Paths that look like models: GGUF files, and folders with a config and weights."""
    visited: set[str] = set()
    for root, folders, files in os.walk(folder, followlinks=True):
        real = os.path.realpath(root)
        if real in visited:  # a link back up
            folders.clear()
            continue
        visited.add(real)
        folders.sort()
        here = Path(root)
        if _is_model_folder(here, files):
            yield here
        for name in sorted(files):
            path = here / name
            if path.suffix.lower() == ".gguf" and not is_later_part(path) and path.is_file():
                yield path


def _is_model_folder(folder: Path, files: list[str]) -> bool:
    """Whether the folder's config is a language model's and weights of some kind lie beside it."""
    endings = {Path(name).suffix.lower() for name in files}
    if "config.json" not in files or not endings & {".safetensors", *PICKLES}:
        return False
    try:
        config = json.loads((folder / "config.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return True  # the fault is identify's to name
    return isinstance(config, dict) and "model_type" in config


def _look_at(path: Path) -> list[Found]:
    try:
        facts = identify(path)
    except EngineError as error:
        return [Found(path, fault=error.fault)]
    # what goes beside a model (a picture encoder, an adapter) is none
    return [] if facts.architecture in NO_MODEL_ARCHITECTURES else [Found(path, facts)]
