"""The real models, against transformers on the same file dequantized by the ``gguf`` package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gguf
import torch

from engine.families.registry import model_config
from engine.storage.open import open_checkpoint
from tests.families.parity import Sequences, expected, loaded

# "<|im_start|>user\nHello, who are you?<|im_end|>\n<|im_start|>assistant\n" and a reply
STARTER_IDS = [1, 4093, 198, 19556, 28, 638, 359, 346, 47, 2, 198, 1, 520, 9531, 198]
STARTER_IDS += [57, 5248, 588, 22657, 288, 4875, 563, 469, 3289, 30, 657, 506, 1811, 253]


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


def test_the_starter_model_equals_transformers_on_the_dequantized_file(
    starter_model: Path,
) -> None:
    """Q4_1 and Q8_0 are held exactly: the logits differ by float32 rounding alone."""
    from transformers import LlamaConfig, LlamaForCausalLM

    checkpoint = open_checkpoint(starter_model)
    config = model_config(checkpoint)
    del config["model_type"]
    theirs = LlamaConfig(**config, vocab_size=49152)
    heads = {"q_proj": theirs.num_attention_heads, "k_proj": theirs.num_key_value_heads}
    want = expected(dequantized(starter_model, LlamaForCausalLM, theirs, heads), STARTER_IDS)
    got = Sequences(loaded(checkpoint)).run("a", STARTER_IDS, 16)
    assert (got - want).abs().max() < 1e-3
    assert torch.equal(got.argmax(-1), want.argmax(-1))
    assert got[14:-1].argmax(-1).tolist()[:14] == STARTER_IDS[15:], "the reply is its own"
