"""Files that do not fit themselves: named faults with figures, before any weight is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from engine.contract.faults import FaultKind, NoticeKind
from engine.families.registry import build
from engine.kernels.reference import ReferenceKernels
from engine.weights import Weight
from tests.families.parity import MemoryCheckpoint, assert_parity, fault, loaded, saved, tiny
from tests.families.test_llama import SIZES


def llama(folder: Path, **changes: Any) -> tuple[Any, MemoryCheckpoint]:
    from transformers import LlamaConfig, LlamaForCausalLM

    oracle = tiny(LlamaForCausalLM, LlamaConfig(**{**SIZES, **changes}))
    return oracle, saved(oracle, folder)


class Unread(MemoryCheckpoint):
    """Fails the test when a weight is read."""

    def read(self, name: str) -> Weight:
        raise AssertionError(f"{name} was read")


def test_a_missing_tensor_is_named_before_anything_is_read(tmp_path: Path) -> None:
    _, checkpoint = llama(tmp_path)
    del checkpoint.tensors["model.layers.1.mlp.down_proj.weight"]
    unread = Unread(checkpoint.tensors, checkpoint.metadata)
    with fault(FaultKind.TENSOR_MISSING, tensor="model.layers.1.mlp.down_proj.weight"):
        loaded(unread)


def test_a_wrong_shape_is_named_with_both_shapes(tmp_path: Path) -> None:
    _, checkpoint = llama(tmp_path)
    checkpoint.tensors["model.layers.0.self_attn.k_proj.weight"] = torch.zeros(16, 64)
    unread = Unread(checkpoint.tensors, checkpoint.metadata)
    with fault(
        FaultKind.TENSOR_SHAPE,
        tensor="model.layers.0.self_attn.k_proj.weight",
        shape="[16, 64]",
        expected="[32, 64]",
    ):
        loaded(unread)


def test_an_unknown_architecture_is_named() -> None:
    with fault(FaultKind.ARCHITECTURE_UNKNOWN, architecture="perceiver"):
        loaded(MemoryCheckpoint({}, {"model_type": "perceiver"}))


@pytest.mark.parametrize(
    ("key", "value", "detail"),
    [
        ("num_hidden_layers", None, "num_hidden_layers: missing"),
        ("num_hidden_layers", 1 << 20, "num_hidden_layers: 1048576"),
        ("head_dim", 1 << 30, "head_dim: 1073741824 in 4 heads"),
        ("hidden_size", "wide", "hidden_size: 'wide'"),
        ("num_attention_heads", 0, "num_attention_heads: 0"),
        ("num_key_value_heads", 3, "num_attention_heads: 4 over 3 key-value heads"),
        ("hidden_act", "snake", "hidden_act: 'snake'"),
        ("rope_parameters", {"rope_type": "spiral"}, "rope_type: 'spiral'"),
        ("rope_parameters", {"rope_type": "linear"}, "factor: missing"),
        ("rope_parameters", 7, "rope_parameters: 7"),
        ("rms_norm_eps", float("inf"), "rms_norm_eps: inf"),
    ],
)
def test_a_wrong_configuration_is_named(
    tmp_path: Path, key: str, value: object, detail: str
) -> None:
    _, checkpoint = llama(tmp_path)
    checkpoint.metadata[key] = value
    with fault(FaultKind.CONFIG_INVALID, detail=detail):
        loaded(Unread(checkpoint.tensors, checkpoint.metadata))


def test_C13_untied_without_a_head_takes_the_embedding_and_says_so(tmp_path: Path) -> None:
    oracle, checkpoint = llama(tmp_path)
    assert checkpoint.metadata["tie_word_embeddings"] is False
    del checkpoint.tensors["lm_head.weight"]
    model = loaded(checkpoint)
    assert [notice.kind for notice in model.notices] == [NoticeKind.HEAD_TIED]
    oracle.lm_head.weight = oracle.model.embed_tokens.weight
    assert_parity(oracle, model)


def test_C15_a_missing_embedding_is_never_made_up(tmp_path: Path) -> None:
    _, checkpoint = llama(tmp_path, tie_word_embeddings=True)
    del checkpoint.tensors["model.embed_tokens.weight"]
    with fault(FaultKind.TENSOR_MISSING, tensor="model.embed_tokens.weight"):
        loaded(Unread(checkpoint.tensors, checkpoint.metadata))


def test_E8_a_tied_model_with_its_own_different_head_uses_that_head(tmp_path: Path) -> None:
    """transformers does the same: presence and difference outweigh the flag."""
    oracle, checkpoint = llama(tmp_path)
    checkpoint.metadata["tie_word_embeddings"] = True
    model = loaded(checkpoint)
    assert_parity(oracle, model)


def test_E8_a_tied_model_with_a_copy_in_its_file_holds_it_once(tmp_path: Path) -> None:
    oracle, checkpoint = llama(tmp_path, tie_word_embeddings=True)
    alone = loaded(checkpoint).weight_bytes
    checkpoint.tensors["lm_head.weight"] = checkpoint.tensors["model.embed_tokens.weight"].clone()
    model = loaded(checkpoint)
    assert model.weight_bytes == alone
    assert_parity(oracle, model)


def test_progress_counts_every_byte_once_and_ends_at_the_total(tmp_path: Path) -> None:
    _, checkpoint = llama(tmp_path)
    seen: list[tuple[int, int]] = []
    build(checkpoint, ReferenceKernels(), lambda done, total: seen.append((done, total)))
    total = sum(weight.nbytes for weight in checkpoint.tensors.values())
    assert seen[0] == (0, total)
    assert seen[-1] == (total, total)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-2][0] == total, "the last tensor completes the count"


def test_weight_bytes_are_what_the_weights_take(tmp_path: Path) -> None:
    _, checkpoint = llama(tmp_path)
    total = sum(weight.nbytes for weight in checkpoint.tensors.values())
    assert loaded(checkpoint).weight_bytes == total
