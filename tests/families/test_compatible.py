"""Compatibility mode: transformers' code behind our interface, whatever way it is fed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from engine.contract.faults import FaultKind, NoticeKind
from engine.families.compatible.causal import CausalModel
from engine.storage.open import open_checkpoint
from tests.families.parity import (
    MemoryCheckpoint,
    Sequences,
    assert_parity,
    fault,
    loaded,
    some_ids,
    tiny,
)

IDS = some_ids(97)
GPT2 = {"vocab_size": 97, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64}
FALCON = {"vocab_size": 97, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
MAMBA = {"vocab_size": 97, "hidden_size": 32, "state_size": 8, "num_hidden_layers": 2}
CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("GPT2Config", "GPT2LMHeadModel", GPT2),
    (
        "BloomConfig",
        "BloomForCausalLM",
        {"vocab_size": 97, "hidden_size": 32, "n_layer": 2, "n_head": 4},
    ),
    ("FalconConfig", "FalconForCausalLM", FALCON),
    ("FalconConfig", "FalconForCausalLM", {**FALCON, "alibi": True}),
    (
        "GPTNeoXConfig",
        "GPTNeoXForCausalLM",
        {**FALCON, "intermediate_size": 48, "max_position_embeddings": 64},
    ),
    ("MambaConfig", "MambaForCausalLM", MAMBA),
    (
        "RwkvConfig",
        "RwkvForCausalLM",
        {"vocab_size": 97, "hidden_size": 32, "num_hidden_layers": 2, "attention_hidden_size": 32},
    ),
]


def saved_folder(
    folder: Path, config: str, kind: str, sizes: dict[str, Any], spread: float = 0.1, seed: int = 0
) -> Any:
    made = getattr(transformers, config)(**sizes)
    oracle = tiny(getattr(transformers, kind), made, seed, spread)
    oracle.save_pretrained(folder)
    return oracle


@pytest.mark.parametrize(("config", "kind", "sizes"), CASES, ids=str)
def test_compatible_model_equals_transformers(
    tmp_path: Path, config: str, kind: str, sizes: dict[str, Any]
) -> None:
    oracle = saved_folder(tmp_path, config, kind, sizes)
    model = loaded(open_checkpoint(tmp_path))
    (notice,) = model.notices
    assert notice.kind is NoticeKind.COMPATIBILITY_MODE
    assert notice.figures["architecture"] == oracle.config.model_type
    assert model.weight_bytes >= 32 * 97 * 4
    assert_parity(oracle, model)


class Watched:
    """Counts the tokens that a module is fed."""

    def __init__(self, model: CausalModel) -> None:
        self.fed: list[int] = []
        module = model._module
        forward = module.forward

        def counting(*args: Any, **options: Any) -> Any:
            self.fed.append(options["input_ids"].shape[1])
            return forward(*args, **options)

        module.forward = counting


def test_a_second_turn_computes_only_what_is_new(tmp_path: Path) -> None:
    saved_folder(tmp_path, "GPT2Config", "GPT2LMHeadModel", GPT2)
    model = loaded(open_checkpoint(tmp_path))
    assert isinstance(model, CausalModel)
    watched = Watched(model)
    sequences = Sequences(model)
    sequences.run("a", IDS[:10], 10)
    sequences.run("a", IDS[10:], 13)
    assert watched.fed == [10, 13]


def test_a_branch_goes_back_and_leaves_the_first_as_it_was(tmp_path: Path) -> None:
    """The scheduler says that 9 tokens are known; 6 of them are shared with what was computed."""
    oracle = saved_folder(tmp_path, "GPT2Config", "GPT2LMHeadModel", GPT2)
    model = loaded(open_checkpoint(tmp_path))
    sequences = Sequences(model)
    sequences.run("a", IDS[:10], 10)
    branch = [*IDS[:6], 1, 2, 3, 4, 5]
    sequences._ids["b"] = branch[:9]
    sequences._pages["b"] = [0, 1, 2]
    got = sequences.step(("b", branch[9:]))[0]
    want = oracle(torch.tensor([branch])).logits[0, 9:]
    assert (got - want).abs().max() < 1e-4
    after = sequences.step(("a", IDS[10:12]))[0]
    want = oracle(torch.tensor([IDS[:12]])).logits[0, 10:]
    assert (after - want).abs().max() < 1e-4


def test_a_recurrent_model_answers_the_same_prompt_again_from_its_last_token(
    tmp_path: Path,
) -> None:
    oracle = saved_folder(tmp_path, "MambaConfig", "MambaForCausalLM", MAMBA)
    model = loaded(open_checkpoint(tmp_path))
    assert isinstance(model, CausalModel)
    sequences = Sequences(model)
    sequences.run("a", IDS[:10], 10)
    sequences.step(("a", [3]))
    watched = Watched(model)
    sequences._ids["b"] = IDS[:9]
    sequences._pages["b"] = [0, 1, 2]
    got = sequences.step(("b", IDS[9:10]))[0]
    assert watched.fed == [1]
    want = oracle(torch.tensor([IDS[:10]])).logits[0, 9:]
    assert (got - want).abs().max() < 1e-4


T5 = {
    "vocab_size": 97,
    "d_model": 32,
    "d_kv": 8,
    "d_ff": 48,
    "num_layers": 2,
    "num_heads": 4,
    "decoder_start_token_id": 0,
    "eos_token_id": 1,
    "pad_token_id": 0,
}
BART = {
    "vocab_size": 97,
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "max_position_embeddings": 64,
}
PAIRS = [
    ("T5Config", "T5ForConditionalGeneration", T5),
    ("BartConfig", "BartForConditionalGeneration", BART),
    ("BartConfig", "BartForConditionalGeneration", {**BART, "forced_bos_token_id": 0}),
]


def greedy(sequences: Sequences, name: str, prompt: list[int], count: int) -> list[int]:
    """As the scheduler drives a reply: the prompt in slices, then token by token."""
    sequences.feed(name, prompt[:-3])
    logits = sequences.feed(name, prompt[-3:], wanted=1)
    reply: list[int] = []
    while len(reply) < count:
        reply.append(int(logits[-1].argmax()))
        logits = sequences.feed(name, reply[-1:], wanted=1)
    return reply


def theirs(oracle: Any, prompt: list[int], count: int) -> list[int]:
    end = oracle.config.eos_token_id
    ids = torch.tensor([[*prompt, end]])
    out = oracle.generate(
        ids, max_new_tokens=count + 1, do_sample=False, num_beams=1, eos_token_id=None
    )
    opening = 2 if oracle.generation_config.forced_bos_token_id is not None else 1
    return out[0, opening : opening + count].tolist()


@pytest.mark.parametrize(("config", "kind", "sizes"), PAIRS, ids=str)
def test_encoder_decoder_says_what_generate_says(
    tmp_path: Path, config: str, kind: str, sizes: dict[str, Any]
) -> None:
    oracle = saved_folder(tmp_path, config, kind, sizes, spread=2.0, seed=1)
    model = loaded(open_checkpoint(tmp_path))
    sequences = Sequences(model)
    reply = greedy(sequences, "a", IDS[:12], 8)
    assert len(set(reply)) > 1, "a constant reply would prove nothing"
    assert reply == theirs(oracle, IDS[:12], 8)
    other = some_ids(97, 9, seed=8)
    assert greedy(sequences, "b", other, 5) == theirs(oracle, other, 5)


def test_an_encoder_decoder_answers_the_same_prompt_again(tmp_path: Path) -> None:
    """The last token is fed again over a prompt that is known: a new prompt, not a reply."""
    oracle = saved_folder(tmp_path, *PAIRS[0], spread=0.7)
    model = loaded(open_checkpoint(tmp_path))
    sequences = Sequences(model)
    prompt = IDS[:12]
    first = greedy(sequences, "a", prompt, 4)
    sequences._ids["b"] = prompt[:11]
    sequences._pages["b"] = [0, 1, 2]
    logits = sequences.feed("b", prompt[11:], wanted=1)
    assert int(logits[-1].argmax()) == first[0] == theirs(oracle, prompt, 1)[0]


def test_a_second_turn_of_an_encoder_decoder_reads_the_whole_conversation(tmp_path: Path) -> None:
    oracle = saved_folder(tmp_path, *PAIRS[0], spread=0.7)
    model = loaded(open_checkpoint(tmp_path))
    sequences = Sequences(model)
    reply = greedy(sequences, "a", IDS[:8], 3)
    more = some_ids(97, 5, seed=9)
    second = greedy(sequences, "a", more, 4)
    assert second == theirs(oracle, [*IDS[:8], *reply, *more], 4)


def test_code_that_comes_with_a_checkpoint_is_never_run() -> None:
    config = {"model_type": "own_thing", "auto_map": {"AutoModelForCausalLM": "code.Model"}}
    with fault(FaultKind.REMOTE_CODE_REFUSED, detail="own_thing"):
        loaded(MemoryCheckpoint({}, config))


def test_a_quantized_checkpoint_without_a_family_is_named(tmp_path: Path) -> None:
    config = {"model_type": "gpt2", "quantization_config": {"quant_method": "gptq"}}
    with fault(FaultKind.QUANTIZATION_UNSUPPORTED, quantization="gptq"):
        loaded(MemoryCheckpoint({}, config))


def test_a_tensor_that_transformers_would_make_up_is_missing(tmp_path: Path) -> None:
    import safetensors.torch

    saved_folder(tmp_path, "GPT2Config", "GPT2LMHeadModel", GPT2)
    path = tmp_path / "model.safetensors"
    tensors = safetensors.torch.load_file(path)
    del tensors["transformer.h.1.mlp.c_fc.weight"]
    safetensors.torch.save_file(tensors, path, {"format": "pt"})
    with fault(FaultKind.TENSOR_MISSING, tensor="transformer.h.1.mlp.c_fc.weight"):
        loaded(open_checkpoint(tmp_path))
