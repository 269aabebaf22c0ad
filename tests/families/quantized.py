"""Quantized checkpoints of whole tiny models, read by our loader and run against transformers.

A transformers model is written twice: once in the format, and once dense, with the values that the
format's codes stand for. transformers runs the second; our loader reads the first.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from engine.families.registry import Model
from engine.storage.open import open_checkpoint
from tests.families.parity import expected, loaded, some_ids
from tests.families.quantized_formats import Format
from tests.families.test_deepseek import deepseek
from tests.families.test_dense import oracle_of
from tests.families.test_gemma import oracle_for as gemma3
from tests.families.test_mixtures import GPT_OSS, QWEN3

ALL_EXPERTS = {"n_routed_experts": 4, "num_experts_per_tok": 4, "n_group": 1, "topk_group": 1}

FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("Llama", {}),
    "qwen2": ("Qwen2", {}),
    "qwen3": ("Qwen3", {"head_dim": 24}),
    "gemma3": ("Gemma3", {}),
    "phi3": ("Phi3", {"pad_token_id": 0}),
    "granite": ("Granite", {"embedding_multiplier": 3.0, "logits_scaling": 0.5}),
    "mixtral": ("Mixtral", {"num_local_experts": 3, "num_experts_per_tok": 3}),
    "qwen3_moe": ("Qwen3Moe", {**QWEN3, "num_experts": 3, "num_experts_per_tok": 3}),
    "deepseek_v3": ("DeepseekV3", {**ALL_EXPERTS, "v_head_dim": 16}),
    "gpt_oss": ("GptOss", {**GPT_OSS, "num_experts_per_tok": 6}),
}
"""transformers' class and a configuration; every expert is chosen, because a code that is rounded
otherwise may tip a choice between two, and a random model's choices are close."""
KEPT = ("norm", "gate.", "shared_expert_gate")
"""Parts of the names of matrices in layers that no writer quantizes: routers and norms."""


def oracle_for(family: str) -> Any:
    """A tiny random model of transformers."""
    name, changes = FAMILIES[family]
    if name == "Gemma3":
        return gemma3(changes)
    return (deepseek if name.startswith("Deepseek") else oracle_of)(name, changes)


@dataclass(frozen=True, slots=True)
class Quantized:
    """A model that was quantized.

    Attributes:
        folder: where the quantized checkpoint lies.
        oracle: transformers' model with the values that the codes stand for.
        change: the largest difference of a logit that quantizing made.
    """

    folder: Path
    oracle: Any
    change: float

    def model(self) -> Model:
        """Our model of the checkpoint."""
        return loaded(open_checkpoint(self.folder), context=64)


def quantize(oracle: Any, form: Format, folder: Path) -> Quantized:
    """Write ``oracle`` in a format below ``folder``.

    Raises:
        AssertionError: nothing in the model is stored so.
    """
    dense = folder / "dense"
    oracle.save_pretrained(dense)
    tensors = load_file(dense / "model.safetensors")
    stored: dict[str, Tensor] = {}
    for name, x in list(tensors.items()):
        if not _is_stored_so(name, x, form):
            stored[name] = x
            continue
        parts, tensors[name] = form.store(x)
        stem = name.removesuffix(".weight")
        stored |= {stem + end: part.contiguous() for end, part in parts.items()}
    assert len(stored) > len(tensors)
    save_file(tensors, dense / "model.safetensors", {"format": "pt"})
    written = folder / "quantized"
    written.mkdir()
    save_file(stored, written / "model.safetensors", {"format": "pt"})
    config = json.loads((dense / "config.json").read_text("utf-8"))
    (written / "config.json").write_text(json.dumps({**config, "quantization_config": form.config}))
    rounded = (
        type(oracle)
        .from_pretrained(
            dense, dtype=torch.float32, attn_implementation=oracle.config._attn_implementation
        )
        .eval()
    )
    ids = some_ids(oracle.config.vocab_size)
    change = (expected(oracle, ids) - expected(rounded, ids)).abs().max()
    return Quantized(written, rounded, float(change))


def _is_stored_so(name: str, x: Tensor, form: Format) -> bool:
    if form.stacks:
        return name.endswith(("experts.gate_up_proj", "experts.down_proj"))
    is_matrix = name.endswith(".weight") and x.dim() == 2 and ".layers." in name
    return is_matrix and not any(part in name for part in KEPT)
