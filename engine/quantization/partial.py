"""The hidden folder that a smaller copy grows in: one file a layer, kept until all are there."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from engine.contract import EngineError, FaultKind
from engine.library.partial_copies import partial_folder

_STATE = "state.json"
_INDEX = "model.safetensors.index.json"


@dataclass(frozen=True, slots=True)
class Partial:
    """What is there so far of a copy.

    Attributes:
        target: the folder that it becomes.
        files: how many files it will have.
    """

    target: Path
    files: int

    @property
    def folder(self) -> Path:
        """Where it grows."""
        return partial_folder(self.target)

    @property
    def written(self) -> int:
        """Bytes of the layers that are done."""
        paths = (self.shard(number) for number in range(self.files))
        return sum(path.stat().st_size for path in paths if path.is_file())

    def open(self, wish: Mapping[str, Any]) -> None:
        """Go on where the same wish was left, else begin anew.

        Raises:
            EngineError: FILE_UNREADABLE where the folder cannot be written.
        """
        try:
            if self._state() != json.loads(json.dumps(wish)):
                shutil.rmtree(self.folder, ignore_errors=True)
                self.folder.mkdir(parents=True)
                self.write_json(_STATE, wish)
        except OSError as error:
            raise unwritable(self.folder, error) from error

    def shard(self, number: int) -> Path:
        """The file of a layer; the last holds what belongs to none."""
        return self.folder / f"model-{number + 1:05}-of-{self.files:05}.safetensors"

    def save(self, path: Path, tensors: Mapping[str, Tensor], **said: str) -> None:
        """Write a file whole or not at all.

        Raises:
            EngineError: DISK_FULL, FILE_UNREADABLE.
        """
        part = path.with_name(path.name + ".tmp")
        try:
            save_file(dict(tensors), part, metadata={"format": "pt", **said})
            os.replace(part, path)
        except OSError as error:
            raise unwritable(path, error) from error

    def load(self, path: Path) -> dict[str, Tensor] | None:
        """A file's tensors; None where there is none."""
        return load_file(path) if path.is_file() else None

    def said(self, path: Path, key: str) -> str:
        """What was said beside a file's tensors; empty where nothing was."""
        if not path.is_file():
            return ""
        with safe_open(path, framework="pt") as file:
            return str((file.metadata() or {}).get(key, ""))

    def write_json(self, name: str, values: Mapping[str, Any]) -> None:
        """Write a JSON file whole or not at all."""
        part = self.folder / f"{name}.tmp"
        part.write_text(json.dumps(values, indent=1, ensure_ascii=False), "utf-8")
        os.replace(part, self.folder / name)

    def write_index(self) -> None:
        """Say which tensor lies in which file, as the hub's sharded checkpoints do."""
        names: dict[str, str] = {}
        size = 0
        for number in range(self.files):
            with safe_open(self.shard(number), framework="pt") as file:
                names |= dict.fromkeys(file.keys(), self.shard(number).name)
            size += self.shard(number).stat().st_size
        self.write_json(_INDEX, {"metadata": {"total_size": size}, "weight_map": names})

    def finish(self) -> None:
        """Drop what only this work needed, and give the folder its name."""
        for path in self.folder.iterdir():
            if path.name == _STATE or path.name.startswith(("measured-", "hidden")):
                path.unlink()
        try:
            self.folder.rename(self.target)
        except OSError as error:
            raise unwritable(self.target, error) from error

    def _state(self) -> Any:
        try:
            return json.loads((self.folder / _STATE).read_bytes())
        except (OSError, ValueError):
            return None


def unwritable(path: Path, error: OSError) -> EngineError:
    """The fault for a disk that is full, or a place that is not ours."""
    if error.errno == 28:  # ENOSPC
        free = shutil.disk_usage(path.parent).free
        return EngineError(FaultKind.DISK_FULL, path=str(path), needed=0, free=free)
    reason = error.strerror or str(error)
    return EngineError(FaultKind.FILE_UNREADABLE, path=str(path), reason=reason)
