"""GGUF files of the mixtures: experts stacked, three tensors a layer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch

from engine.storage.open import open_checkpoint
from tests.families.parity import assert_parity, loaded
from tests.families.test_dense import oracle_of
from tests.families.test_mixtures import GPT_OSS, QWEN2, QWEN3
from tests.families.tiny_gguf import metadata_of, write_gguf

EXPERTS = {"expert_count": 6, "expert_used_count": 2}
SMALL = {**EXPERTS, "expert_feed_forward_length": 32}
CASES: list[tuple[str, str, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    (
        "llama",
        "Mixtral",
        {"num_local_experts": 6},
        EXPERTS,
        {"interleave": {"q_proj": 4, "k_proj": 2}},
    ),
    ("qwen2moe", "Qwen2Moe", QWEN2, {**SMALL, "expert_shared_feed_forward_length": 24}, {}),
    (
        "qwen3moe",
        "Qwen3Moe",
        {**QWEN3, "norm_topk_prob": True},
        {**SMALL, "attention.key_length": 24},
        {},
    ),
]


def stacks(oracle: Any, alternate: bool = False) -> dict[str, np.ndarray]:
    """Gate, up and down of all experts; ``alternate``: the oracle's lie as gpt-oss has them."""
    out: dict[str, np.ndarray] = {}
    for name, weight in oracle.state_dict().items():
        layer = next((part for part in name.split(".") if part.isdigit()), "")
        x = weight.numpy()
        if name.endswith("experts.gate_up_proj"):
            x = x.transpose(0, 2, 1) if alternate else x
            gate, up = (x[:, ::2], x[:, 1::2]) if alternate else np.split(x, 2, axis=1)
            out[f"blk.{layer}.ffn_gate_exps.weight"] = np.ascontiguousarray(gate)
            out[f"blk.{layer}.ffn_up_exps.weight"] = np.ascontiguousarray(up)
        elif name.endswith("experts.down_proj"):
            down = x.transpose(0, 2, 1) if alternate else x
            out[f"blk.{layer}.ffn_down_exps.weight"] = np.ascontiguousarray(down)
        elif name.endswith("experts.gate_up_proj_bias"):
            out[f"blk.{layer}.ffn_gate_exps.bias"] = np.ascontiguousarray(x[:, ::2])
            out[f"blk.{layer}.ffn_up_exps.bias"] = np.ascontiguousarray(x[:, 1::2])
        elif name.endswith("experts.down_proj_bias"):
            out[f"blk.{layer}.ffn_down_exps.bias"] = x
        elif name.endswith("shared_expert_gate.weight"):
            out[f"blk.{layer}.ffn_gate_inp_shexp.weight"] = x.reshape(-1)  # as llama.cpp's
        elif name.endswith("sinks"):
            out[f"blk.{layer}.attn_sinks.weight"] = x
    return out


@pytest.mark.parametrize(("arch", "name", "changes", "metadata", "how"), CASES, ids=str)
def test_gguf_mixture_equals_the_model_that_it_was_written_from(
    tmp_path: Path,
    arch: str,
    name: str,
    changes: dict[str, Any],
    metadata: dict[str, Any],
    how: dict[str, Any],
) -> None:
    oracle = oracle_of(name, changes)
    path = tmp_path / "model.gguf"
    every = {**metadata_of(oracle.config), **metadata}
    skip = (".experts.", "shared_expert_gate")
    write_gguf(path, oracle, arch, every, extra=stacks(oracle), skip=skip, **how)
    assert_parity(oracle, loaded(open_checkpoint(path)))


def gpt_oss_file(path: Path) -> Any:
    """The model that was written to ``path``."""
    oracle = oracle_of("GptOss", GPT_OSS)
    metadata = {
        **metadata_of(oracle.config),
        **EXPERTS,
        "expert_feed_forward_length": 96,
        "attention.key_length": 16,
        "attention.sliding_window": 6,
        "rope.scaling.type": "yarn",
        "rope.scaling.factor": 4.0,
        "rope.scaling.original_context_length": 64,
    }
    extra = stacks(oracle, alternate=True)
    write_gguf(path, oracle, "gpt-oss", metadata, extra=extra, skip=(".experts.", "sinks"))
    return oracle


def test_gguf_gpt_oss_equals_the_model_that_it_was_written_from(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    assert_parity(gpt_oss_file(path), loaded(open_checkpoint(path)))


def test_quantized_stacks_are_cut_into_experts(tmp_path: Path) -> None:
    """A quantized stack is read as one long matrix; each expert takes its rows of it."""
    oracle = oracle_of("Qwen3Moe", {**QWEN3, "norm_topk_prob": True})
    packed: dict[str, np.ndarray] = {}
    values: dict[str, np.ndarray] = {}
    kind = gguf.GGMLQuantizationType.Q8_0
    for name, x in stacks(oracle).items():
        packed[name] = gguf.quants.quantize(x, kind)
        values[name] = gguf.quants.dequantize(packed[name], kind)
    for layer, block in enumerate(oracle.model.layers):
        gate, up, down = (
            torch.from_numpy(values[f"blk.{layer}.ffn_{which}_exps.weight"].copy())
            for which in ("gate", "up", "down")
        )
        block.mlp.experts.gate_up_proj.data = torch.cat((gate, up), dim=1)
        block.mlp.experts.down_proj.data = down
    path = tmp_path / "model.gguf"
    known = {**metadata_of(oracle.config), **SMALL, "attention.key_length": 24}
    write_gguf(path, oracle, "qwen3moe", known, extra=packed, skip=(".experts.",))
    assert_parity(oracle, loaded(open_checkpoint(path)))
