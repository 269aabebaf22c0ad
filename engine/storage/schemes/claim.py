"""A quantized weight, and the stored tensors that it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

from torch import Tensor

from engine.contract import EngineError, FaultKind
from engine.storage.safetensors_header import StoredTensor
from engine.weights import Weight

FLOATS = ("F64", "F32", "F16", "BF16")
Fetch = Callable[[str], Tensor]
"""The stored tensor of that full name."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One weight: its name and shape, what it consumes, and how it is read."""

    name: str
    shape: tuple[int, ...]
    parts: tuple[str, ...]
    read: Callable[[Fetch], Weight]


@dataclass(frozen=True, slots=True)
class Layer:
    """The stored tensors of one module, by the end of their names."""

    path: Path
    name: str
    tensors: Mapping[str, StoredTensor]

    def full(self, kind: str) -> str:
        """The full name of the tensor that ends in ``kind``."""
        return f"{self.name}.{kind}" if self.name else kind

    def has(self, kind: str) -> bool:
        """Whether the module has such a tensor."""
        return kind in self.tensors

    def need(self, kind: str, *dtypes: str, rank: int = 0, least: int = 0) -> StoredTensor:
        """That tensor.

        Args:
            kind: the end of its name.
            dtypes: what it may be stored as; anything when none is given.
            rank: how many dimensions it has; 0 leaves that open.
            least: how many it has at least.

        Raises:
            EngineError: ``TENSOR_MISSING``; ``TENSOR_SHAPE`` where its rank is another, or where
                it is empty; ``FILE_DAMAGED`` where its type is another.
        """
        stored = self.tensors.get(kind)
        if stored is None:
            raise EngineError(FaultKind.TENSOR_MISSING, path=str(self.path), tensor=self.full(kind))
        if len(stored.shape) < least or (rank and len(stored.shape) != rank):
            raise self.misshapen(kind, f"{rank or least} dimensions")
        if stored.nbytes == 0:
            raise self.misshapen(kind, "values")
        if dtypes and stored.dtype not in dtypes:
            raise EngineError(
                FaultKind.FILE_DAMAGED,
                path=str(self.path),
                detail=f"{self.full(kind)}: {stored.dtype} instead of {' or '.join(dtypes)}",
            )
        return stored

    def check(self, kind: str, *shapes: tuple[int, ...]) -> None:
        """Raise ``TENSOR_SHAPE`` unless the tensor has one of these shapes."""
        if self.need(kind).shape not in shapes:
            raise self.misshapen(kind, " or ".join(str(list(shape)) for shape in shapes))

    def misshapen(self, kind: str, expected: str) -> EngineError:
        """The fault for a tensor of another shape than the others imply."""
        return EngineError(
            FaultKind.TENSOR_SHAPE,
            path=str(self.path),
            tensor=self.full(kind),
            shape=str(list(self.tensors[kind].shape)),
            expected=expected,
        )

    def claim(
        self, name: str, shape: tuple[int, ...], read: Callable[[Fetch], Weight], *kinds: str
    ) -> Claim:
        """A claim on those of ``kinds`` that the module has."""
        parts = tuple(self.full(kind) for kind in kinds if kind in self.tensors)
        return Claim(self.full(name), shape, parts, read)


def layers_with(stored: Mapping[str, StoredTensor], kind: str, path: Path) -> Iterator[Layer]:
    """Every module that has a tensor whose name ends in ``.kind``."""
    modules: dict[str, dict[str, StoredTensor]] = {}
    for name, tensor in stored.items():
        module, _, end = name.rpartition(".")
        modules.setdefault(module, {})[end] = tensor
    for module, tensors in modules.items():
        if kind in tensors:
            yield Layer(path, module, tensors)


def as_rows(shape: tuple[int, ...]) -> tuple[int, int]:
    """A weight's (rows, columns) with its leading dimensions laid end to end."""
    return prod(shape[:-1]), shape[-1]
