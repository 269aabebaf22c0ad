"""Which family builds which checkpoint: one row an architecture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from engine.families import (
    baichuan,
    deepseek,
    gemma,
    glm,
    gpt_oss,
    granite,
    internlm2,
    llama,
    mixtral,
    olmo2,
    phi3,
    qwen2,
    qwen3,
    qwen_moe,
    smollm3,
    stablelm,
)
from engine.families.compatible.loading import load_compatible
from engine.families.config import Config
from engine.families.gguf import GgufLayout, architecture_of, gguf_view
from engine.families.model import Model
from engine.families.spread import Spread
from engine.families.view import CheckpointView, flat_config, plain_view
from engine.families.weights_in import Progress, Reader, Survey, WeightsIn
from engine.kernels.interface import Kernels
from engine.layers.decoder import Decoder
from engine.layers.fused import fuse
from engine.layers.placed import PlacedBlock, place_blocks
from engine.storage.checkpoint import Checkpoint

__all__ = ["FAMILIES", "Family", "Model", "build", "hub_view", "model_config"]


@dataclass(frozen=True, slots=True)
class Family:
    """One architecture.

    Attributes:
        model_types: ``model_type`` of Hugging Face's configurations that it builds.
        build: from a configuration and weights, for sequences of at most so many tokens.
        gguf: llama.cpp's names of the architecture; Mixtral's files say ``llama`` and have experts.
        layout: how llama.cpp stores it; None where it does not.
        names: names of its own in safetensors files (see ``plain_view``).
    """

    model_types: tuple[str, ...]
    build: Callable[[Config, WeightsIn, int], Decoder]
    gguf: tuple[str, ...] = ()
    layout: GgufLayout | None = None
    names: Mapping[str, str] = field(default_factory=dict)


FAMILIES = (
    Family(("llama", "mistral", "ministral"), llama.build, ("llama",), llama.GGUF),
    Family(("qwen2",), qwen2.build, ("qwen2",), qwen2.GGUF),
    Family(("qwen3",), qwen3.build, ("qwen3",), qwen3.GGUF),
    Family(("gemma",), gemma.build_gemma, ("gemma",), gemma.GEMMA_GGUF),
    Family(("gemma2",), gemma.build_gemma2, ("gemma2",), gemma.GEMMA2_GGUF),
    Family(("gemma3_text", "gemma3"), gemma.build_gemma3, ("gemma3",), gemma.GEMMA3_GGUF),
    Family(("mixtral",), mixtral.build, ("llama+experts",), mixtral.GGUF),
    Family(("qwen2_moe",), qwen_moe.build_qwen2, ("qwen2moe",), qwen_moe.QWEN2_GGUF),
    Family(("qwen3_moe",), qwen_moe.build_qwen3, ("qwen3moe",), qwen_moe.QWEN3_GGUF),
    Family(("gpt_oss",), gpt_oss.build, ("gpt-oss",), gpt_oss.GGUF),
    Family(("deepseek_v2",), deepseek.build_v2, ("deepseek2",), deepseek.GGUF),
    Family(("deepseek_v3", "kimi_k2"), deepseek.build_v3),
    Family(("phi3",), phi3.build, ("phi3",), phi3.GGUF),
    Family(("glm",), glm.build_glm, ("chatglm",), glm.GLM_GGUF),
    Family(("glm4",), glm.build_glm4, ("glm4",), glm.GLM4_GGUF),
    Family(("granite",), granite.build, ("granite",), granite.GGUF),
    Family(("olmo2", "olmo3"), olmo2.build, ("olmo2",), olmo2.GGUF),
    Family(("stablelm",), stablelm.build, ("stablelm",), stablelm.GGUF),
    Family(("smollm3",), smollm3.build, ("smollm3",), smollm3.GGUF),
    Family(("internlm2",), internlm2.build, ("internlm2",), internlm2.GGUF, internlm2.NAMES),
    Family(("baichuan",), baichuan.build, ("baichuan",), baichuan.GGUF),
)


def model_config(checkpoint: Checkpoint) -> dict[str, Any]:
    """The language model's configuration in Hugging Face's keys, where a family knows it."""
    found = _view(checkpoint)
    return flat_config(checkpoint.metadata) if found is None else dict(found[1].metadata)


def hub_view(checkpoint: Checkpoint) -> CheckpointView | None:
    """The checkpoint by Hugging Face's names and keys; None where no family of ours knows it."""
    found = _view(checkpoint)
    return None if found is None else found[1]


def build(
    checkpoint: Checkpoint,
    kernels: Kernels,
    progress: Progress,
    context: int | None = None,
    spread: Spread | None = None,
) -> Model:
    """Read a model; what no family of ours knows runs in transformers' code, where that knows it.

    Args:
        checkpoint: stays open as long as the model lives: plain tensors may be views of its file.
        kernels: what will compute.
        progress: called with (bytes read, bytes to read).
        context: longest sequence that will be run; None is what the model was made for. Rotary
            forms that change with the length (dynamic NTK, LongRoPE) are settled by it.
        spread: asked which kernels compute which layer; None: ``kernels`` compute all.

    Raises:
        EngineError: ``ARCHITECTURE_UNKNOWN``, ``CONFIG_INVALID``, ``TENSOR_MISSING``,
            ``TENSOR_SHAPE``, all before any weight is read; and see ``load_compatible``.
    """
    found = _view(checkpoint)
    if found is None:
        return load_compatible(checkpoint, kernels, progress, spread)
    family, view = found
    config = Config(view.metadata, checkpoint.path)
    longest = config.count("max_position_embeddings", 2048) if context is None else context
    survey = Survey(view, kernels)
    shapes = family.build(config, survey, longest).cache_layers
    total = survey.file_bytes
    placed: tuple[Kernels, ...] = ()
    if spread is not None:
        layers = [survey.bytes_of(layer) for layer in range(len(shapes))]
        kernels, placed = spread(survey.bytes_of(None), layers, shapes)
    progress(0, total)
    decoder = family.build(config, Reader(view, kernels, progress, total, placed), longest)
    view.release()
    progress(total, total)
    if all(one is kernels for one in placed):
        return fuse(decoder)
    blocks = [block for block in decoder.blocks if not isinstance(block, PlacedBlock)]
    return replace(decoder, blocks=place_blocks(blocks, placed))


def _view(checkpoint: Checkpoint) -> tuple[Family, CheckpointView] | None:
    """The family that knows a checkpoint, and the checkpoint in the family's terms."""
    if checkpoint.format == "gguf":
        known = architecture_of(checkpoint)
        if known == "llama" and checkpoint.metadata.get("llama.expert_count"):
            known = "llama+experts"
        for family in FAMILIES:
            if family.layout is not None and known in family.gguf:
                return family, gguf_view(checkpoint, family.layout, family.model_types[0])
        return None
    model_type = flat_config(checkpoint.metadata).get("model_type")
    for family in FAMILIES:
        if model_type in family.model_types:
            return family, plain_view(checkpoint, family.names)
    return None
