"""What a person and this program know of models besides their files: one JSON file.

A name of one's own, whether it is pinned, when it was last used, what it hashed to, settings of its
own. Nothing here is needed to run a model; what cannot be read counts as nothing noted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from app.store.settings import write_atomically
from app.store.worker import Worker
from engine.contract.setting import Value


@dataclass(frozen=True, slots=True)
class ModelNote:
    """Of one model; ``last_used`` is Unix seconds, 0 where it never was.

    ``settings`` are values of its own, by the keys of the catalogue.
    """

    name: str = ""
    pinned: bool = False
    last_used: int = 0
    sha256: str = ""
    settings: Mapping[str, Value] = field(default_factory=dict)


class ModelNotes:
    """The notes by the models' paths.

    Args:
        path: the file that they lie in; without one they live in memory.
        worker: the thread that writes.
    """

    def __init__(self, path: Path | None = None, worker: Worker | None = None) -> None:
        self._path, self._worker = path, worker
        self._notes = self._read(path) if path is not None else {}

    def of(self, path: Path) -> ModelNote:
        """Return what is noted of a model."""
        return self._notes.get(str(path), ModelNote())

    def change(self, path: Path, **values: Any) -> None:
        """Note some values by name.

        Raises:
            TypeError: there is no such value.
        """
        changed = replace(self.of(path), **values)
        if changed == ModelNote():
            self._notes.pop(str(path), None)
        else:
            self._notes[str(path)] = changed
        if self._path is None or self._worker is None:
            return
        file = self._path
        content = {path: asdict(note) for path, note in self._notes.items()}
        text = json.dumps(content, ensure_ascii=False, indent=2)
        data = text.encode("utf-8", "surrogatepass")
        self._worker.post(lambda: _save(file, data))

    def forget(self, path: Path) -> None:
        """Drop what is noted of a model that is no more."""
        self.change(path, **asdict(ModelNote()))

    def _read(self, file: Path) -> dict[str, ModelNote]:
        try:
            content = json.loads(file.read_bytes().decode("utf-8", "surrogatepass"))
        except (OSError, ValueError, RecursionError):
            return {}
        notes = content.items() if isinstance(content, dict) else ()
        return {path: _note(each) for path, each in notes if isinstance(each, dict)}


def _save(file: Path, data: bytes) -> None:
    try:
        write_atomically(file, data)
    except OSError:
        return  # the disk's fault is told by the chats, which matter more


def _note(values: dict[str, Any]) -> ModelNote:
    """Return a stored note; values of another type are as if not noted."""
    plain = asdict(ModelNote())
    return ModelNote(**{k: values[k] for k in plain if type(values.get(k)) is type(plain[k])})
