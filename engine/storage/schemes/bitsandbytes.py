"""bitsandbytes: places in a table of sixteen numbers (nf4, fp4), or int8 with a scale for each row.

A 4-bit ``weight`` is a flat run of bytes, the first value in the high nibble. Its table lies beside
it (``weight.quant_map``), as do the largest magnitude of each block of values
(``weight.absmax``, itself perhaps quantized) and a JSON text with shape and block sizes, stored as
bytes (``weight.quant_state.bitsandbytes__nf4``). The table's numbers are coded in 8 bits: rounded
to a 127th of the block's largest, where neighbours in the table lie a twelfth apart and more.
Source: bitsandbytes' ``QuantState``; its own package is not needed, and not used.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import gcd, prod
from pathlib import Path

import torch
from torch import Tensor

from engine.contract import EngineError, FaultKind
from engine.storage.microscaling import look_up_pairs
from engine.storage.safetensors_header import StoredTensor
from engine.storage.scales import compact
from engine.storage.schemes.claim import FLOATS, Claim, Fetch, Layer, layers_with
from engine.storage.schemes.forms import grouped8, held_group
from engine.weights import Grouped8, Weight

_STATES = ("quant_state.bitsandbytes__nf4", "quant_state.bitsandbytes__fp4")
_KINDS = ("absmax", "quant_map", "nested_absmax", "nested_quant_map", *_STATES)


def claims(stored: Mapping[str, StoredTensor], path: Path, fetch: Fetch) -> Iterator[Claim]:
    """A claim for every 4-bit weight with its state, and for every int8 weight with ``SCB``."""
    for layer in layers_with(stored, "SCB", path):
        rows, columns = layer.need("weight", "I8", rank=2).shape
        layer.need("SCB", *FLOATS, rank=1)
        layer.check("SCB", (rows,))
        yield layer.claim("weight", (rows, columns), _rows(layer), "weight", "SCB", "weight_format")
    for name, tensor in stored.items():
        state = next((kind for kind in _STATES if f"{name}.{kind}" in stored), None)
        if state is not None:
            yield _table_coded(name, tensor, stored, state, path, fetch)


def _rows(layer: Layer) -> Callable[[Fetch], Weight]:
    def read(fetch: Fetch) -> Weight:
        codes = fetch(layer.full("weight"))
        scale = fetch(layer.full("SCB")).float().unsqueeze(1) / 127
        return grouped8(codes, scale, codes.shape[1])

    return read


@dataclass(frozen=True, slots=True)
class _State:
    """What the JSON text says."""

    shape: tuple[int, int]
    block: int
    nested_block: int
    nested_offset: float


def _table_coded(
    name: str,
    tensor: StoredTensor,
    stored: Mapping[str, StoredTensor],
    state: str,
    path: Path,
    fetch: Fetch,
) -> Claim:
    beside = {kind: stored[f"{name}.{kind}"] for kind in _KINDS if f"{name}.{kind}" in stored}
    layer = Layer(path, name, beside)
    told = _read_state(layer, state, fetch)
    values = prod(told.shape)
    if tensor.nbytes * 2 != values or tensor.dtype != "U8":
        raise EngineError(
            FaultKind.TENSOR_SHAPE,
            path=str(path),
            tensor=name,
            shape=str(list(tensor.shape)),
            expected=f"{values // 2} bytes",
        )
    layer.need("quant_map", *FLOATS, rank=1)
    layer.check("quant_map", (16,))
    blocks = -(-values // told.block)
    is_nested = layer.need("absmax", "U8", *FLOATS).dtype == "U8"
    layer.check("absmax", (blocks,))
    if is_nested:
        layer.need("nested_absmax", *FLOATS)
        layer.check("nested_absmax", (-(-blocks // told.nested_block),))
        layer.need("nested_quant_map", *FLOATS)
        layer.check("nested_quant_map", (256,))
    parts = (name, *(layer.full(kind) for kind in beside))
    return Claim(name, told.shape, parts, _TableReader(layer, told, is_nested))


def _read_state(layer: Layer, kind: str, fetch: Fetch) -> _State:
    raw = fetch(layer.full(kind))
    try:
        content = json.loads(bytes(raw.tolist()).decode())
        rows, columns = (int(size) for size in content["shape"])
        state = _State(
            (rows, columns),
            int(content["blocksize"]),
            int(content.get("nested_blocksize", 256)),
            float(content.get("nested_offset", 0.0)),
        )
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise EngineError(
            FaultKind.FILE_DAMAGED, path=str(layer.path), detail=f"{layer.full(kind)}: {error!r}"
        ) from error
    if min(*state.shape, state.block, state.nested_block) < 1 or columns % 2:
        raise EngineError(
            FaultKind.FILE_DAMAGED, path=str(layer.path), detail=f"{layer.full(kind)}: {state}"
        )
    return state


@dataclass(frozen=True, slots=True)
class _TableReader:
    layer: Layer
    state: _State
    is_nested: bool

    def __call__(self, fetch: Fetch) -> Weight:
        rows, columns = self.state.shape
        table = fetch(self.layer.full("quant_map")).float()
        largest = float(table.abs().max()) or 1.0
        table = (table * (127 / largest)).round().to(torch.int8)
        packed = fetch(self.layer.name).view(rows, columns // 2)
        codes = look_up_pairs(packed, table, high_first=True)
        group = held_group(self.state.block, columns) or gcd(self.state.block, columns)
        starts = torch.arange(0, rows * columns, group) // self.state.block
        scale = (self._largest(fetch)[starts] * (largest / 127)).view(rows, columns // group)
        if group % 16:
            return grouped8(codes, scale, group)
        return Grouped8(codes, compact(scale)[0], group)

    def _largest(self, fetch: Fetch) -> Tensor:
        """float32, the largest magnitude of each block."""
        largest = fetch(self.layer.full("absmax"))
        if not self.is_nested:
            return largest.float()
        table = fetch(self.layer.full("nested_quant_map")).float()
        outer = fetch(self.layer.full("nested_absmax")).float()
        wide = outer[torch.arange(largest.numel()) // self.state.nested_block]
        return table[largest.long()] * wide + self.state.nested_offset
