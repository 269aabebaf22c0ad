"""Gemma: equal to transformers, its rounding and its range included."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from engine.families.gemma import rounded_root
from engine.families.registry import build
from engine.kernels.reference import ReferenceKernels
from tests.families.parity import Sequences, assert_parity, loaded, saved, some_ids, tiny
from tests.families.test_llama import SIZES

GEMMA: dict[str, Any] = {
    **SIZES,
    "num_hidden_layers": 3,
    "head_dim": 24,
    "query_pre_attn_scalar": 20,
    "sliding_window": 6,
    "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
    "attn_implementation": "eager",
}


def oracle_for(changes: dict[str, Any]) -> Any:
    from transformers import Gemma3ForCausalLM, Gemma3TextConfig

    return tiny(Gemma3ForCausalLM, Gemma3TextConfig(**{**GEMMA, **changes}))


def test_gemma_equals_transformers(tmp_path: Path) -> None:
    from transformers import GemmaConfig, GemmaForCausalLM

    oracle = tiny(GemmaForCausalLM, GemmaConfig(**SIZES, head_dim=24))
    assert_parity(oracle, loaded(saved(oracle, tmp_path)))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"attn_logit_softcapping": 0.7, "final_logit_softcapping": 2.0},
        {"attn_logit_softcapping": None, "final_logit_softcapping": None},
    ],
    ids=str,
)
def test_E10_gemma2_equals_transformers(tmp_path: Path, changes: dict[str, Any]) -> None:
    from transformers import Gemma2Config, Gemma2ForCausalLM

    oracle = tiny(Gemma2ForCausalLM, Gemma2Config(**{**GEMMA, **changes}))
    assert_parity(oracle, loaded(saved(oracle, tmp_path)))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"final_logit_softcapping": 2.0},
        {
            "rope_parameters": {
                "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 5000.0},
                "sliding_attention": {"rope_type": "default", "rope_theta": 300.0},
            }
        },
    ],
    ids=str,
)
def test_gemma3_equals_transformers(tmp_path: Path, changes: dict[str, Any]) -> None:
    oracle = oracle_for(changes)
    assert_parity(oracle, loaded(saved(oracle, tmp_path)))


def test_gemma3_reads_the_older_spelling_of_its_rotary_bases(tmp_path: Path) -> None:
    """``rope_scaling`` belongs to the global layers alone, ``rope_local_base_freq`` to the rest."""
    nested = {
        "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 5000.0},
        "sliding_attention": {"rope_type": "default", "rope_theta": 300.0},
    }
    oracle = oracle_for({"rope_parameters": nested})
    checkpoint = saved(oracle, tmp_path)
    del checkpoint.metadata["rope_parameters"]
    checkpoint.metadata |= {
        "rope_theta": 5000.0,
        "rope_local_base_freq": 300.0,
        "rope_scaling": {"rope_type": "linear", "factor": 8.0},
    }
    assert_parity(oracle, loaded(checkpoint))


def test_gemma3_is_found_behind_a_multimodal_checkpoint(tmp_path: Path) -> None:
    """The language model sits behind a prefix, its configuration in ``text_config``."""
    oracle = oracle_for({})
    checkpoint = saved(oracle, tmp_path)
    names = list(checkpoint.tensors)
    for name in names:
        checkpoint.tensors[f"language_model.{name}"] = checkpoint.tensors.pop(name)
    checkpoint.tensors["vision_tower.patch.weight"] = torch.zeros(3)
    checkpoint.metadata = {"model_type": "gemma3", "text_config": checkpoint.metadata}
    assert_parity(oracle, loaded(checkpoint))


def test_E15_the_embedding_scale_is_rounded_as_the_activations_are() -> None:
    assert rounded_root(640, torch.float32) == pytest.approx(25.298221, abs=1e-6)
    assert rounded_root(640, torch.bfloat16) == 25.25


def test_E14_a_residual_beyond_float16_stays_finite(tmp_path: Path) -> None:
    """Gemma 3's residual stream exceeds 65504; the sum is kept in float32 in every dtype."""
    oracle = oracle_for({})
    checkpoint = saved(oracle, tmp_path)
    for name, weight in checkpoint.tensors.items():
        if name.endswith("post_feedforward_layernorm.weight"):
            weight.fill_(50000.0)
    kernels = ReferenceKernels(dtype=torch.float16)
    model = build(checkpoint, kernels, lambda done, total: None)
    assert Sequences(model).run("a", some_ids(97), 5).isfinite().all()
