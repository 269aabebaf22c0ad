"""MXFP4 experts as gpt-oss stores them: ``_blocks`` of FP4 pairs and ``_scales`` of exponents.

``gate_up_proj_blocks`` [experts, rows, groups, 16] and ``gate_up_proj_scales`` [experts, rows,
groups] are one weight ``gate_up_proj`` [experts, rows, columns]: columns are the inputs (the
16-bit checkpoints of transformers have it the other way round). Neighbours share a byte, the first
in its low nibble. Exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from engine.storage.microscaling import FP4_CODES, HALVED_POWERS, look_up_pairs
from engine.storage.safetensors_header import StoredTensor
from engine.storage.scales import compact
from engine.storage.schemes.claim import Claim, Fetch, Layer
from engine.weights import Grouped8, Weight

_BLOCKS, _SCALES = "_blocks", "_scales"


def claims(stored: Mapping[str, StoredTensor], path: Path) -> Iterator[Claim]:
    """A claim for every pair of blocks and scales."""
    for name in stored:
        if not name.endswith(_BLOCKS):
            continue
        stem = name.removesuffix(_BLOCKS)
        found = {end: stored[stem + end] for end in (_BLOCKS, _SCALES) if stem + end in stored}
        layer = _Pair(path, stem, found)
        *lead, groups, width = layer.need(_BLOCKS, "U8", least=3).shape
        if width != 16 or not lead:
            raise layer.misshapen(_BLOCKS, "[…, groups, 16]")
        layer.need(_SCALES, "U8", "F8_E8M0")
        layer.check(_SCALES, (*lead, groups))
        parts = (stem + _BLOCKS, stem + _SCALES)
        yield Claim(stem, (*lead, groups * 32), parts, _reader(*parts))


class _Pair(Layer):
    """Two tensors whose names differ in their last word, not in what follows a dot."""

    def full(self, kind: str) -> str:
        """The full name of the tensor that ends in ``kind``."""
        return self.name + kind


def _reader(blocks: str, scales: str) -> Callable[[Fetch], Weight]:
    def read(fetch: Fetch) -> Weight:
        packed = fetch(blocks).flatten(-2).flatten(0, -2)  # [rows, columns / 2]
        codes = look_up_pairs(packed, FP4_CODES, high_first=False)
        exponents = fetch(scales).flatten(0, -2)
        scale, _ = compact(HALVED_POWERS[exponents.int()])
        return Grouped8(codes, scale, 32)

    return read
