"""Open whatever was downloaded."""

from __future__ import annotations

from pathlib import Path

from engine.storage.checkpoint import Checkpoint
from engine.storage.gguf_checkpoint import GgufCheckpoint
from engine.storage.model_folder import GGUF, format_of
from engine.storage.safetensors_checkpoint import SafetensorsCheckpoint


def open_checkpoint(path: Path) -> Checkpoint:
    """Open a GGUF file, a folder with safetensors and ``config.json``, or a safetensors file.

    Only headers are read.

    Raises:
        EngineError: ``FILE_MISSING``, ``FILE_UNREADABLE``, ``FORMAT_UNSUPPORTED``,
            ``FILE_TRUNCATED``, ``FILE_DAMAGED``, ``QUANTIZATION_UNSUPPORTED``,
            ``PICKLE_REFUSED``, ``CONFIG_INVALID``, ``TENSOR_MISSING`` (an index that names a
            tensor no shard holds).
    """
    return GgufCheckpoint(path) if format_of(path) == GGUF else SafetensorsCheckpoint(path)
