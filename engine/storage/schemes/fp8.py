"""FP8 weights with a scale for all, for each row, or for each block of rows and columns.

``w = weight * scale``, the scale named ``weight_scale_inv`` by DeepSeek and transformers and
``weight_scale`` by others. FP8 values have no common step, so they are coded anew in 8 bits. In
E4M3 a value near the largest of its 32 neighbours is off by up to a sixteenth of itself, in the
new code by a 254th; only values below a sixteenth of the largest, which FP8 holds more finely, are
held more coarsely. On normally distributed weights the new error is a fifth of FP8's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from engine.storage.quantization_config import Quantization
from engine.storage.safetensors_header import StoredTensor
from engine.storage.schemes.claim import FLOATS, Claim, Fetch, Layer, as_rows, layers_with
from engine.storage.schemes.forms import recoded
from engine.weights import Weight

_TYPES = ("F8_E4M3", "F8_E5M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ")
_SCALES = ("weight_scale_inv", "weight_scale")
_SCALE_TYPES = (*FLOATS, "F8_E8M0")
_EXTRA = ("input_scale", "input_scale_ub", "activation_scale")


def claims(
    stored: Mapping[str, StoredTensor], quantization: Quantization, path: Path
) -> Iterator[Claim]:
    """A claim for every module with an FP8 ``weight`` and a scale."""
    for layer in layers_with(stored, "weight", path):
        if layer.tensors["weight"].dtype not in _TYPES:
            continue
        kind = next((kind for kind in _SCALES if layer.has(kind)), _SCALES[0])
        shape = layer.tensors["weight"].shape
        block = _block(layer, kind, quantization.block)
        yield layer.claim("weight", shape, _Reader(layer, kind, block), "weight", kind, *_EXTRA)


def _block(layer: Layer, kind: str, stated: tuple[int, int] | None) -> tuple[int, int]:
    """Rows and columns that share a scale, by the shapes where the config does not say."""
    shape = layer.need("weight", *_TYPES, least=2).shape
    scales = layer.need(kind, *_SCALE_TYPES).shape
    rows, columns = shape[-2:]
    if len(scales) < 2:
        layer.check(kind, (), (1,), (rows,))
        grid = (rows if scales == (rows,) else 1, 1)
    else:
        grid = (scales[-2], scales[-1])
        if scales[:-2] not in ((), shape[:-2]):
            raise layer.misshapen(kind, f"{list(shape[:-2])} stacked")
    if grid in ((1, 1), (rows, 1)):
        return rows // grid[0], columns
    block = stated or (-(-rows // max(1, grid[0])), -(-columns // max(1, grid[1])))
    expected = (-(-rows // block[0]), -(-columns // block[1]))
    if grid != expected:
        raise layer.misshapen(kind, f"{list(expected)} blocks of {list(block)}")
    return block


@dataclass(frozen=True, slots=True)
class _Reader:
    layer: Layer
    kind: str
    block: tuple[int, int]

    def __call__(self, fetch: Fetch) -> Weight:
        weight = fetch(self.layer.full("weight"))
        scale = self._scale(fetch(self.layer.full(self.kind)), weight)
        rows, columns = as_rows(tuple(weight.shape))
        flat = weight.reshape(rows, columns)
        wide = self.block[1]

        def values(span: slice) -> Tensor:
            factor = scale[span].repeat_interleave(wide, dim=1)[:, :columns]
            return flat[span].float() * factor

        return recoded(rows, columns, values)

    def _scale(self, scale: Tensor, weight: Tensor) -> Tensor:
        """float32 [rows of all leading dimensions, column blocks]."""
        rows = weight.shape[-2]
        if scale.dim() < 2:
            scale = scale.reshape(-1, 1)
        scale = scale.float().expand(*weight.shape[:-2], *scale.shape[-2:])
        return scale.repeat_interleave(self.block[0], dim=-2)[..., :rows, :].flatten(0, -2)
