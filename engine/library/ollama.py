"""Ollama's store: manifests name models, their weights lie in blobs called by their hash.

``manifests/HOST/NAMESPACE/NAME/TAG`` is a JSON file of layers; ``blobs/sha256-HEX`` holds each.
Its template language is its own (Go's); the template inside the weights' file is used instead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_HOST, _NAMESPACE = "registry.ollama.ai", "library"
_LAYER = "application/vnd.ollama.image."
_DIGEST = re.compile(r"sha256[:-][0-9a-f]{64}")
_LARGEST = 4 << 20  # bytes of a manifest or a small layer looked at


@dataclass(frozen=True, slots=True)
class OllamaModel:
    """What the store says of a model.

    Attributes:
        name: as one asks for it: "qwen3:4b", "someone/name:tag", "hf.co/someone/name:tag".
        weights: the blob with them; None where it is no single file.
        license: its first line.
        context: tokens that the store's parameters set; 0 where they do not.
        has_template: whether the store brings a template.
        is_adapted: whether an adapter belongs to it, which is not applied here.
    """

    name: str
    weights: Path | None
    license: str = ""
    context: int = 0
    has_template: bool = False
    is_adapted: bool = False


def is_store(folder: Path) -> bool:
    """Whether this is the models folder of an Ollama."""
    return (folder / "manifests").is_dir() and (folder / "blobs").is_dir()


def read_store(folder: Path) -> list[OllamaModel]:
    """Every model of a store by name; a manifest that cannot be read hides no other."""
    manifests = folder / "manifests"
    found = (_read(folder, path) for path in _files(manifests))
    return sorted((model for model in found if model), key=lambda model: model.name)


def store_of(blob: Path) -> Path | None:
    """The store that a blob lies in; None where it is none."""
    if not _DIGEST.fullmatch(blob.name) or blob.parent.name != "blobs":
        return None
    folder = blob.parent.parent
    return folder if is_store(folder) else None


def model_of(blob: Path) -> OllamaModel | None:
    """What the store says of the weights in a blob: of several names, the one that says most."""
    folder = store_of(blob)
    models = read_store(folder) if folder else []
    same = [m for m in models if m.weights and m.weights.name == blob.name]
    return min(same, key=by_telling, default=None)


def by_telling(model: OllamaModel) -> tuple[bool, str]:
    """Order names of the same weights: "latest" says least."""
    return (model.name.endswith(":latest"), model.name)


def _files(folder: Path) -> Iterator[Path]:
    try:
        yield from (path for path in sorted(folder.rglob("*")) if path.is_file())
    except OSError:
        return


def _read(store: Path, manifest: Path) -> OllamaModel | None:
    content = _json(manifest)
    layers = content.get("layers")
    if not isinstance(layers, list):
        return None
    by_kind: dict[str, list[Path]] = {}
    for layer in layers:
        if not isinstance(layer, dict):
            continue
        digest, kind = layer.get("digest"), str(layer.get("mediaType", ""))
        if isinstance(digest, str) and _DIGEST.fullmatch(digest) and kind.startswith(_LAYER):
            blob = store / "blobs" / digest.replace(":", "-")
            by_kind.setdefault(kind.removeprefix(_LAYER), []).append(blob)
    weights = by_kind.get("model", [])
    if not weights and "tensor" not in by_kind:
        return None
    context = _json(_first(by_kind, "params")).get("num_ctx", 0)
    lines = _text(_first(by_kind, "license")).strip().splitlines()
    return OllamaModel(
        _name(manifest.relative_to(store / "manifests").parts),
        weights[0] if weights else None,
        lines[0].strip() if lines else "",
        context if type(context) is int and context > 0 else 0,
        "template" in by_kind,
        "adapter" in by_kind,
    )


def _name(parts: tuple[str, ...]) -> str:
    host, tag = parts[0], parts[-1]
    inside = [part for part in parts[1:-1] if part != _NAMESPACE]
    return "/".join([*([] if host == _HOST else [host]), *inside]) + f":{tag}"


def _first(layers: dict[str, list[Path]], kind: str) -> Path | None:
    return next(iter(layers.get(kind, ())), None)


def _json(path: Path | None) -> dict[str, Any]:
    try:
        content = json.loads(_text(path) or "{}")
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _text(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        with path.open("rb") as file:
            return file.read(_LARGEST).decode("utf-8", errors="replace")
    except OSError:
        return ""
