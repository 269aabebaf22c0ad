"""A safetensors file, or a folder of them, as a checkpoint.

What of it is quantized, and how, is for ``schemes`` to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from torch import Tensor

from engine.contract import EngineError, FaultKind
from engine.storage.mapped import Mappings
from engine.storage.model_folder import read_config, weight_files, weight_map
from engine.storage.quantization_config import read_quantization
from engine.storage.safetensors_header import StoredTensor, read_safetensors_header
from engine.storage.schemes.choose import find_claims
from engine.storage.schemes.claim import Claim
from engine.weights import Weight


class SafetensorsCheckpoint:
    """One open model; plain tensors are views of the mapped files."""

    format = "safetensors"

    def __init__(self, path: Path) -> None:
        self.path = path
        self.metadata: Mapping[str, Any] = _config(path)
        self._files: dict[str, Path] = {}
        self._stored: dict[str, StoredTensor] = {}
        self._open: dict[Path, Any] = {}
        self._mappings = Mappings()
        for file in weight_files(path):
            for name, stored in read_safetensors_header(file).tensors.items():
                self._files[name], self._stored[name] = file, stored
        for name in weight_map(path) if path.is_dir() else ():
            self._find(name)  # what the index promises must be in a shard
        self._claims = self._find_claims()
        parts = {part for claim in self._claims.values() for part in claim.parts}
        self._names = [name for name in self._stored if name not in parts]
        self._names += self._claims

    def names(self) -> Sequence[str]:
        """Plain tensors, file after file, then quantized weights."""
        return self._names

    def shape(self, name: str) -> tuple[int, ...]:
        """The weight's shape."""
        claim = self._claims.get(name)
        return claim.shape if claim else self._find(name).shape

    def nbytes(self, name: str) -> int:
        """Bytes that the weight takes in its files."""
        claim = self._claims.get(name)
        parts = claim.parts if claim else (name,)
        return sum(self._find(part).nbytes for part in parts)

    def read(self, name: str) -> Weight:
        """The tensor as it is stored, or the quantized weight in its canonical form."""
        claim = self._claims.get(name)
        return claim.read(self._tensor) if claim else self._tensor(name)

    def release(self) -> None:
        """Unmap the files; they are mapped again when something of them is read."""
        self._open.clear()

    def release_in_use(self) -> None:
        """Give back what of large plain tensors was read."""
        self._mappings.release()

    def close(self) -> None:
        """Let go of the files; tensors keep them mapped until they are gone."""
        self._open.clear()

    def _find_claims(self) -> dict[str, Claim]:
        quantization = read_quantization(self.metadata, self.path)
        if quantization is None:
            return {}
        found = find_claims(self._stored, quantization, self.path, self._tensor)
        return {claim.name: claim for claim in found}

    def _find(self, name: str) -> StoredTensor:
        found = self._stored.get(name)
        if found is None:
            raise EngineError(FaultKind.TENSOR_MISSING, path=str(self.path), tensor=name)
        return found

    def _tensor(self, name: str) -> Tensor:
        stored, file = self._find(name), self._files[name]
        try:
            if self._mappings.serves(stored):
                return self._mappings.map(file, stored)
            if file not in self._open:
                self._open[file] = safe_open(file, framework="pt")
            tensor: Tensor = self._open[file].get_tensor(name)
        except (SafetensorError, OSError, ValueError) as error:
            if not Path(file).is_file():  # deleted, or its disk taken out, while it was read
                raise EngineError(FaultKind.FILE_MISSING, path=str(file)) from error
            raise EngineError(
                FaultKind.FILE_DAMAGED, path=str(file), detail=f"{name}: {error}"
            ) from error
        return tensor


def _config(path: Path) -> dict[str, Any]:
    """``config.json``'s content; a lone file without one has none."""
    if path.is_dir():
        return read_config(path)
    return read_config(path.parent) if (path.parent / "config.json").is_file() else {}
