"""GGUF files of the dense families, written with the ``gguf`` package's name tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.storage.open import open_checkpoint
from tests.families.parity import assert_parity, loaded
from tests.families.test_dense import LONG, PHI4_MINI, oracle_of
from tests.families.tiny_gguf import metadata_of, write_gguf

INTERLEAVE = {"q_proj": 4, "k_proj": 2}
GRANITE = {
    "embedding_multiplier": 3.0,
    "residual_multiplier": 0.5,
    "attention_multiplier": 0.125,
    "logits_scaling": 2.0,
}
# (llama.cpp's name, transformers' name, configuration, further metadata, how it is written)
CASES: list[tuple[str, str, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ("qwen3", "Qwen3", {"head_dim": 24}, {"attention.key_length": 24}, {}),
    ("gemma", "Gemma", {"head_dim": 16}, {"attention.key_length": 16}, {"norms_hold_one": True}),
    (
        "gemma2",
        "Gemma2",
        {"head_dim": 24, "query_pre_attn_scalar": 24, "sliding_window": 6},
        {
            "attention.key_length": 24,
            "attention.sliding_window": 6,
            "attn_logit_softcapping": 50.0,
            "final_logit_softcapping": 30.0,
        },
        {"norms_hold_one": True},
    ),
    ("phi3", "Phi3", {"pad_token_id": 0}, {"attention.sliding_window": 0}, {}),
    ("chatglm", "Glm", {"head_dim": 16, "pad_token_id": 0}, {"rope.dimension_count": 8}, {}),
    ("glm4", "Glm4", {"head_dim": 16, "pad_token_id": 0}, {"rope.dimension_count": 8}, {}),
    (
        "granite",
        "Granite",
        GRANITE,
        {
            "embedding_scale": 3.0,
            "residual_scale": 0.5,
            "attention.scale": 0.125,
            "logit_scale": 2.0,
        },
        {"interleave": INTERLEAVE},
    ),
    ("olmo2", "Olmo2", {}, {}, {}),
    (
        "stablelm",
        "StableLm",
        {"use_qkv_bias": True},
        {"rope.dimension_count": 4, "use_parallel_residual": False},
        {},
    ),
    (
        "smollm3",
        "SmolLM3",
        {"num_hidden_layers": 4, "pad_token_id": 0},
        {},
        {"interleave": INTERLEAVE},
    ),
    ("internlm2", "Llama", {}, {}, {"interleave": INTERLEAVE}),
    (
        "baichuan",
        "Llama",
        {"num_key_value_heads": 4},
        {},
        {"interleave": {"q_proj": 4, "k_proj": 4}},
    ),
]


@pytest.mark.parametrize(("arch", "name", "changes", "metadata", "how"), CASES, ids=str)
def test_gguf_equals_the_model_that_it_was_written_from(
    tmp_path: Path,
    arch: str,
    name: str,
    changes: dict[str, Any],
    metadata: Mapping[str, Any],
    how: Mapping[str, Any],
) -> None:
    oracle = oracle_of(name, changes)
    path = tmp_path / "model.gguf"
    write_gguf(path, oracle, arch, {**metadata_of(oracle.config), **metadata}, **how)
    assert_parity(oracle, loaded(open_checkpoint(path), context=64))


def test_phi4_minis_longrope_is_read_from_its_tensors(tmp_path: Path) -> None:
    oracle = oracle_of("Phi3", PHI4_MINI)
    factors = {
        f"rope_factors_{which}.weight": np.array(LONG[f"{which}_factor"], np.float32)
        for which in ("long", "short")
    }
    sharpness = float(oracle.model.rotary_emb.attention_scaling)
    metadata = {
        **metadata_of(oracle.config),
        "rope.dimension_count": 12,
        "rope.scaling.original_context_length": 64,
        "rope.scaling.attn_factor": sharpness,
    }
    path = write_gguf(tmp_path / "model.gguf", oracle, "phi3", metadata, extra=factors)
    assert_parity(oracle, loaded(open_checkpoint(path), context=64))


def test_stablelm_12bs_head_norms_are_one_tensor(tmp_path: Path) -> None:
    oracle = oracle_of("StableLm", {"use_parallel_residual": True, "qk_layernorm": True})
    stacked: dict[str, np.ndarray] = {}
    state = oracle.state_dict()
    for layer in range(2):
        for which, heads in (("q", 4), ("k", 2)):
            at = f"model.layers.{layer}.self_attn.{which}_layernorm.norms"
            rows = [state[f"{at}.{head}.weight"].numpy() for head in range(heads)]
            stacked[f"blk.{layer}.attn_{which}_norm.weight"] = np.stack(rows)
    metadata = {
        **metadata_of(oracle.config),
        "rope.dimension_count": 4,
        "use_parallel_residual": True,
    }
    path = tmp_path / "model.gguf"
    write_gguf(path, oracle, "stablelm", metadata, extra=stacked, skip=("_layernorm.norms.",))
    assert_parity(oracle, loaded(open_checkpoint(path)))
