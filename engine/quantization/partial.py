"""The hidden folder that a smaller copy grows in: one file a layer, kept until all are there."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from engine.contract import EngineError
from engine.library.partial_copies import partial_folder
from engine.library.write_fault import write_fault

_STATE = "state.json"
_INDEX = "model.safetensors.index.json"
_OS_ERROR = re.compile(r"os error (\d+)")


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

    @property
    def taken(self) -> int:
        """Bytes of all that lies there, of what only the work needs too."""
        files = self.folder.glob("*") if self.folder.is_dir() else ()
        return sum(path.stat().st_size for path in files if path.is_file())

    def open(self, wish: Mapping[str, Any]) -> None:
        """Go on where the same wish was left, else begin anew.

        Raises:
            EngineError: UNWRITABLE where the folder cannot be written.
        """
        if self._state() != json.loads(json.dumps(wish)):
            shutil.rmtree(self.folder, ignore_errors=True)
            with writing(self.folder):
                self.folder.mkdir(parents=True)
            self.write_json(_STATE, wish)

    def shard(self, number: int) -> Path:
        """The file of a layer; the last holds what belongs to none."""
        return self.folder / f"model-{number + 1:05}-of-{self.files:05}.safetensors"

    def save(self, path: Path, tensors: Mapping[str, Tensor], **said: str) -> None:
        """Write a file whole or not at all.

        Raises:
            EngineError: DISK_FULL, FOLDER_GONE, UNWRITABLE.
        """
        part = path.with_name(path.name + ".tmp")
        try:
            with writing(path):
                save_file(dict(tensors), part, metadata={"format": "pt", **said})
                os.replace(part, path)
        except EngineError:
            part.unlink(missing_ok=True)  # half a file takes the room that is missing
            raise

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
        with writing(self.folder / name):
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
        with writing(self.target):
            for path in self.folder.iterdir():
                if path.name == _STATE or path.name.startswith(("measured-", "hidden")):
                    path.unlink()
            self.folder.rename(self.target)

    def _state(self) -> Any:
        try:
            return json.loads((self.folder / _STATE).read_bytes())
        except (OSError, ValueError):
            return None


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Name what the system refuses while a file is written.

    safetensors hands the system's error on as words with a number in them.

    Raises:
        EngineError: DISK_FULL, FOLDER_GONE, UNWRITABLE.
    """
    try:
        yield
    except OSError as error:
        raise write_fault(error.errno or 0, error.strerror or str(error), path) from error
    except SafetensorError as error:
        code = _OS_ERROR.search(str(error))
        if code is None:
            raise
        number = int(code[1])
        raise write_fault(number, os.strerror(number), path) from error
