"""AWQ ("gemm" layout): codes packed along the outputs, in an order that suits GPU kernels.

``w[i, o] = scales[i // group, o] * (q[i, o] - zero[i // group, o])``. Nibble k of a word of
``qweight`` [inputs, outputs / 8] is output ``_ORDER[k]`` of its eight.
Source: AutoAWQ's packing (``WQLinear_GEMM``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from engine.storage.quantization_config import Quantization
from engine.storage.safetensors_header import StoredTensor
from engine.storage.schemes.claim import FLOATS, Claim, Fetch, Layer, layers_with
from engine.storage.schemes.forms import grouped4, held_group, recoded_affine, unpacked
from engine.weights import Weight

_ORDER = (0, 2, 4, 6, 1, 3, 5, 7)
_PLACES = torch.tensor(_ORDER).argsort()  # which nibble output k of eight is
_CHUNK = 256  # outputs at a time, a multiple of 8


def claims(
    stored: Mapping[str, StoredTensor], quantization: Quantization, path: Path
) -> Iterator[Claim]:
    """A claim for every module with a ``qweight``."""
    for layer in layers_with(stored, "qweight", path):
        columns, words = layer.need("qweight", "I32", rank=2).shape
        rows = words * 32 // quantization.bits
        groups = layer.need("scales", *FLOATS, rank=2).shape[0]
        layer.check("scales", (groups, rows))
        layer.need("qzeros", "I32", rank=2)
        layer.check("qzeros", (groups, words))
        if columns % groups:
            raise layer.misshapen("scales", f"a divisor of {columns} rows")
        read = _Reader(layer, rows, columns, columns // groups)
        yield layer.claim("weight", (rows, columns), read, "qweight", "qzeros", "scales")


@dataclass(frozen=True, slots=True)
class _Reader:
    layer: Layer
    rows: int
    columns: int
    group: int

    def __call__(self, fetch: Fetch) -> Weight:
        words = fetch(self.layer.full("qweight"))
        scale = fetch(self.layer.full("scales")).t().float()
        zero = _in_order(fetch(self.layer.full("qzeros"))).t()
        held = held_group(self.group, self.columns)
        if held is None:
            order = torch.arange(self.columns) // self.group
            whole = _in_order(words).t()
            return recoded_affine(lambda rows: whole[rows], scale, zero.float(), order)
        return grouped4(self._codes(words), scale, zero, self.group, held)

    def _codes(self, words: Tensor) -> Tensor:
        """Canonical pairs of columns, for some outputs at a time."""
        codes = torch.empty((self.rows, self.columns // 2), dtype=torch.uint8)
        for first in range(0, self.rows, _CHUNK):
            some = _in_order(words[:, first // 8 : (first + _CHUNK) // 8]).t()
            codes[first : first + _CHUNK] = some[:, 0::2] | some[:, 1::2] << 4
        return codes


def _in_order(words: Tensor) -> Tensor:
    """int32 [inputs, outputs / 8] -> uint8 [inputs, outputs]."""
    eights = unpacked(words, 4).view(len(words), -1, 8)
    return eights.index_select(2, _PLACES).flatten(1)
