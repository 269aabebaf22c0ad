"""Rounded matrices in compressed-tensors' pack-quantized layout, by the package's own classes.

Scales without zero points: transformers 5.24 with compressed-tensors 0.20 expects zero points in
another shape than the package's compressor writes them, so that no checkpoint with them loads.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from engine.library.recipes import Scheme
from engine.quantization.names import module_of
from engine.quantization.rounding import Rounded

_CHUNK = 1 << 22  # values

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its own imports warn
    from compressed_tensors.compressors.pack_quantized import pack_to_int32
    from compressed_tensors.quantization import (
        QuantizationArgs,
        QuantizationConfig,
        QuantizationScheme,
    )


def packed(name: str, rounded: Rounded, scheme: Scheme) -> dict[str, Tensor]:
    """What is stored of a matrix, by full names.

    Some rows at a time: packing takes eight times their bytes.
    """
    step = max(1, _CHUNK // rounded.codes.shape[1])
    words = [pack_to_int32(rows, scheme.bits) for rows in torch.split(rounded.codes, step)]
    module = module_of(name)
    return {
        f"{module}.weight_packed": torch.cat(words),
        f"{module}.weight_scale": rounded.scale.contiguous(),
        f"{module}.weight_shape": torch.tensor(rounded.codes.shape),
    }


def quantization_config(schemes: Mapping[str, Scheme], kept: list[str]) -> dict[str, Any]:
    """The ``quantization_config`` of ``config.json``, checked by the package's own classes.

    Args:
        schemes: of each rounded weight, by its full name.
        kept: modules that are linear maps and stay as they are.
    """
    groups = {
        f"group_{number}": _scheme(
            scheme, [module_of(name) for name, one in schemes.items() if one == scheme]
        )
        for number, scheme in enumerate(
            sorted(set(schemes.values()), key=lambda s: (s.bits, s.group))
        )
    }
    config = QuantizationConfig(
        config_groups=groups,
        ignore=kept,
        format="pack-quantized",
        quantization_status="compressed",
    )
    values: dict[str, Any] = config.model_dump(mode="json")
    return values


def _scheme(scheme: Scheme, targets: list[str]) -> QuantizationScheme:
    weights = QuantizationArgs(
        num_bits=scheme.bits, symmetric=True, strategy="group", group_size=scheme.group
    )
    return QuantizationScheme(targets=targets, weights=weights)
