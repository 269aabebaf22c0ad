"""Other programs' stores in their true layouts, built around a model's file."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path


def _place(source: Path, target: Path) -> Path:
    """The file itself under another name: a hard link where that can be, else a copy."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        target.write_bytes(source.read_bytes())
    return target


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def ollama_store(store: Path, model: Path, *names: str, **small: object) -> Path:
    """Ollama's store with one model under these names ("qwen3:4b", "someone/qwen3:4b").

    ``small`` layers: license and template as text, params as an object. Returns the blob.
    """
    layers = []

    def layer(kind: str, digest: str, size: int) -> None:
        layers.append(
            {
                "mediaType": f"application/vnd.ollama.image.{kind}",
                "digest": f"sha256:{digest}",
                "size": size,
            }
        )

    weights = _place(model, store / "blobs" / f"sha256-{sha256(model)}")
    layer("model", weights.name.removeprefix("sha256-"), model.stat().st_size)
    for kind, content in small.items():
        data = (content if isinstance(content, str) else json.dumps(content)).encode()
        digest = hashlib.sha256(data).hexdigest()
        (store / "blobs" / f"sha256-{digest}").write_bytes(data)
        layer(kind, digest, len(data))
    for name in names:
        path, _, tag = name.partition(":")
        parts = path.split("/")
        if len(parts) == 1:
            parts.insert(0, "library")
        if len(parts) == 2:
            parts.insert(0, "registry.ollama.ai")
        manifest = store.joinpath("manifests", *parts, tag)
        manifest.parent.mkdir(parents=True, exist_ok=True)
        manifest.write_text(json.dumps({"schemaVersion": 2, "layers": layers}))
    return weights


def lm_studio_tree(models: Path, publisher: str, repository: str, model: Path) -> Path:
    """LM Studio's ``models/PUBLISHER/REPOSITORY/FILE``."""
    return _place(model, models / publisher / repository / model.name)


def hub_cache(hub: Path, publisher: str, name: str, model: Path, commit: str = "c0ffee") -> Path:
    """The hub's cache: a blob called by its hash, a link to it in a snapshot, a ref to that."""
    repository = hub / f"models--{publisher}--{name}"
    blob = repository / "blobs" / sha256(model)
    if not blob.exists():
        _place(model, blob)
    link = repository / "snapshots" / commit / model.name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(Path("..", "..", "blobs", blob.name))
    (repository / "refs").mkdir(exist_ok=True)
    (repository / "refs" / "main").write_text(commit)
    return link


def jan_folder(data: Path, publisher: str, name: str, model: Path) -> Path:
    """Jan's ``llamacpp/models/PUBLISHER/NAME/model.gguf`` with its note beside it."""
    file = _place(model, data / "llamacpp" / "models" / publisher / name / "model.gguf")
    (file.parent / "model.yml").write_text(f"model_path: {file}\nname: {name}\n")
    return file


def gpt4all_folder(folder: Path, model: Path) -> Path:
    """GPT4All's flat folder."""
    return _place(model, folder / model.name)
