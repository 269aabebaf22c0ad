"""DeepSeek: equal to transformers, with a cache that holds the latent and the rotary part alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.kernels.interface import CacheShape
from engine.kernels.reference import ReferenceKernels
from engine.storage.open import open_checkpoint
from tests.families.parity import assert_parity, loaded, saved
from tests.families.test_dense import oracle_of
from tests.families.test_gguf_mixtures import stacks
from tests.families.tiny_gguf import metadata_of, write_gguf

LATENT: dict[str, Any] = {
    "num_key_value_heads": 4,
    "kv_lora_rank": 16,
    "q_lora_rank": 24,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 20,
    "v_head_dim": 12,
    "n_routed_experts": 8,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 16,
    "first_k_dense_replace": 1,
}
YARN = {
    "rope_type": "yarn",
    "rope_theta": 10000.0,
    "factor": 4.0,
    "mscale": 0.7,
    "mscale_all_dim": 0.7,
    "original_max_position_embeddings": 64,
}
GROUPS = {"topk_method": "group_limited_greedy", "n_group": 4, "topk_group": 2}
CASES: list[tuple[str, dict[str, Any]]] = [
    ("DeepseekV2", {}),
    ("DeepseekV2", {"q_lora_rank": None, "routed_scaling_factor": 1.7}),
    ("DeepseekV2", {"rope_parameters": YARN, **GROUPS}),
    ("DeepseekV2", {"attention_bias": True}),
    ("DeepseekV3", {"n_group": 2, "topk_group": 1}),
    ("DeepseekV3", {"n_group": 1, "topk_group": 1, "norm_topk_prob": False}),
    ("DeepseekV3", {"n_group": 2, "topk_group": 1, "rope_interleave": False}),
    (
        "DeepseekV3",
        {"n_group": 4, "topk_group": 2, "rope_parameters": {**YARN, "mscale": 1.0}},
    ),
]


def deepseek(name: str, changes: dict[str, Any]) -> Any:
    import torch

    oracle = oracle_of(name, {**LATENT, **changes})
    generator = torch.Generator().manual_seed(1)
    for key, buffer in oracle.named_buffers():
        if key.endswith("e_score_correction_bias"):
            buffer.copy_(torch.randn(buffer.shape, generator=generator) * 0.2)
    return oracle


@pytest.mark.parametrize(("name", "changes"), CASES, ids=str)
def test_deepseek_equals_transformers(tmp_path: Path, name: str, changes: dict[str, Any]) -> None:
    oracle = deepseek(name, changes)
    assert_parity(oracle, loaded(saved(oracle, tmp_path)))


def test_the_cache_holds_the_latent_and_the_rotary_part_alone(tmp_path: Path) -> None:
    """24 values a token and layer, where keys and values of four heads would take 160."""
    oracle = deepseek("DeepseekV3", {"n_group": 2, "topk_group": 1})
    model = loaded(saved(oracle, tmp_path))
    assert model.cache_layers == (CacheShape(1, 24, 16, values_in_keys=True),) * 2
    cache = ReferenceKernels().make_cache(model.cache_layers, pages=8, page_size=4, bits=16)
    assert cache.nbytes == 32 * 2 * 24 * 4


def metadata(oracle: Any, **changes: Any) -> dict[str, Any]:
    config = oracle.config
    return {
        **metadata_of(config),
        "attention.q_lora_rank": 24,
        "attention.kv_lora_rank": 16,
        "attention.key_length": 28,
        "attention.value_length": 12,
        "rope.dimension_count": 8,
        "expert_count": 8,
        "expert_used_count": 2,
        "expert_shared_count": config.n_shared_experts,
        "expert_feed_forward_length": 16,
        "leading_dense_block_count": 1,
        "expert_weights_scale": config.routed_scaling_factor,
        **changes,
    }


def v2_file(path: Path) -> Any:
    """The model that was written to ``path``."""
    oracle = deepseek("DeepseekV2", {"rope_parameters": YARN})
    known = metadata(
        oracle,
        **{
            "rope.scaling.type": "yarn",
            "rope.scaling.factor": 4.0,
            "rope.scaling.original_context_length": 64,
            "rope.scaling.yarn_log_multiplier": 0.07,
        },
    )
    write_gguf(path, oracle, "deepseek2", known, extra=stacks(oracle), skip=(".experts.",))
    return oracle


def test_gguf_with_one_expansion_and_softmax_routing(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    assert_parity(v2_file(path), loaded(open_checkpoint(path)))


def v3_file(path: Path) -> Any:
    """The model that was written to ``path``.

    Newer files hold the key expansion transposed, and one key-value head in the metadata.
    """
    oracle = deepseek("DeepseekV3", {"n_group": 2, "topk_group": 1})
    extra = stacks(oracle)
    for name, weight in oracle.state_dict().items():
        if name.endswith("kv_b_proj.weight"):
            both = weight.view(4, 32, 16)
            layer = name.split(".")[2]
            key, value = both[:, :20].transpose(1, 2), both[:, 20:]
            extra[f"blk.{layer}.attn_k_b.weight"] = np.ascontiguousarray(key.numpy())
            extra[f"blk.{layer}.attn_v_b.weight"] = np.ascontiguousarray(value.numpy())
        elif name.endswith("e_score_correction_bias"):
            extra[f"blk.{name.split('.')[2]}.exp_probs_b.bias"] = weight.numpy()
    known = metadata(
        oracle,
        **{
            "attention.head_count_kv": 1,
            "attention.key_length": 24,
            "attention.value_length": 16,
            "attention.key_length_mla": 28,
            "attention.value_length_mla": 12,
            "expert_group_count": 2,
            "expert_group_used_count": 1,
            "expert_gating_func": 2,
            "expert_weights_norm": True,
        },
    )
    skip = (".experts.", "kv_b_proj", "e_score_correction")
    write_gguf(path, oracle, "deepseek2", known, extra=extra, skip=skip)
    return oracle


def test_gguf_with_two_expansions_and_groups(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    assert_parity(v3_file(path), loaded(open_checkpoint(path)))
