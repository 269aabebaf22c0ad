"""The real models, against transformers on the same file dequantized.

``compare_real_models`` measures over whole passages; here is as much of it as seconds allow.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gguf
import pytest
import torch

from engine.families.registry import model_config
from engine.kernels.cpu.kernels import CpuKernels
from engine.kernels.interface import Kernels
from engine.storage.open import open_checkpoint
from tests.families.parity import Sequences, expected, loaded
from tests.families.real_models import (
    PASSAGES,
    PROMPT,
    continuation,
    likeness,
    our_model,
    passage,
    text_of,
    transformers_model,
)

# "<|im_start|>user\nHello, who are you?<|im_end|>\n<|im_start|>assistant\n" and a reply
STARTER_IDS = [1, 4093, 198, 19556, 28, 638, 359, 346, 47, 2, 198, 1, 520, 9531, 198]
STARTER_IDS += [57, 5248, 588, 22657, 288, 4875, 563, 469, 3289, 30, 657, 506, 1811, 253]
TOKENS = 256  # of a passage
NEAR_TIE = 0.1  # of logits whose best lie 5 apart on average; 8-bit activations move them so far


def dequantized(path: Path, kind: Any, config: Any, heads: dict[str, int]) -> Any:
    """transformers' model with the file's weights; ``heads``: projections to un-interleave."""
    with torch.device("meta"):
        oracle = kind(config)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, config.num_hidden_layers)
    known = {names.get_name(name.rsplit(".", 1)[0]): name for name in oracle.state_dict()}
    state = {}
    for tensor in gguf.GGUFReader(path).tensors:
        name = known[tensor.name.rsplit(".", 1)[0]]
        x = torch.from_numpy(gguf.dequantize(tensor.data, tensor.tensor_type).copy())
        for suffix, count in heads.items():
            if suffix in name:
                x = x.view(count, x.shape[0] // count // 2, 2, -1).transpose(1, 2).reshape(x.shape)
        state[name] = x
    state["lm_head.weight"] = state["model.embed_tokens.weight"]
    oracle.load_state_dict(state, assign=True)
    oracle.model.rotary_emb = type(oracle.model.rotary_emb)(config)
    return oracle.eval()


@pytest.fixture(scope="module")
def starter_oracle(starter_model: Path) -> Any:
    """By hand: transformers' own reading of the file takes three times as long."""
    from transformers import LlamaConfig, LlamaForCausalLM

    config = model_config(open_checkpoint(starter_model))
    del config["model_type"]
    theirs = LlamaConfig(**config, vocab_size=49152)
    heads = {"q_proj": theirs.num_attention_heads, "k_proj": theirs.num_key_value_heads}
    return dequantized(starter_model, LlamaForCausalLM, theirs, heads)


@pytest.fixture(scope="module")
def gemma_oracle(gemma_model: Path) -> Any:
    return transformers_model(gemma_model)


@pytest.fixture(params=["float", "8 bit"])
def kernels(request: pytest.FixtureRequest) -> Iterator[Kernels]:
    """The CPU's, with activations in float and in 8 bits."""
    made = CpuKernels(1, precise=request.param == "float")
    yield made
    made.close()


def test_the_starter_model_equals_transformers_on_the_dequantized_file(
    starter_model: Path, starter_oracle: Any
) -> None:
    """Q4_1 and Q8_0 are held exactly: the logits differ by float32 rounding alone."""
    want = expected(starter_oracle, STARTER_IDS)
    got = Sequences(loaded(open_checkpoint(starter_model))).run("a", STARTER_IDS, 16)
    assert (got - want).abs().max() < 1e-3
    assert torch.equal(got.argmax(-1), want.argmax(-1))
    assert got[14:-1].argmax(-1).tolist()[:14] == STARTER_IDS[15:], "the reply is its own"


def test_64_greedy_tokens_are_transformers(
    starter_model: Path, starter_oracle: Any, kernels: Kernels
) -> None:
    assert_same_text(starter_model, starter_oracle, kernels)


def test_64_greedy_tokens_of_gemma_are_transformers(
    gemma_model: Path, gemma_oracle: Any, kernels: Kernels
) -> None:
    assert_same_text(gemma_model, gemma_oracle, kernels)


def assert_same_text(path: Path, oracle: Any, kernels: Kernels) -> None:
    """64 tokens, or fewer up to a near-tie."""
    prompt = text_of(path).raw(PROMPT)
    found = continuation(oracle, our_model(path, kernels), kernels, prompt, 64)
    assert found.same == 64 or (found.gap is not None and found.gap < NEAR_TIE)
    assert found.same > 16


@pytest.mark.parametrize("name", PASSAGES)
def test_perplexity_is_transformers(
    starter_model: Path, starter_oracle: Any, kernels: Kernels, name: str
) -> None:
    assert_same_probabilities(starter_model, starter_oracle, kernels, name)


@pytest.mark.parametrize("name", PASSAGES)
def test_perplexity_of_gemma_is_transformers(
    gemma_model: Path, gemma_oracle: Any, kernels: Kernels, name: str
) -> None:
    assert_same_probabilities(gemma_model, gemma_oracle, kernels, name)


def assert_same_probabilities(path: Path, oracle: Any, kernels: Kernels, name: str) -> None:
    """Float activations within 0.05 %; 8-bit ones within what so few tokens let chance add."""
    ids = passage(text_of(path), name)[:TOKENS]
    (found,) = likeness(oracle, [(our_model(path, kernels), kernels)], [ids])
    assert found.tokens == TOKENS - 1
    is_float = isinstance(kernels, CpuKernels) and kernels.precise
    assert abs(found.perplexity_change) < (0.0005 if is_float else 0.03)
    assert found.divergence < (1e-4 if is_float else 0.015)
    assert found.same_top > (0.99 if is_float else 0.9)
