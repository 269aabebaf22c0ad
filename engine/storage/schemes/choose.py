"""Which reader claims the tensors of a quantized checkpoint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import assert_never

from engine.storage.quantization_config import Method, Quantization
from engine.storage.safetensors_header import StoredTensor
from engine.storage.schemes import awq, bitsandbytes, compressed, fp8, gptq, mxfp4
from engine.storage.schemes.claim import Claim, Fetch


def find_claims(
    stored: Mapping[str, StoredTensor], quantization: Quantization, path: Path, fetch: Fetch
) -> Iterable[Claim]:
    """The quantized weights among these tensors; what nobody claims is plain.

    Raises:
        EngineError: ``TENSOR_MISSING``, ``TENSOR_SHAPE``, ``FILE_DAMAGED``,
            ``QUANTIZATION_UNSUPPORTED`` for parts that do not make up a weight.
    """
    match quantization.method:
        case Method.GPTQ:
            return gptq.claims(stored, quantization, path)
        case Method.AWQ:
            return awq.claims(stored, quantization, path)
        case Method.COMPRESSED:
            return compressed.claims(stored, quantization, path, fetch)
        case Method.FP8:
            return fp8.claims(stored, quantization, path)
        case Method.BITSANDBYTES:
            return bitsandbytes.claims(stored, path, fetch)
        case Method.MXFP4:
            return mxfp4.claims(stored, path)
    assert_never(quantization.method)
