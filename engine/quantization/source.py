"""The model that a smaller copy is made of, in the names and keys of Hugging Face."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from engine.contract import EngineError, FaultKind
from engine.storage.checkpoint import Checkpoint
from engine.weights import Weight, dense


@dataclass(frozen=True, slots=True)
class Source:
    """An open model.

    Attributes:
        path: where it lies.
        checkpoint: its tensors, by Hugging Face's names.
        values: what ``config.json`` of the copy holds beside the quantization.
        config: transformers' configuration; None where transformers does not know the model.
        ids: int64 [sequences, tokens], the text that it is calibrated on.
        write_text: writes tokenizer and chat template into a folder.
        stamp: tells whether the weights' files are still the same.
        calibration: the text's file; None: the program's own.
    """

    path: Path
    checkpoint: Checkpoint
    values: dict[str, Any]
    config: Any
    ids: Tensor
    write_text: Callable[[Path], None]
    stamp: str
    calibration: Path | None = None

    @property
    def kind(self) -> str:
        """The architecture."""
        return str(self.values.get("model_type", ""))

    @property
    def reading(self) -> str:
        """Tells whether the same text would be read in the same way: a hash of ids and settings."""
        settings = json.dumps(self.values, sort_keys=True, default=str)
        found = hashlib.sha256(settings.encode("utf-8"))
        found.update(self.ids.contiguous().numpy().tobytes())
        return found.hexdigest()

    @property
    def norms_hold_less(self) -> bool:
        """Whether norms of ``1 + w`` are stored as ``w``."""
        return self.kind in {"gemma", "gemma2", "gemma3", "gemma3_text"}

    @property
    def tied(self) -> bool:
        """Whether the head is the embedding."""
        return not any(name.endswith("lm_head.weight") for name in self.checkpoint.names())

    @property
    def scale_dtype(self) -> torch.dtype:
        """Scales are stored as the model's other weights are, in 16 bits."""
        return torch.float16 if self.dtype == "float16" else torch.bfloat16

    @property
    def dtype(self) -> str:
        """The type that the model computes in, by its configuration."""
        found = self.values.get("dtype") or self.values.get("torch_dtype") or "bfloat16"
        return str(found).removeprefix("torch.")

    def float(self, name: str) -> Tensor:
        """A tensor as float32."""
        return dense(self.checkpoint.read(name)).view(self.checkpoint.shape(name))

    def plain(self, name: str) -> Tensor:
        """A tensor that stays as it is; what a GGUF file holds rounded or in 32 bits, in 16."""
        weight = self.checkpoint.read(name)
        if isinstance(weight, Tensor) and self.checkpoint.format == "safetensors":
            return weight
        wanted = {"float16": torch.float16, "float32": torch.float32}.get(self.dtype)
        return dense(weight, wanted or torch.bfloat16).view(self.checkpoint.shape(name))

    def rows(self, name: str, index: Tensor) -> Tensor:
        """Some rows of a matrix as float32; the others are not read where the file is mapped."""
        weight: Weight = self.checkpoint.read(name)
        return dense(weight[index] if isinstance(weight, Tensor) else weight.rows(index))

    def unsupported(self, detail: str) -> EngineError:
        """The fault for a form of weights that cannot be made or read."""
        return EngineError(
            FaultKind.QUANTIZATION_UNSUPPORTED, path=str(self.path), quantization=detail
        )
