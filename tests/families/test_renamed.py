"""Families that transformers has no code for: Llama's weights, stored as theirs are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from engine.contract.faults import FaultKind
from tests.families.parity import MemoryCheckpoint, assert_parity, fault, loaded, saved
from tests.families.test_dense import oracle_of

INTERNLM2 = {
    "self_attn.o_proj": "attention.wo",
    "mlp.gate_proj": "feed_forward.w1",
    "mlp.up_proj": "feed_forward.w3",
    "mlp.down_proj": "feed_forward.w2",
    "input_layernorm": "attention_norm",
    "post_attention_layernorm": "ffn_norm",
    "model.embed_tokens": "model.tok_embeddings",
    "lm_head": "output",
}


def as_internlm2(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Two queries, their key and their value in a row, for each of two groups of 16 rows a head."""
    out: dict[str, Tensor] = {}
    for name, x in tensors.items():
        if any(f"self_attn.{which}_proj" in name for which in "qkv"):
            continue
        for known, theirs in INTERNLM2.items():
            name = name.replace(known, theirs)  # noqa: PLW2901
        out[name] = x
    for layer in range(2):
        at = f"model.layers.{layer}"
        q, k, v = (tensors[f"{at}.self_attn.{which}_proj.weight"] for which in "qkv")
        groups = [
            (q[32 * g : 32 * g + 32], k[16 * g : 16 * g + 16], v[16 * g : 16 * g + 16])
            for g in range(2)
        ]
        rows = [x for group in groups for x in group]
        out[f"{at}.attention.wqkv.weight"] = torch.cat(rows)
    return out


def internlm2(folder: Path) -> tuple[Any, MemoryCheckpoint]:
    oracle = oracle_of("Llama", {})
    checkpoint = saved(oracle, folder)
    config = {**checkpoint.metadata, "model_type": "internlm2", "bias": False}
    return oracle, MemoryCheckpoint(as_internlm2(checkpoint.tensors), config)


def test_internlm2_is_read_from_its_weights(tmp_path: Path) -> None:
    oracle, checkpoint = internlm2(tmp_path)
    assert_parity(oracle, loaded(checkpoint))


def packed(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Queries, keys and values under one name."""
    out = {n: x for n, x in tensors.items() if not any(f"{w}_proj" in n for w in "qkv")}
    for layer in range(2):
        at = f"model.layers.{layer}.self_attn"
        rows = [tensors[f"{at}.{which}_proj.weight"] for which in "qkv"]
        out[f"{at}.W_pack.weight"] = torch.cat(rows)
    return out


def baichuan(folder: Path, **changes: Any) -> tuple[Any, MemoryCheckpoint]:
    oracle = oracle_of("Llama", {"num_key_value_heads": 4, **changes})
    checkpoint = saved(oracle, folder)
    config = {**checkpoint.metadata, "model_type": "baichuan"}
    del config["num_key_value_heads"]
    return oracle, MemoryCheckpoint(packed(checkpoint.tensors), config)


def test_baichuan_is_read_from_its_pack(tmp_path: Path) -> None:
    oracle, checkpoint = baichuan(tmp_path)
    assert_parity(oracle, loaded(checkpoint))


def test_baichuan2_divides_the_rows_of_its_head_by_their_length(tmp_path: Path) -> None:
    oracle, checkpoint = baichuan(tmp_path, vocab_size=125696, hidden_size=16)
    with torch.no_grad():
        oracle.lm_head.weight /= oracle.lm_head.weight.norm(dim=1, keepdim=True)
    assert_parity(oracle, loaded(checkpoint))


def test_baichuan_13b_is_refused_by_name(tmp_path: Path) -> None:
    _, checkpoint = baichuan(tmp_path)
    checkpoint.metadata["num_hidden_layers"] = 40
    with fault(FaultKind.ARCHITECTURE_UNKNOWN, architecture="baichuan 13B (ALiBi)"):
        loaded(checkpoint)


@pytest.mark.parametrize("prefix", ["", "model.language_model."])
def test_prefixes_of_other_wrappings_are_seen_through(tmp_path: Path, prefix: str) -> None:
    oracle = oracle_of("Qwen3", {"tie_word_embeddings": True})
    checkpoint = saved(oracle, tmp_path)
    bare = {n.removeprefix("model."): x for n, x in checkpoint.tensors.items()}
    checkpoint.tensors = {f"{prefix}{name}": x for name, x in bare.items()}
    assert_parity(oracle, loaded(checkpoint))
