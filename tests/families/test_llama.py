"""Llama and its kin: equal to transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.families.parity import assert_parity, loaded, saved, tiny

SIZES: dict[str, Any] = {
    "vocab_size": 97,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"tie_word_embeddings": True},
        {"attention_bias": True, "mlp_bias": True},
        {"head_dim": 24},  # E16: 4 x 24 is not 64
        {"num_key_value_heads": 4},
        {"num_key_value_heads": 1},
        {"hidden_act": "gelu"},
    ],
    ids=str,
)
def test_llama_equals_transformers(tmp_path: Path, changes: dict[str, Any]) -> None:
    from transformers import LlamaConfig, LlamaForCausalLM

    oracle = tiny(LlamaForCausalLM, LlamaConfig(**{**SIZES, **changes}))
    assert_parity(oracle, loaded(saved(oracle, tmp_path)))


@pytest.mark.parametrize("window", [1, 4, 7])
def test_E11_mistral_sees_its_window_and_not_one_token_more(tmp_path: Path, window: int) -> None:
    from transformers import MistralConfig, MistralForCausalLM

    config = MistralConfig(**SIZES, sliding_window=window, attn_implementation="eager")
    oracle = tiny(MistralForCausalLM, config)
    assert_parity(oracle, loaded(saved(oracle, tmp_path)))
