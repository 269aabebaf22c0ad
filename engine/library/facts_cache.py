"""Facts of models that were read before, as long as their files have not changed.

Reading the header of a large vocabulary takes a tenth of a second; a hundred models would be looked
at for ten at every start.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from engine.contract import ModelFacts, Support
from engine.library.architectures import GGUF_ARCHITECTURES, MODEL_TYPES
from engine.library.compatible import compatible_types

Signature = list[list[object]]  # name, size, time of last writing of each file

_KINDS = {"str": str, "int": int, "bool": bool}


class FactsCache:
    """Answers ``identify`` from what it knows, and remembers what it had to read.

    Args:
        path: the file that remembers; it may not exist yet, and what cannot be read is nothing.
        identify: reads a model's facts.
    """

    def __init__(self, path: Path, identify: Callable[[Path], ModelFacts]) -> None:
        self._path, self._identify = path, identify
        self._known: dict[str, dict[str, Any]] | None = None
        self._changed = False

    def identify(self, path: Path) -> ModelFacts:
        """Return a model's facts.

        Raises:
            EngineError: those of ``identify``; faults are not remembered.
        """
        if self._known is None:
            self._known = self._read()
        signature, key = signature_of(path), os.fspath(path)
        kept = self._known.get(key)
        if kept is not None and kept["signature"] == signature:
            return _facts(kept["facts"])
        facts = self._identify(path)
        self._known[key] = {
            "signature": signature,
            "facts": asdict(facts) | {"path": str(facts.path)},
        }
        self._changed = True
        return facts

    def save(self) -> None:
        """Write what is known, if it changed; where that fails, the next start reads again."""
        if not self._changed or self._known is None:
            return
        self._changed = False
        part = self._path.with_name(self._path.name + ".part")
        content = json.dumps({"stamp": _stamp(), "models": self._known})
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(content.encode("utf-8", "surrogatepass"))
            part.replace(self._path)
        except OSError:
            return

    def _read(self) -> dict[str, dict[str, Any]]:
        try:
            content = json.loads(self._path.read_bytes().decode("utf-8", "surrogatepass"))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(content, dict) or content.get("stamp") != _stamp():
            return {}
        models = content.get("models")
        known = models.items() if isinstance(models, dict) else ()
        return {key: each for key, each in known if _is_sound(each)}


def signature_of(path: Path) -> Signature:
    """Names, sizes and times of the files that a model's facts are read from."""
    folder, name = (path, "") if path.is_dir() else (path.parent, path.name)
    stem = name.rpartition("-00001-of-")[0] or name
    try:
        with os.scandir(folder) as entries:
            files = [entry for entry in entries if entry.name.startswith(stem) and entry.is_file()]
        stats = [(entry.name, entry.stat()) for entry in files]
    except OSError:
        return []
    return sorted([name, stat.st_size, stat.st_mtime_ns] for name, stat in stats)


def _facts(values: dict[str, Any]) -> ModelFacts:
    made = {
        "path": Path(values["path"]),
        "support": Support(values["support"]),
        "languages": tuple(values["languages"]),
    }
    return ModelFacts(**values | made)


def _is_sound(each: object) -> bool:
    """Whether a stored entry is one of ours: a file may have been changed by hand."""
    facts = each.get("facts") if isinstance(each, dict) else None
    if not isinstance(facts, dict) or not isinstance(each, dict) or "signature" not in each:
        return False
    if set(facts) != {field.name for field in fields(ModelFacts)}:
        return False
    plain = all(
        isinstance(facts[field.name], _KINDS[str(field.type)])
        for field in fields(ModelFacts)
        if str(field.type) in _KINDS
    )
    support = facts["support"] in {each.value for each in Support}
    return plain and support and isinstance(facts["path"], str)


def _stamp() -> str:
    """What the facts depend on besides the files: this package, and what it can run."""
    package = Path(__file__).parent
    code = [package, package.parent / "storage"]
    written = [path.stat().st_mtime_ns for folder in code for path in sorted(folder.glob("*.py"))]
    names = [sorted(MODEL_TYPES), sorted(GGUF_ARCHITECTURES), sorted(compatible_types()), written]
    return hashlib.sha256(repr(names).encode()).hexdigest()
