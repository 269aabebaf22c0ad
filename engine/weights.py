"""The canonical forms in which a weight is held, whatever the file was.

A weight is a matrix ``[rows, columns]`` that maps ``columns`` inputs to ``rows`` outputs. Groups
run along the columns. Readers produce these forms, kernels consume them, quantization writes them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Grouped4:
    """4-bit codes with a scale, and where the format has one a minimum, for each group of columns.

    ``w = scale * q + minimum`` with q in 0…15; without a minimum ``w = scale * (q - 8)``.

    Attributes:
        codes: uint8 [rows, columns / 2]; byte j holds column 2j in its low nibble and 2j + 1 in
            its high one.
        scale: float16 [rows, columns / group]; float32 where float16 would lose it (overflow,
            subnormal).
        minimum: same shape and dtype as ``scale``, or None.
        group: columns a group: 16, 32, 64 or 128.
    """

    codes: Tensor
    scale: Tensor
    minimum: Tensor | None
    group: int

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return self.codes.shape[0], self.codes.shape[1] * 2

    @property
    def nbytes(self) -> int:
        """Bytes of codes, scales and minima."""
        minimum = 0 if self.minimum is None else self.minimum.nbytes
        return self.codes.nbytes + self.scale.nbytes + minimum

    def rows(self, index: Tensor) -> Grouped4:
        """The same weight with its rows picked or reordered by ``index`` (int64)."""
        minimum = None if self.minimum is None else self.minimum[index]
        return Grouped4(self.codes[index], self.scale[index], minimum, self.group)

    def dequantize(self) -> Tensor:
        """float32 [rows, columns]."""
        rows, columns = self.shape
        q = torch.stack((self.codes & 15, self.codes >> 4), dim=-1).view(
            rows, columns // self.group, self.group
        )
        scale = self.scale.float().unsqueeze(-1)
        if self.minimum is None:
            w = (q.float() - 8) * scale
        else:
            w = q.float() * scale + self.minimum.float().unsqueeze(-1)
        return w.view(rows, columns)


@dataclass(frozen=True, slots=True)
class Grouped8:
    """Signed 8-bit codes with a scale for each group of columns: ``w = scale * q``.

    Attributes:
        codes: int8 [rows, columns].
        scale: float16 or float32 [rows, columns / group], as in ``Grouped4``.
        group: columns a group: 16, 32, 64, 128, or all of them (a scale for each row).
    """

    codes: Tensor
    scale: Tensor
    group: int

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return self.codes.shape[0], self.codes.shape[1]

    @property
    def nbytes(self) -> int:
        """Bytes of codes and scales."""
        return self.codes.nbytes + self.scale.nbytes

    def rows(self, index: Tensor) -> Grouped8:
        """The same weight with its rows picked or reordered by ``index`` (int64)."""
        return Grouped8(self.codes[index], self.scale[index], self.group)

    def dequantize(self) -> Tensor:
        """float32 [rows, columns]."""
        rows, columns = self.shape
        q = self.codes.view(rows, columns // self.group, self.group).float()
        return (q * self.scale.float().unsqueeze(-1)).view(rows, columns)


Weight = Tensor | Grouped4 | Grouped8
"""A plain floating tensor of any rank, or a quantized matrix."""

PartDone = Callable[[], None] | None
"""What is called after some rows of a large matrix, whose pages may be given back."""


def dense(weight: Weight, dtype: torch.dtype = torch.float32) -> Tensor:
    """The weight as a plain tensor of ``dtype``."""
    return (weight if isinstance(weight, Tensor) else weight.dequantize()).to(dtype)


def pick_rows(weight: Weight, index: Tensor) -> Weight:
    """The weight with its rows picked or reordered by ``index`` (int64)."""
    return weight[index] if isinstance(weight, Tensor) else weight.rows(index)
