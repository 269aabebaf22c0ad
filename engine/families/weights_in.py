"""How a family asks a checkpoint for its weights, twice: first to check, then to read.

A family's ``build`` runs over a ``Survey``, which checks that every tensor is there and has the
shape that the configuration implies, and then over a ``Reader``, which reads and packs. So a file
that does not fit its configuration is a named fault before any memory is spent on it, and the
bytes to read are known before the first of them is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.contract.faults import EngineError, FaultKind
from engine.kernels.interface import Kernels, Packed
from engine.layers.linear import join_rows
from engine.storage.checkpoint import Checkpoint
from engine.weights import Weight, dense, pick_rows

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of a linear map: one tensor of the checkpoint.

    Attributes:
        name: without ``.weight`` / ``.bias``.
        rows: how many it has.
        order: int64 index that reorders or picks rows as they are read; None takes all as they
            are.
        unit: each row is divided by its length as it is read.
    """

    name: str
    rows: int
    order: Tensor | None = None
    unit: bool = False


class WeightsIn(Protocol):
    """What a family reads from."""

    @property
    def kernels(self) -> Kernels:
        """What computes with what is read now."""
        ...

    def enter(self, layer: int | None) -> None:
        """What is asked for from now on belongs to this layer; None: to no layer."""
        ...

    @property
    def held_bytes(self) -> int:
        """Bytes of everything that was packed so far."""
        ...

    def has(self, name: str) -> bool:
        """Whether the checkpoint holds a tensor of this full name."""
        ...

    def shape_of(self, name: str) -> tuple[int, ...]:
        """Shape of the tensor of this full name, or ``TENSOR_MISSING``."""
        ...

    def matrix(self, parts: Sequence[Rows], columns: int) -> tuple[Packed, ...]:
        """The parts' ``.weight`` end to end, packed, as few matrices as their forms allow."""
        ...

    def stacked(
        self, parts: Sequence[Rows], count: int, columns: int, transposed: bool = False
    ) -> list[tuple[Packed, ...]]:
        """As ``matrix``, for each of ``count`` matrices that one tensor holds (experts).

        The parts' names are full ones. With ``transposed`` the tensors are [count, columns, rows].
        """
        ...

    def tensor(self, name: str, *shape: int) -> Tensor:
        """A tensor of this shape by its full name, as float32 on the kernels' device."""
        ...

    def same(self, first: str, second: str) -> bool:
        """Whether two tensors hold the same values."""
        ...


@dataclass(frozen=True, slots=True)
class Surveyed:
    """Stands for a packed weight while a checkpoint is surveyed."""

    shape: tuple[int, int]
    nbytes: int = 0


class Survey:
    """Checks names and shapes, adds up bytes, reads nothing."""

    def __init__(self, checkpoint: Checkpoint, kernels: Kernels) -> None:
        self.kernels = kernels
        self.held_bytes = 0
        self._checkpoint = checkpoint
        self._names = frozenset(checkpoint.names())
        self._layer: int | None = None
        self._asked: dict[str, int | None] = {}

    @property
    def file_bytes(self) -> int:
        """Bytes in the file of all tensors that were asked for."""
        return sum(self._checkpoint.nbytes(name) for name in self._asked)

    def bytes_of(self, layer: int | None) -> int:
        """Bytes in the file of what was asked for in a layer; None: in no layer."""
        names = [name for name, own in self._asked.items() if own == layer]
        return sum(self._checkpoint.nbytes(name) for name in names)

    def enter(self, layer: int | None) -> None:
        """Count what is asked for from now on to this layer."""
        self._layer = layer

    def has(self, name: str) -> bool:
        """Whether the checkpoint holds a tensor of this full name."""
        return name in self._names

    def shape_of(self, name: str) -> tuple[int, ...]:
        """Shape of the tensor of this full name, or ``TENSOR_MISSING``."""
        return self._shape(name)

    def matrix(self, parts: Sequence[Rows], columns: int) -> tuple[Packed, ...]:
        """Check each part's ``.weight`` to be [rows, columns]."""
        for part in parts:
            self._check(f"{part.name}.weight", (part.rows, columns))
        rows = sum(part.rows if part.order is None else len(part.order) for part in parts)
        return (Surveyed((rows, columns)),)

    def stacked(
        self, parts: Sequence[Rows], count: int, columns: int, transposed: bool = False
    ) -> list[tuple[Packed, ...]]:
        """Check each part to be [count, rows, columns]."""
        for part in parts:
            matrix = (columns, part.rows) if transposed else (part.rows, columns)
            self._check(part.name, (count, *matrix))
        rows = sum(part.rows for part in parts)
        return [(Surveyed((rows, columns)),)] * count

    def tensor(self, name: str, *shape: int) -> Tensor:
        """Check the tensor to have this shape."""
        self._check(name, shape)
        if len(shape) == 1:  # sums on the device "meta" would load torch's compiler: 64 MiB
            return torch.zeros(shape)
        return torch.empty(shape, device="meta")

    def same(self, first: str, second: str) -> bool:
        """Check that both exist with one shape; the values are compared on reading."""
        self._check(second, self._shape(first))
        return False

    def _shape(self, name: str) -> tuple[int, ...]:
        if name not in self._names:
            path = str(self._checkpoint.path)
            raise EngineError(FaultKind.TENSOR_MISSING, path=path, tensor=name)
        return self._checkpoint.shape(name)

    def _check(self, name: str, expected: tuple[int, ...]) -> None:
        shape = self._shape(name)
        if shape != expected:
            raise EngineError(
                FaultKind.TENSOR_SHAPE,
                path=str(self._checkpoint.path),
                tensor=name,
                shape=str(list(shape)),
                expected=str(list(expected)),
            )
        self._asked.setdefault(name, self._layer)


class Reader:
    """Reads and packs what a ``Survey`` has checked, one tensor after the other.

    Args:
        checkpoint: where the weights are.
        kernels: pack them.
        progress: called with (bytes read, bytes to read).
        file_bytes: to read.
        layers: kernels of each layer, where they are not all the same.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        kernels: Kernels,
        progress: Progress,
        file_bytes: int,
        layers: Sequence[Kernels] = (),
    ) -> None:
        self.kernels = kernels
        self._ends, self._layers = kernels, layers
        self.held_bytes = 0
        self._checkpoint = checkpoint
        self._names = frozenset(checkpoint.names())
        self._progress = progress
        self._total = file_bytes
        self._done = 0

    def has(self, name: str) -> bool:
        """Whether the checkpoint holds a tensor of this full name."""
        return name in self._names

    def enter(self, layer: int | None) -> None:
        """Pack what is read from now on by the kernels of this layer.

        What was mapped for the one before is packed, and need not count as memory any longer.
        """
        self._checkpoint.release()
        placed = self._layers and layer is not None
        self.kernels = self._layers[layer or 0] if placed else self._ends

    def shape_of(self, name: str) -> tuple[int, ...]:
        """Shape of the tensor of this full name."""
        return self._checkpoint.shape(name)

    def matrix(self, parts: Sequence[Rows], columns: int) -> tuple[Packed, ...]:
        """The parts' ``.weight`` end to end, packed, as few matrices as their forms allow."""
        return self._packed([self._rows(part) for part in parts])

    def stacked(
        self, parts: Sequence[Rows], count: int, columns: int, transposed: bool = False
    ) -> list[tuple[Packed, ...]]:
        """As ``matrix``, for each of ``count`` matrices that one tensor holds (experts)."""
        whole = [(part, self._read(part.name)) for part in parts]
        return [
            self._packed([_one_of(weight, i, part, transposed) for part, weight in whole])
            for i in range(count)
        ]

    def tensor(self, name: str, *shape: int) -> Tensor:
        """A tensor by its full name, as float32 on the kernels' device."""
        x = dense(self._read(name)).to(self.kernels.device).view(shape)
        self.held_bytes += x.nbytes
        return x

    def same(self, first: str, second: str) -> bool:
        """Whether two tensors hold the same values."""
        a, b = self._checkpoint.read(first), self._checkpoint.read(second)
        if isinstance(a, Tensor) and isinstance(b, Tensor):
            return a.dtype == b.dtype and torch.equal(a, b)
        if isinstance(a, Tensor) or isinstance(b, Tensor) or type(a) is not type(b):
            return False
        return torch.equal(a.codes, b.codes) and torch.equal(a.scale, b.scale)

    def _packed(self, weights: Sequence[Weight]) -> tuple[Packed, ...]:
        done = self._checkpoint.release_in_use
        packed = tuple(self.kernels.pack(weight, done) for weight in join_rows(weights))
        self.held_bytes += sum(weight.nbytes for weight in packed)
        return packed

    def _rows(self, part: Rows) -> Weight:
        weight = self._read(f"{part.name}.weight")
        if part.order is not None:
            weight = pick_rows(weight, part.order)
        return F.normalize(dense(weight)) if part.unit else weight

    def _read(self, name: str) -> Weight:
        weight = self._checkpoint.read(name)
        self._done += self._checkpoint.nbytes(name)
        self._progress(min(self._done, self._total), self._total)
        return weight


def _one_of(weight: Weight, index: int, part: Rows, transposed: bool) -> Weight:
    """One matrix of a stack: a plain tensor has three dimensions, a quantized one long rows."""
    if isinstance(weight, Tensor):
        one = weight[index].T if transposed else weight[index]
        return one if part.order is None else one[part.order]
    order = torch.arange(part.rows) if part.order is None else part.order
    return pick_rows(weight, index * part.rows + order)
