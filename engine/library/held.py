"""What weights take in memory, which is not what they take in a file."""

from __future__ import annotations

from engine.storage.ggml_types import GGML_TYPES, GgmlType

SAFETENSORS = "safetensors"
"""What stands for a quantization's label where the files are no GGUF files."""

# What is read as 8 bits and fits in fewer: the CPU kernels keep the narrowest record.
_NARROWER = {"Q5_0": 5.5, "Q6_K": 7.0}


def held_bits(kind: GgmlType) -> float:
    """Bits that a value takes in memory, scales included; 16 for types that are not read."""
    return _NARROWER.get(kind.name, kind.held_bits or 16)


def held_size(size: int, label: str) -> int:
    """Bytes of weights whose files are not here yet: of Q5_K, for one, half as much again.

    Args:
        size: bytes of the files.
        label: "Q4_K_M": all of it is taken for what most of it is; ``SAFETENSORS`` and labels that
            name no type are taken to be held as they are stored.
    """
    named = [kind for kind in GGML_TYPES.values() if kind.held_bits and kind.name in label.upper()]
    if not named:
        return size
    kind = max(named, key=lambda each: len(each.name))
    return round(size * held_bits(kind) * kind.values / (kind.bytes * 8))
