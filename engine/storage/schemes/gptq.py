"""GPTQ: codes packed along the inputs, a scale and a zero point for each group of them.

``w[i, o] = scales[g, o] * (q[i, o] - zero[g, o])`` with ``g = g_idx[i]``. The words of ``qweight``
[inputs x bits / 32, outputs] hold consecutive inputs from the lowest bits up, so that a
transposition gives canonical codes. With "act-order" inputs were sorted by importance before they
were grouped, and ``g_idx`` is no staircase: such weights are coded anew in 8 bits, because the
canonical forms have groups of neighbours only.
Source: AutoGPTQ's and GPTQModel's linear layers.
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
from engine.storage.schemes.forms import (
    grouped4,
    grouped8,
    held_group,
    nibbles_of,
    recoded_affine,
    unpacked,
)
from engine.weights import Weight


def claims(
    stored: Mapping[str, StoredTensor], quantization: Quantization, path: Path
) -> Iterator[Claim]:
    """A claim for every module with a ``qweight``."""
    for layer in layers_with(stored, "qweight", path):
        words, rows = layer.need("qweight", "I32", rank=2).shape
        columns = words * 32 // quantization.bits
        groups = layer.need("scales", *FLOATS, rank=2).shape[0]
        layer.check("scales", (groups, rows))
        layer.need("qzeros", "I32", rank=2)
        layer.check("qzeros", (groups, rows * quantization.bits // 32))
        if layer.has("g_idx"):
            layer.need("g_idx", "I32", "I64", rank=1)
            layer.check("g_idx", (columns,))
        read = _Reader(layer, quantization, rows, columns, groups)
        kinds = ("qweight", "qzeros", "scales", "g_idx")
        yield layer.claim("weight", (rows, columns), read, *kinds)


@dataclass(frozen=True, slots=True)
class _Reader:
    layer: Layer
    quantization: Quantization
    rows: int
    columns: int
    groups: int

    def __call__(self, fetch: Fetch) -> Weight:
        words = fetch(self.layer.full("qweight")).t()
        scale = fetch(self.layer.full("scales")).t().float()
        zero = self._zero(fetch)
        bits, group = self.quantization.bits, -(-self.columns // self.groups)
        order = self._order(fetch, group)
        held = held_group(group, self.columns)
        if order is None and bits < 8 and held is not None:
            return grouped4(nibbles_of(words, bits), scale, zero, group, held)
        if order is None and bits == 8 and bool((zero == 128).all()):
            return grouped8((unpacked(words, 8) ^ 128).view(torch.int8), scale, group)
        if order is None:
            order = torch.arange(self.columns) // group
        return recoded_affine(lambda rows: unpacked(words[rows], bits), scale, zero, order)

    def _zero(self, fetch: Fetch) -> Tensor:
        """float32 [rows, groups]."""
        zeros = unpacked(fetch(self.layer.full("qzeros")), self.quantization.bits)
        return zeros.t().float() + self.quantization.zero_offset

    def _order(self, fetch: Fetch, group: int) -> Tensor | None:
        """Each column's group, or None where groups are neighbours."""
        if not self.layer.has("g_idx"):
            return None
        order = fetch(self.layer.full("g_idx")).long()
        if torch.equal(order, torch.arange(self.columns) // group):
            return None
        if int(order.min()) < 0 or int(order.max()) >= self.groups:
            raise self.layer.misshapen("g_idx", f"places below {self.groups}")
        return order
