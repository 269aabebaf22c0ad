"""GGUF files of our families: the same logits as the Hugging Face model they were written from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.families import gemma
from engine.families.config import Config
from engine.families.registry import model_config
from engine.storage.open import open_checkpoint
from tests.families.parity import assert_parity, loaded, tiny
from tests.families.test_gemma import GEMMA
from tests.families.test_llama import SIZES
from tests.families.tiny_gguf import write_gguf

LLAMA_METADATA: dict[str, Any] = {
    "block_count": 2,
    "context_length": 256,
    "embedding_length": 64,
    "feed_forward_length": 96,
    "attention.head_count": 4,
    "attention.head_count_kv": 2,
    "attention.layer_norm_rms_epsilon": 1e-6,
    "rope.freq_base": 10000.0,
    "rope.dimension_count": 16,
}
INTERLEAVE = {"q_proj": 4, "k_proj": 2}
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 10000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}


def llama_file(path: Path, changes: dict[str, Any]) -> Any:
    """The model that was written to ``path``."""
    from transformers import LlamaConfig, LlamaForCausalLM

    oracle = tiny(LlamaForCausalLM, LlamaConfig(**SIZES, **changes))
    write_gguf(path, oracle, "llama", LLAMA_METADATA, interleave=INTERLEAVE)
    return oracle


@pytest.mark.parametrize("changes", [{}, {"tie_word_embeddings": True}, {"attention_bias": True}])
def test_E7_llama_rows_are_put_back_in_order(tmp_path: Path, changes: dict[str, Any]) -> None:
    path = tmp_path / "m.gguf"
    assert_parity(llama_file(path, changes), loaded(open_checkpoint(path)))


def test_llama3_scaling_is_read_from_its_tensor(tmp_path: Path) -> None:
    """llama.cpp stores what each frequency is divided by, not the formula."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    config = LlamaConfig(**SIZES, rope_parameters=LLAMA3)
    oracle = tiny(LlamaForCausalLM, config)
    scaled, _ = ROPE_INIT_FUNCTIONS["llama3"](config, torch.device("cpu"))
    factors = (10000.0 ** (-np.arange(0, 16, 2) / 16) / scaled.numpy()).astype(np.float32)
    assert factors.max() > 7
    path = write_gguf(
        tmp_path / "m.gguf",
        oracle,
        "llama",
        LLAMA_METADATA,
        interleave=INTERLEAVE,
        extra={"rope_freqs.weight": factors},
    )
    assert_parity(oracle, loaded(open_checkpoint(path)))


@pytest.mark.parametrize("kind", ["linear", "yarn"])
def test_rope_scaling_is_read_from_the_metadata(tmp_path: Path, kind: str) -> None:
    from transformers import LlamaConfig, LlamaForCausalLM

    rope = {"rope_type": kind, "rope_theta": 10000.0, "factor": 4.0}
    metadata = {"rope.scaling.type": kind, "rope.scaling.factor": 4.0}
    if kind == "yarn":
        rope["original_max_position_embeddings"] = 64
        metadata["rope.scaling.original_context_length"] = 64
    oracle = tiny(LlamaForCausalLM, LlamaConfig(**SIZES, rope_parameters=rope))
    path = write_gguf(
        tmp_path / "m.gguf",
        oracle,
        "llama",
        {**LLAMA_METADATA, **metadata},
        interleave=INTERLEAVE,
    )
    assert_parity(oracle, loaded(open_checkpoint(path)))


def qwen2_file(path: Path) -> Any:
    """The model that was written to ``path``."""
    from transformers import Qwen2Config, Qwen2ForCausalLM

    oracle = tiny(Qwen2ForCausalLM, Qwen2Config(**SIZES))
    write_gguf(path, oracle, "qwen2", LLAMA_METADATA)
    return oracle


def test_qwen2_rows_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    assert_parity(qwen2_file(path), loaded(open_checkpoint(path)))


def gemma3_file(path: Path) -> Any:
    """The model that was written to ``path``."""
    from transformers import Gemma3ForCausalLM, Gemma3TextConfig

    layers = ["sliding_attention"] * 5 + ["full_attention", "sliding_attention"]
    oracle = tiny(
        Gemma3ForCausalLM,
        Gemma3TextConfig(
            **{
                **GEMMA,
                "num_hidden_layers": 7,
                "layer_types": layers,
                "query_pre_attn_scalar": 24,
                "rope_parameters": {
                    "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
                    "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
                },
            }
        ),
    )
    metadata = {
        **LLAMA_METADATA,
        "block_count": 7,
        "attention.key_length": 24,
        "attention.value_length": 24,
        "attention.sliding_window": 6,
        "rope.freq_base": 1e6,
        "rope.dimension_count": 24,
        "rope.scaling.type": "linear",
        "rope.scaling.factor": 8.0,
    }
    write_gguf(path, oracle, "gemma3", metadata, norms_hold_one=True)
    return oracle


def test_gemma3_norms_lose_the_one_that_gguf_adds(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    assert_parity(gemma3_file(path), loaded(open_checkpoint(path)))


def test_the_largest_gemma3_scales_scores_by_its_hidden_size() -> None:
    """27B is known by its 62 layers; llama.cpp has the same rule in its code."""
    more = gemma.GEMMA3_GGUF.more
    values = {"hidden_size": 5376, "num_attention_heads": 32, "head_dim": 128}
    for layers, scalar in ((62, 168), (48, 128)):
        config = Config({**values, "num_hidden_layers": layers}, Path("m"))
        assert more(config) == {"query_pre_attn_scalar": scalar}


def test_the_starter_models_metadata_in_hugging_face_keys(starter_model: Path) -> None:
    config = model_config(open_checkpoint(starter_model))
    assert config["model_type"] == "llama"
    assert (config["num_hidden_layers"], config["hidden_size"]) == (30, 576)
    assert (config["num_attention_heads"], config["num_key_value_heads"]) == (9, 3)
    assert config["rope_theta"] == 100000.0
    assert config["tie_word_embeddings"] is True
