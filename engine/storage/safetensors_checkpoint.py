"""A safetensors file, or a folder of them, as a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from torch import Tensor

from engine.contract import EngineError, FaultKind
from engine.storage.model_folder import read_json, weight_files, weight_map
from engine.storage.safetensors_header import StoredTensor, read_safetensors_header
from engine.weights import Weight


class SafetensorsCheckpoint:
    """One open model; plain tensors are views of the mapped files."""

    format = "safetensors"

    def __init__(self, path: Path) -> None:
        self.path = path
        self.metadata: Mapping[str, Any] = _config(path)
        self._tensors: dict[str, tuple[Path, StoredTensor]] = {}
        self._open: dict[Path, Any] = {}
        for file in weight_files(path):
            for name, stored in read_safetensors_header(file).tensors.items():
                self._tensors[name] = (file, stored)
        for name in weight_map(path) if path.is_dir() else ():
            self._find(name)  # what the index promises must be in a shard

    def names(self) -> Sequence[str]:
        """The tensors' names, file after file."""
        return list(self._tensors)

    def shape(self, name: str) -> tuple[int, ...]:
        """The tensor's shape."""
        return self._find(name)[1].shape

    def nbytes(self, name: str) -> int:
        """Bytes that the tensor takes in its file."""
        return self._find(name)[1].nbytes

    def read(self, name: str) -> Weight:
        """The tensor as it is stored."""
        return self._tensor(name)

    def close(self) -> None:
        """Let go of the files; tensors keep them mapped until they are gone."""
        self._open.clear()

    def _find(self, name: str) -> tuple[Path, StoredTensor]:
        found = self._tensors.get(name)
        if found is None:
            raise EngineError(FaultKind.TENSOR_MISSING, path=str(self.path), tensor=name)
        return found

    def _tensor(self, name: str) -> Tensor:
        file, _ = self._find(name)
        try:
            if file not in self._open:
                self._open[file] = safe_open(file, framework="pt")
            tensor: Tensor = self._open[file].get_tensor(name)
        except (SafetensorError, OSError) as error:
            raise EngineError(
                FaultKind.FILE_DAMAGED, path=str(file), detail=f"{name}: {error}"
            ) from error
        return tensor


def _config(path: Path) -> dict[str, Any]:
    """``config.json``'s content; a lone file without one has none."""
    if path.is_dir():
        return read_json(path / "config.json")
    beside = path.parent / "config.json"
    return read_json(beside) if beside.is_file() else {}
