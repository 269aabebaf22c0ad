"""What ``config.json`` says about how the weights were quantized. Standard library only.

The library of models asks whether a checkpoint can be read, the readers in ``schemes`` how.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from engine.contract import EngineError, FaultKind


class Method(StrEnum):
    """The layouts that ``schemes`` reads, by the names that checkpoints give them."""

    GPTQ = "gptq"
    AWQ = "awq"
    COMPRESSED = "compressed-tensors"
    FP8 = "fp8"
    BITSANDBYTES = "bitsandbytes"
    MXFP4 = "mxfp4"


@dataclass(frozen=True, slots=True)
class Quantization:
    """How a checkpoint was quantized.

    Attributes:
        method: whose layout the tensors have.
        bits: of a weight; where layers differ (compressed-tensors), of the first kind.
        zero_offset: GPTQ's first version stores zero points less one.
        block: (rows, columns) that share a scale of FP8; None where the shapes say it.
        kinds: bits of modules by their names, where layers differ.
        patterns: regular expressions of such names, with bits.
    """

    method: Method
    bits: int
    zero_offset: int = 0
    block: tuple[int, int] | None = None
    kinds: Mapping[str, int] = field(default_factory=dict)
    patterns: tuple[tuple[str, int], ...] = ()

    def bits_of(self, module: str) -> int:
        """Bits of a module's weight."""
        if module in self.kinds:
            return self.kinds[module]
        return next((bits for each, bits in self.patterns if _matches(each, module)), self.bits)

    @property
    def label(self) -> str:
        """For people: ``gptq-4bit``, ``fp8``."""
        if self.method in {Method.FP8, Method.MXFP4}:
            return str(self.method)
        return f"{self.method}-{self.bits}bit"


_SYNONYMS = {"fbgemm_fp8": Method.FP8}
_PACKED_BITS = (2, 4, 8)
_PATTERN = "re:"
_COMPRESSED_FORMATS = frozenset(
    {"pack-quantized", "int-quantized", "float-quantized", "naive-quantized", "dense"}
)


def read_quantization(config: Mapping[str, Any], path: Path) -> Quantization | None:
    """How the checkpoint with this ``config.json`` was quantized; None for a plain one.

    Raises:
        EngineError: ``QUANTIZATION_UNSUPPORTED``, with the method's and the bits' names.
    """
    table = _table(config)
    if not table:
        return None
    name = str(table.get("quant_method", ""))
    method = _SYNONYMS.get(name) or next((m for m in Method if m == name), None)
    if method is None:
        raise _unsupported(path, name or "unnamed")
    return _READERS[method](table, path)


def _table(config: Mapping[str, Any]) -> Mapping[str, Any]:
    text = config.get("text_config")
    inner = text.get("quantization_config") if isinstance(text, Mapping) else None
    table = config.get("quantization_config") or config.get("compression_config") or inner
    return table if isinstance(table, Mapping) else {}


def _bits(table: Mapping[str, Any], name: str, known: tuple[int, ...], path: Path) -> int:
    bits = table.get("bits", table.get("w_bit"))
    if type(bits) is not int or bits not in known:
        raise _unsupported(path, f"{name} {bits} bit")
    return bits


def _gptq(table: Mapping[str, Any], path: Path) -> Quantization:
    offset = 0 if table.get("checkpoint_format") == "gptq_v2" else 1
    return Quantization(Method.GPTQ, _bits(table, "gptq", _PACKED_BITS, path), offset)


def _awq(table: Mapping[str, Any], path: Path) -> Quantization:
    version = str(table.get("version", "gemm")).lower()
    if version != "gemm":
        raise _unsupported(path, f"awq {version}")
    return Quantization(Method.AWQ, _bits(table, "awq", (4,), path))


def _fp8(table: Mapping[str, Any], _: Path) -> Quantization:
    return Quantization(Method.FP8, 8, block=_block(table.get("weight_block_size")))


def _bitsandbytes(table: Mapping[str, Any], _: Path) -> Quantization:
    return Quantization(Method.BITSANDBYTES, 4 if table.get("load_in_4bit") else 8)


def _mxfp4(_: Mapping[str, Any], __: Path) -> Quantization:
    return Quantization(Method.MXFP4, 4)


def _compressed(table: Mapping[str, Any], path: Path) -> Quantization:
    groups = list(_groups(table))
    sparsity = table.get("sparsity_config")
    formats = {str(f) for group in groups if (f := group.get("format") or table.get("format"))}
    if isinstance(sparsity, Mapping) and sparsity.get("format", "dense") != "dense":
        formats.add(str(sparsity["format"]))
    unknown = sorted(formats - _COMPRESSED_FORMATS)
    if unknown:
        raise _unsupported(path, f"compressed-tensors {unknown[0]}")
    weights = [w for group in groups if isinstance(w := group.get("weights"), Mapping)]
    bits = [b for w in weights if type(b := w.get("num_bits")) is int]
    blocks = [block for w in weights if (block := _block(w.get("block_structure")))]
    return Quantization(
        Method.COMPRESSED,
        bits[0] if bits else 8,
        block=blocks[0] if blocks else None,
        kinds={target: n for target, n in _targets(groups) if not target.startswith(_PATTERN)},
        patterns=tuple(
            (target.removeprefix(_PATTERN), n)
            for target, n in _targets(groups)
            if target.startswith(_PATTERN)
        ),
    )


def _targets(groups: list[Mapping[str, Any]]) -> Iterator[tuple[str, int]]:
    for group in groups:
        weights, targets = group.get("weights"), group.get("targets")
        bits = weights.get("num_bits") if isinstance(weights, Mapping) else None
        if type(bits) is int and isinstance(targets, list):
            yield from ((str(target), bits) for target in targets)


def _matches(pattern: str, module: str) -> bool:
    try:
        return re.match(pattern, module) is not None
    except re.error:
        return False


def _groups(table: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    groups = table.get("config_groups")
    for group in groups.values() if isinstance(groups, Mapping) else ():
        if isinstance(group, Mapping):
            yield group


def _block(value: Any) -> tuple[int, int] | None:
    if isinstance(value, list) and len(value) == 2 and all(type(n) is int and n > 0 for n in value):
        return value[0], value[1]
    return None


def _unsupported(path: Path, quantization: str) -> EngineError:
    return EngineError(
        FaultKind.QUANTIZATION_UNSUPPORTED, path=str(path), quantization=quantization
    )


_READERS: dict[Method, Callable[[Mapping[str, Any], Path], Quantization]] = {
    Method.GPTQ: _gptq,
    Method.AWQ: _awq,
    Method.COMPRESSED: _compressed,
    Method.FP8: _fp8,
    Method.BITSANDBYTES: _bitsandbytes,
    Method.MXFP4: _mxfp4,
}
