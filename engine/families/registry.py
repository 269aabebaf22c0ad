"""Which family builds which checkpoint: one row an architecture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.contract.faults import EngineError, FaultKind
from engine.families import gemma3, llama, qwen2
from engine.families.config import Config
from engine.families.gguf import GgufLayout, architecture_of, gguf_view
from engine.families.model import Model
from engine.families.view import CheckpointView, plain_view
from engine.families.weights_in import Progress, Reader, Survey, WeightsIn
from engine.kernels.interface import Kernels
from engine.layers.decoder import Decoder
from engine.storage.checkpoint import Checkpoint

__all__ = ["FAMILIES", "Family", "Model", "build", "model_config"]


@dataclass(frozen=True, slots=True)
class Family:
    """One architecture.

    Attributes:
        model_types: ``model_type`` of Hugging Face's configurations that it builds.
        build: from a configuration and weights, for sequences of at most so many tokens.
        gguf: llama.cpp's names of the architecture.
        layout: how llama.cpp stores it; None where it does not.
    """

    model_types: tuple[str, ...]
    build: Callable[[Config, WeightsIn, int], Decoder]
    gguf: tuple[str, ...] = ()
    layout: GgufLayout | None = None


FAMILIES = (
    Family(("llama", "mistral"), llama.build, ("llama",), llama.GGUF),
    Family(("qwen2",), qwen2.build, ("qwen2",), qwen2.GGUF),
    Family(("gemma3_text", "gemma3"), gemma3.build, ("gemma3",), gemma3.GGUF),
)


def model_config(checkpoint: Checkpoint) -> dict[str, Any]:
    """The language model's configuration in Hugging Face's keys.

    Raises:
        EngineError: ``ARCHITECTURE_UNKNOWN``.
    """
    return dict(_view(checkpoint)[1].metadata)


def build(
    checkpoint: Checkpoint, kernels: Kernels, progress: Progress, context: int | None = None
) -> Model:
    """Read a model.

    Args:
        checkpoint: stays open as long as the model lives: plain tensors may be views of its file.
        kernels: what will compute.
        progress: called with (bytes read, bytes to read).
        context: longest sequence that will be run; None is what the model was made for. Rotary
            forms that change with the length (dynamic NTK, LongRoPE) are settled by it.

    Raises:
        EngineError: ``ARCHITECTURE_UNKNOWN``, ``CONFIG_INVALID``, ``TENSOR_MISSING``,
            ``TENSOR_SHAPE``, all before any weight is read.
    """
    family, view = _view(checkpoint)
    config = Config(view.metadata, checkpoint.path)
    longest = config.count("max_position_embeddings", 2048) if context is None else context
    survey = Survey(view, kernels)
    family.build(config, survey, longest)
    total = survey.file_bytes
    progress(0, total)
    model = family.build(config, Reader(view, kernels, progress, total), longest)
    progress(total, total)
    return model


def _view(checkpoint: Checkpoint) -> tuple[Family, CheckpointView]:
    if checkpoint.format == "gguf":
        architecture = architecture_of(checkpoint)
        for family in FAMILIES:
            if family.layout is not None and architecture in family.gguf:
                return family, gguf_view(checkpoint, family.layout, family.model_types[0])
    else:
        view = plain_view(checkpoint)
        architecture = str(view.metadata.get("model_type", ""))
        for family in FAMILIES:
            if architecture in family.model_types:
                return family, view
    raise EngineError(
        FaultKind.ARCHITECTURE_UNKNOWN, path=str(checkpoint.path), architecture=architecture
    )
