"""Llama and its kin: equal to transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.contract.faults import FaultKind
from tests.families.parity import assert_parity, fault, loaded, saved, tiny

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


@pytest.mark.parametrize(
    ("kind", "found", "meant"),
    [
        ("Llama", "[96, 64]", "[64, 64]"),
        ("Mistral", "[96, 64]", "[64, 64]"),
        ("Qwen3", "[24]", "[128]"),  # the norm of the heads is looked at first
    ],
)
def test_E16_heads_may_be_wider_than_their_share_of_the_hidden_size(
    tmp_path: Path, kind: str, found: str, meant: str
) -> None:
    """4 heads of 24 are not 64; a configuration that says nothing means 16, or Qwen3's 128."""
    import transformers

    config = getattr(transformers, f"{kind}Config")(**SIZES, head_dim=24)
    oracle = tiny(getattr(transformers, f"{kind}ForCausalLM"), config)
    checkpoint = saved(oracle, tmp_path)
    assert checkpoint.shape("model.layers.0.self_attn.q_proj.weight") == (96, 64)
    assert_parity(oracle, loaded(checkpoint))
    del checkpoint.metadata["head_dim"]
    with fault(FaultKind.TENSOR_SHAPE, shape=found, expected=meant):
        loaded(checkpoint)


@pytest.mark.parametrize("window", [1, 4, 7])
def test_E11_mistral_sees_its_window_and_not_one_token_more(tmp_path: Path, window: int) -> None:
    from transformers import MistralConfig, MistralForCausalLM

    config = MistralConfig(**SIZES, sliding_window=window, attn_implementation="eager")
    oracle = tiny(MistralForCausalLM, config)
    assert_parity(oracle, loaded(saved(oracle, tmp_path)))
