"""All models below some folders, at any depth: our own, other programs', the user's."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from engine.contract import EngineError, Fault, FaultKind, ModelFacts
from engine.library.architectures import NO_MODEL_ARCHITECTURES
from engine.library.hub_cache import snapshots
from engine.library.identify import identify
from engine.library.names import name_of_folder, one_line
from engine.library.ollama import by_telling, is_store, read_store
from engine.library.partial_copies import ENDING as UNFINISHED
from engine.library.servers.card import is_card
from engine.library.sources import Source, SourceKind
from engine.storage.gguf_split import earlier_parts
from engine.storage.model_folder import PICKLES

Identify = Callable[[Path], ModelFacts]

_NO_MODELS = frozenset({".git", "node_modules", "__pycache__", ".venv", "site-packages"})


@dataclass(frozen=True, slots=True)
class Found:
    """A model, or what looks like one and is not sound: exactly one of facts and fault.

    Attributes:
        source: whose folder it was found in.
        aliases: other names of the same weights there.
        modified: when its files were last written (Unix seconds); 0 where that is not known.
        twin: another model found before it, with the same weights in a file of its own.
        called: what the person knows it as where it has no facts: its folder, its name in a store.
    """

    path: Path
    facts: ModelFacts | None = None
    fault: Fault | None = None
    source: SourceKind = SourceKind.ADDED
    aliases: tuple[str, ...] = ()
    modified: float = 0.0
    twin: Path | None = None
    called: str = ""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """What may be a model, and what its place says of it where the files themselves do not."""

    path: Path
    publisher: str = ""
    aliases: tuple[str, ...] = ()
    fault: Fault | None = None
    called: str = ""


def scan(sources: Iterable[Source], identify: Identify = identify) -> list[Found]:
    """Every model below ``sources``, by name; one bad file never hides another.

    Links are followed, dangling ones are passed over, and a file that links lead to twice is listed
    once, for the first source that has it. Folders that cannot be listed hold no models.
    """
    seen: set[str] = set()
    found: list[Found] = []
    for source in sources:
        for candidate in _candidates(source):
            key = _key(candidate.path)
            if key not in seen:
                seen.add(key)
                found += _look_at(candidate, source, identify)
    return sorted(found, key=lambda f: (f.facts.name if f.facts else f.called).casefold())


def _candidates(source: Source) -> Iterator[_Candidate]:
    if source.folder.is_file():
        yield _Candidate(source.folder)
    elif is_store(source.folder):
        yield from _of_ollama(source.folder)
    elif source.kind is SourceKind.HUGGING_FACE:
        yield from _of_hub_cache(source.folder)
    else:
        for path in _walk(source.folder):
            parts = path.relative_to(source.folder).parts
            is_theirs = source.kind is SourceKind.LM_STUDIO and len(parts) > 2
            yield _Candidate(path, parts[0] if is_theirs else "")


def _of_ollama(store: Path) -> Iterator[_Candidate]:
    """Each blob of weights once, under the name that says most."""
    names: dict[Path, list[str]] = {}
    for model in sorted(read_store(store), key=by_telling):
        if model.weights is None:
            path = store / model.name
            figures = {"path": str(path), "format": "Ollama tensors"}
            fault = Fault(FaultKind.FORMAT_UNSUPPORTED, figures)
            yield _Candidate(path, fault=fault, called=model.name)
        else:
            names.setdefault(model.weights, []).append(model.name)
    for path, known in names.items():
        yield _Candidate(path, aliases=tuple(known[1:]), called=known[0])


def _of_hub_cache(cache: Path) -> Iterator[_Candidate]:
    """What the snapshots hold, each file by the newest one that has it."""
    seen: set[tuple[str, Path]] = set()
    for repository, snapshot in snapshots(cache):
        publisher = repository.removeprefix("models--").partition("--")[0]
        for path in _walk(snapshot):
            key = (repository, path.relative_to(snapshot))
            if key not in seen:
                seen.add(key)
                yield _Candidate(path, publisher)


def _walk(folder: Path) -> Iterator[Path]:
    """Paths that look like models: GGUF files, folders with a config and weights, remote cards."""
    visited: set[str] = set()
    for root, folders, files in os.walk(folder, followlinks=True):
        real = os.path.realpath(root)
        if real in visited:  # a link back up
            folders.clear()
            continue
        visited.add(real)
        folders[:] = sorted(
            name for name in folders if name not in _NO_MODELS and not name.endswith(UNFINISHED)
        )
        here = Path(root)
        if _is_model_folder(here, files):
            yield here
        for name in sorted(files):
            if name[-5:].lower() == ".gguf":
                path = here / name
                if path.is_file() and not _has_earlier(path, files):
                    yield path
            elif is_card(here / name):
                yield here / name


def _is_model_folder(folder: Path, files: list[str]) -> bool:
    """Whether the folder's config is a language model's and weights of some kind lie beside it."""
    if "config.json" not in files:
        return False
    endings = {os.path.splitext(name)[1].lower() for name in files}
    if not endings & {".safetensors", *PICKLES}:
        return False
    try:
        config = json.loads((folder / "config.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return True  # the fault is identify's to name
    return isinstance(config, dict) and "model_type" in config


def _key(path: Path) -> str:
    """What makes two paths the same model: the weights' real file."""
    if path.is_dir():
        weights = min(path.glob("*.safetensors"), default=path)
        return os.path.realpath(weights)
    return os.path.realpath(path)


def _look_at(candidate: _Candidate, source: Source, identify: Identify) -> list[Found]:
    path, kind = candidate.path, source.kind
    called = one_line(candidate.called) or _called(path)
    if candidate.fault is not None:
        return [Found(path, fault=candidate.fault, source=kind, called=called)]
    try:
        facts = identify(path)
    except EngineError as error:
        when = _modified(path)
        return [Found(path, fault=error.fault, source=kind, modified=when, called=called)]
    if facts.architecture in NO_MODEL_ARCHITECTURES:
        return []  # what goes beside a model (a picture encoder, an adapter) is none
    facts = replace(facts, publisher=facts.publisher or candidate.publisher)
    return [Found(path, facts, None, kind, candidate.aliases, _modified(path))]


def _called(path: Path) -> str:
    """A name for what cannot be read, from where it lies."""
    return name_of_folder(path)[0] if path.is_dir() else one_line(path.name)


def _has_earlier(path: Path, files: list[str]) -> bool:
    """Whether this is a part of a model that another part, before it, stands for here."""
    before = earlier_parts(path)
    return any(name in before for name in files)


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
