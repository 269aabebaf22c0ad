"""compressed-tensors: packed integers, plain int8 and plain FP8, as llm-compressor writes them.

``pack-quantized`` layers hold ``weight_packed`` (int32, consecutive inputs from the lowest bits up,
codes offset by half their range), ``weight_scale``, ``weight_shape`` and, when asymmetric,
``weight_zero_point`` packed along the outputs. ``int-quantized`` and ``float-quantized`` layers
keep a ``weight`` of the narrow type beside ``weight_scale``. This is also the layout that Inkstone
writes. Truth: the package's own decompression.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from engine.contract import EngineError, FaultKind
from engine.storage.quantization_config import Quantization
from engine.storage.safetensors_header import StoredTensor
from engine.storage.schemes import fp8
from engine.storage.schemes.claim import FLOATS, Claim, Fetch, Layer, as_rows, layers_with
from engine.storage.schemes.forms import (
    grouped4,
    grouped8,
    held_group,
    nibbles_of,
    recoded_affine,
    unpacked,
)
from engine.weights import Weight

_EXTRA = ("input_scale", "input_zero_point", "output_scale", "weight_g_idx")


def claims(
    stored: Mapping[str, StoredTensor], quantization: Quantization, path: Path, fetch: Fetch
) -> Iterator[Claim]:
    """A claim for every packed layer, every int8 layer and every FP8 layer."""
    for layer in layers_with(stored, "weight_packed", path):
        yield _packed(layer, quantization, fetch)
    for layer in layers_with(stored, "weight_scale", path):
        if layer.has("weight") and layer.tensors["weight"].dtype == "I8":
            yield _plain(layer)
    yield from fp8.claims(stored, quantization, path)


def _packed(layer: Layer, quantization: Quantization, fetch: Fetch) -> Claim:
    *lead, words = layer.need("weight_packed", "I32", least=2).shape
    if layer.has("weight_shape"):
        if layer.need("weight_shape", "I64", "I32", rank=1).shape[0] != len(lead) + 1:
            raise layer.misshapen("weight_shape", f"[{len(lead) + 1}]")
        shape = tuple(int(size) for size in fetch(layer.full("weight_shape")))
        bits = words * 32 // shape[-1] if shape and shape[-1] > 0 else 0
    else:
        bits = quantization.bits
        shape = (*lead, words * 32 // bits)
    if bits not in (2, 4, 8):
        raise EngineError(
            FaultKind.QUANTIZATION_UNSUPPORTED,
            path=str(layer.path),
            quantization=f"compressed-tensors {bits}-bit",
        )
    rows, columns = as_rows(shape)
    if [*lead, words] != [*shape[:-1], columns * bits // 32] or columns * bits % 32:
        raise layer.misshapen("weight_packed", f"{list(shape)} in {bits} bits")
    scales = layer.need("weight_scale", *FLOATS).shape
    groups = 1 if scales in ((), (1,)) else scales[-1]
    if columns % groups or (scales not in ((), (1,)) and as_rows(scales)[0] != rows):
        raise layer.misshapen("weight_scale", f"[{rows}, groups]")
    if layer.has("weight_g_idx"):
        layer.need("weight_g_idx", "I32", "I64")
        layer.check("weight_g_idx", (columns,))
    if layer.has("weight_zero_point"):
        packed = (*shape[:-2], -(-shape[-2] * bits // 32), groups)
        is_packed = layer.need("weight_zero_point").dtype == "I32"
        layer.check("weight_zero_point", *([packed] if is_packed else [scales, (rows, groups)]))
    read = _PackedReader(layer, bits, rows, columns, columns // groups)
    kinds = ("weight_packed", "weight_scale", "weight_shape", "weight_zero_point", *_EXTRA)
    return layer.claim("weight", shape, read, *kinds)


@dataclass(frozen=True, slots=True)
class _PackedReader:
    layer: Layer
    bits: int
    rows: int
    columns: int
    group: int

    def __call__(self, fetch: Fetch) -> Weight:
        words = fetch(self.layer.full("weight_packed")).flatten(0, -2)
        scale = _scale(self.layer, fetch, self.rows)
        zero = self._zero(fetch)
        held = held_group(self.group, self.columns)
        order = self._order(fetch)
        if order is None and self.bits < 8 and held is not None:
            if self.bits == 2 and zero is None:
                zero = torch.full_like(scale, 2)
            return grouped4(nibbles_of(words, self.bits), scale, zero, self.group, held)
        if order is None and self.bits == 8 and zero is None:
            codes = (unpacked(words, 8) ^ 128).view(torch.int8)
            return grouped8(codes, scale, self.group)
        if zero is None:
            zero = torch.full_like(scale, 1 << (self.bits - 1))
        if order is None:
            order = torch.arange(self.columns) // self.group
        return recoded_affine(lambda rows: unpacked(words[rows], self.bits), scale, zero, order)

    def _zero(self, fetch: Fetch) -> Tensor | None:
        """float32 [rows, groups], offset like the codes; None in the middle of the range."""
        if not self.layer.has("weight_zero_point"):
            return None
        stored, middle = fetch(self.layer.full("weight_zero_point")), 1 << (self.bits - 1)
        if stored.dtype == torch.int32:  # packed along the outputs
            outputs = self.layer.tensors["weight_packed"].shape[-2]
            zeros = unpacked(stored.transpose(-1, -2), self.bits)[..., :outputs]
            zero = zeros.transpose(-1, -2).flatten(0, -2).float()
        else:
            zero = _by_row(stored.float(), self.rows) + middle
        return None if bool((zero == middle).all()) else zero

    def _order(self, fetch: Fetch) -> Tensor | None:
        """Each column's group where columns were sorted ("actorder"), else None."""
        if not self.layer.has("weight_g_idx"):
            return None
        order = fetch(self.layer.full("weight_g_idx")).long()
        if bool((order == -1).all()):
            return None  # how some versions say that there is no order
        if torch.equal(order, torch.arange(self.columns) // self.group):
            return None
        if int(order.min()) < 0 or int(order.max()) >= self.columns // self.group:
            raise self.layer.misshapen("weight_g_idx", "places below the number of groups")
        return order


def _scale(layer: Layer, fetch: Fetch, rows: int) -> Tensor:
    """float32 [rows, groups]; one scale for all becomes one a row."""
    return _by_row(fetch(layer.full("weight_scale")).float(), rows)


def _by_row(values: Tensor, rows: int) -> Tensor:
    return values.reshape(1, 1).expand(rows, 1) if values.numel() == 1 else values.reshape(rows, -1)


def _plain(layer: Layer) -> Claim:
    shape = layer.need("weight", "I8", least=2).shape
    rows, columns = as_rows(shape)
    scales = layer.need("weight_scale", *FLOATS).shape
    groups = 1 if scales in ((), (1,)) else scales[-1]
    if columns % groups or (scales not in ((), (1,)) and as_rows(scales)[0] != rows):
        raise layer.misshapen("weight_scale", f"[{rows}, groups]")

    if layer.has("weight_zero_point"):
        layer.check("weight_zero_point", scales, (rows, groups))

    def read(fetch: Fetch) -> Weight:
        codes = fetch(layer.full("weight")).reshape(rows, columns)
        scale = _scale(layer, fetch, rows)
        zero = torch.zeros(rows, groups)
        if layer.has("weight_zero_point"):
            zero = _by_row(fetch(layer.full("weight_zero_point")).float(), rows)
        if not bool(zero.any()):
            return grouped8(codes, scale, columns // groups)
        order = torch.arange(columns) // (columns // groups)
        return recoded_affine(lambda some: codes[some], scale, zero, order)

    return layer.claim(
        "weight", shape, read, "weight", "weight_scale", "weight_zero_point", *_EXTRA
    )
