"""Dense families: equal to transformers on what it wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import transformers

from tests.families.parity import assert_parity, loaded, saved, some_ids, tiny
from tests.families.test_llama import SIZES

LONG = {
    "rope_type": "longrope",
    "rope_theta": 10000.0,
    "short_factor": [1.0 + 0.1 * i for i in range(6)],
    "long_factor": [1.5 + 0.5 * i for i in range(6)],
}
PHI4_MINI = {
    "partial_rotary_factor": 0.75,
    "rope_parameters": LONG,
    "original_max_position_embeddings": 64,
    "pad_token_id": 0,
}
YARN = {
    "rope_type": "yarn",
    "rope_theta": 10000.0,
    "factor": 4.0,
    "original_max_position_embeddings": 64,
}
PLAIN = {"rope_type": "default", "rope_theta": 10000.0}
CASES: list[tuple[str, dict[str, Any]]] = [
    ("Qwen3", {"head_dim": 24}),
    ("Qwen3", {"use_sliding_window": True, "sliding_window": 6, "max_window_layers": 1}),
    ("Qwen3", {"attention_bias": True, "tie_word_embeddings": True}),
    (
        "Ministral",
        {
            "head_dim": 16,
            "sliding_window": 5,
            "layer_types": ["full_attention", "sliding_attention"],
        },
    ),
    ("Phi3", {"pad_token_id": 0}),
    ("Phi3", {"pad_token_id": 0, "sliding_window": 5}),
    ("Phi3", PHI4_MINI),
    ("Glm", {"head_dim": 16, "pad_token_id": 0}),
    ("Glm4", {"head_dim": 16, "pad_token_id": 0}),
    ("Glm4", {"head_dim": 24, "attention_bias": False, "pad_token_id": 0}),
    ("Granite", {}),
    (
        "Granite",
        {
            "embedding_multiplier": 3.0,
            "residual_multiplier": 0.4,
            "attention_multiplier": 0.1,
            "logits_scaling": 2.0,
        },
    ),
    ("Olmo2", {}),
    (
        "Olmo3",
        {
            "num_hidden_layers": 4,
            "sliding_window": 6,
            "rope_parameters": {"sliding_attention": PLAIN, "full_attention": YARN},
        },
    ),
    ("StableLm", {}),
    ("StableLm", {"use_qkv_bias": True, "num_key_value_heads": 4}),
    ("StableLm", {"use_parallel_residual": True, "qk_layernorm": True}),
    ("SmolLM3", {"num_hidden_layers": 4, "pad_token_id": 0}),
    ("SmolLM3", {"no_rope_layers": [0, 1], "tie_word_embeddings": False, "pad_token_id": 0}),
    (
        "SmolLM3",
        {
            "num_hidden_layers": 4,
            "use_sliding_window": True,
            "sliding_window": 5,
            "pad_token_id": 0,
        },
    ),
]


def oracle_of(name: str, changes: dict[str, Any]) -> Any:
    """A tiny random model of one of transformers' classes."""
    kind = getattr(transformers, f"{name}ForCausalLM")
    config = getattr(transformers, f"{name}Config")
    return tiny(kind, config(**{**SIZES, **changes}, attn_implementation="eager"))


@pytest.mark.parametrize(("name", "changes"), CASES, ids=str)
def test_family_equals_transformers(tmp_path: Path, name: str, changes: dict[str, Any]) -> None:
    oracle = oracle_of(name, changes)
    model = loaded(saved(oracle, tmp_path), context=64)
    assert_parity(oracle, model)


def test_longrope_takes_the_long_factors_for_the_whole_of_a_long_context(tmp_path: Path) -> None:
    """Chosen once by the context, so that all keys of a sequence turn alike."""
    oracle = oracle_of("Phi3", PHI4_MINI)
    model = loaded(saved(oracle, tmp_path), context=128)
    assert_parity(oracle, model, some_ids(97, 71))


def test_smollm3s_checkpoint_says_which_layers_turn(tmp_path: Path) -> None:
    """A list of 0 and 1 in the file outweighs the interval."""
    oracle = oracle_of("SmolLM3", {"no_rope_layers": [0, 1], "pad_token_id": 0})
    checkpoint = saved(oracle, tmp_path)
    assert checkpoint.metadata["no_rope_layers"] == [0, 1]
    checkpoint.metadata["no_rope_layer_interval"] = 1
    assert_parity(oracle, loaded(checkpoint))
