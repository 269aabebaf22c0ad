"""Mixtures of experts: equal to transformers, and only the chosen experts run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from engine.contract.faults import FaultKind
from engine.kernels.reference import ReferenceKernels
from engine.layers.experts import Experts, Router, Routing
from tests.families.parity import assert_parity, fault, loaded, saved
from tests.families.test_dense import oracle_of

QWEN2 = {
    "num_experts": 6,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 32,
    "shared_expert_intermediate_size": 24,
}
QWEN3 = {"num_experts": 6, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "head_dim": 24}
YARN = {
    "rope_type": "yarn",
    "rope_theta": 10000.0,
    "factor": 4.0,
    "truncate": False,
    "original_max_position_embeddings": 64,
}
GPT_OSS = {
    "num_local_experts": 6,
    "num_experts_per_tok": 2,
    "head_dim": 16,
    "sliding_window": 6,
    "rope_parameters": YARN,
}
CASES: list[tuple[str, dict[str, Any]]] = [
    ("Mixtral", {"num_local_experts": 5}),
    ("Mixtral", {"num_local_experts": 3, "num_experts_per_tok": 3, "sliding_window": 5}),
    ("Qwen2Moe", QWEN2),
    ("Qwen2Moe", {**QWEN2, "norm_topk_prob": True}),
    ("Qwen2Moe", {**QWEN2, "mlp_only_layers": [1]}),
    ("Qwen3Moe", QWEN3),
    ("Qwen3Moe", {**QWEN3, "norm_topk_prob": True, "decoder_sparse_step": 2}),
    ("GptOss", GPT_OSS),
    ("GptOss", {**GPT_OSS, "layer_types": ["full_attention", "sliding_attention"]}),
]


@pytest.mark.parametrize(("name", "changes"), CASES, ids=str)
def test_mixture_equals_transformers(tmp_path: Path, name: str, changes: dict[str, Any]) -> None:
    oracle = oracle_of(name, changes)
    assert_parity(oracle, loaded(saved(oracle, tmp_path)))


def test_gpt_oss_experts_that_were_quantized_are_not_transposed(tmp_path: Path) -> None:
    """Reading MXFP4 blocks gives [experts, rows, columns]; plain files hold [experts, columns,
    rows]."""
    oracle = oracle_of("GptOss", GPT_OSS)
    checkpoint = saved(oracle, tmp_path)
    for name, x in checkpoint.tensors.items():
        if name.endswith(("experts.gate_up_proj", "experts.down_proj")):
            checkpoint.tensors[name] = x.transpose(1, 2).contiguous()
    assert_parity(oracle, loaded(checkpoint))


def test_more_experts_a_token_than_there_are_is_a_fault(tmp_path: Path) -> None:
    oracle = oracle_of("Mixtral", {"num_local_experts": 3})
    checkpoint = saved(oracle, tmp_path)
    checkpoint.metadata["num_experts_per_tok"] = 4
    with fault(FaultKind.CONFIG_INVALID, detail="num_experts_per_tok: 4 of 3"):
        loaded(checkpoint)


class Counting:
    """An expert that counts the tokens it sees."""

    def __init__(self, factor: float) -> None:
        self.factor = factor
        self.tokens = 0
        self.calls = 0

    def __call__(self, x: Tensor) -> Tensor:
        self.tokens += len(x)
        self.calls += 1
        return x * self.factor


def test_only_chosen_experts_run_each_once_with_all_its_tokens() -> None:
    """Work grows with the chosen experts: 7 tokens x 2, whatever the number of experts."""
    generator = torch.Generator().manual_seed(0)
    experts = tuple(Counting(i + 1.0) for i in range(64))
    weight = torch.randn(64, 8, generator=generator)
    layer = Experts(ReferenceKernels(), Router(weight, None, None, Routing(chosen=2)), experts)
    x = torch.randn(7, 8, generator=generator)
    got = layer(x)
    assert sum(expert.tokens for expert in experts) == 14
    assert max(expert.calls for expert in experts) == 1
    chosen, weights = layer.router(x)
    factors = (chosen + 1.0) * weights
    torch.testing.assert_close(got, x * factors.sum(1, keepdim=True))


def test_no_tokens_are_no_work() -> None:
    """A layer is asked for nothing when a step has no rows for it."""
    layer = Experts(
        ReferenceKernels(),
        Router(torch.randn(4, 8), None, None, Routing(chosen=2)),
        tuple(Counting(1.0) for _ in range(4)),
    )
    assert layer(torch.empty(0, 8)).shape == (0, 8)
