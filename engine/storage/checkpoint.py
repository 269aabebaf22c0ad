"""What every file format offers: names, shapes and weights, read one at a time.

Standard library only, so that code which merely names the type loads no torch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from engine.weights import Weight


class Checkpoint(Protocol):
    """An open checkpoint. Opening reads the header only; a weight's bytes are read by ``read``.

    Attributes:
        path: the file or folder that was opened.
        format: "gguf" or "safetensors".
        metadata: GGUF's key/values (arrays are read whenever they are asked for), or the content of
            ``config.json``.
    """

    path: Path
    format: str
    metadata: Mapping[str, Any]

    def names(self) -> Sequence[str]:
        """The weights' names, in file order; a quantized matrix counts once, under its own name."""
        ...

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape in PyTorch's order (a matrix is [rows, columns]).

        Raises:
            EngineError: ``TENSOR_MISSING``.
        """
        ...

    def read(self, name: str) -> Weight:
        """The weight in its canonical form (see ``engine/weights.py``).

        A plain tensor may be a view of the mapped file: it must not be written to. A quantized
        weight with more than two dimensions (experts) comes as one matrix, its leading dimensions
        laid end to end as rows.

        Raises:
            EngineError: ``TENSOR_MISSING``, ``QUANTIZATION_UNSUPPORTED``, ``FILE_TRUNCATED``.
        """
        ...

    def nbytes(self, name: str) -> int:
        """Bytes that the weight takes in the file.

        Raises:
            EngineError: ``TENSOR_MISSING``.
        """
        ...

    def release(self) -> None:
        """Give mapped pages back, which count as memory of this process; nothing else changes.

        A job that reads a large model once, part by part, calls it between the parts.
        """
        ...

    def release_in_use(self) -> None:
        """Give back pages of tensors that are being read too: who goes on reads the file again.

        Where something was written into such a tensor, that is lost.
        """
        ...

    def close(self) -> None:
        """Let go of the file. Tensors that were read stay valid."""
        ...
