"""Facts of a model, read without loading it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.contract import EngineError, FaultKind, ModelFacts, Support
from engine.library.identify import identify
from engine.library.memory import memory_needed
from engine.library.names import name_of_file, name_of_folder
from tests.library.model_files import (
    LLAMA_CONFIG,
    Q6_K,
    Q8_0,
    llama_folder,
    llama_gguf,
    safetensors_bytes,
)


def fault_of(path: Path) -> EngineError:
    with pytest.raises(EngineError) as caught:
        identify(path)
    return caught.value


def test_D7_a_gguf_file_says_what_it_is(tmp_path: Path) -> None:
    path = llama_gguf().write(tmp_path / "資料 測試 檔" / "Tiny-Chat.Q8_0.gguf")
    facts = identify(path)
    parameters = 96 * 64 + 64
    assert facts == ModelFacts(
        path=path,
        name="Tiny-Chat",
        format="gguf",
        architecture="llama",
        support=Support.FAST,
        size_bytes=path.stat().st_size,
        parameters=parameters,
        active_parameters=parameters,
        bits_per_weight=round((96 * 2 * 34 + 256) * 8 / parameters, 2),
        quantization="Q8_0",
        context_length=512,
        layers=2,
        vocabulary=96,
        cache_bytes_per_token=2 * 2 * 2 * (16 + 16),  # bytes, layers, heads, key and value
        has_template=True,
        license="apache-2.0",
        publisher="Ink",
        languages=("en", "zh"),
        weight_bytes=96 * 2 * 34 + 256,
    )


def test_a_folder_says_what_it_is(tmp_path: Path) -> None:
    readme = "---\nlicense: mit\nlanguage:\n- en\n- zh\ntags: [a, b]\n---\n# Tiny\nlicense: no\n"
    folder = llama_folder(tmp_path / "Tiny-Chat", readme=readme)
    (folder / "tokenizer_config.json").write_text('{"chat_template": "x"}')
    facts = identify(folder)
    size = 96 * 64 * 2 + 64 * 4
    assert facts.support is Support.FAST
    assert (facts.name, facts.format, facts.architecture) == ("Tiny-Chat", "safetensors", "llama")
    assert (facts.parameters, facts.quantization) == (96 * 64 + 64, "bf16")
    assert facts.bits_per_weight == round(size * 8 / facts.parameters, 2)
    assert (facts.context_length, facts.layers, facts.vocabulary) == (512, 2, 96)
    assert facts.cache_bytes_per_token == 2 * 2 * 2 * (16 + 16)
    assert (facts.has_template, facts.license, facts.languages) == (True, "mit", ("en", "zh"))
    assert facts.weight_bytes == size
    assert identify(folder / "model.safetensors").parameters == facts.parameters


@pytest.mark.parametrize("name", ["chat_template.jinja", "chat_template.json"])
def test_a_template_file_beside_the_weights_counts(tmp_path: Path, name: str) -> None:
    folder = llama_folder(tmp_path / "m")
    assert not identify(folder).has_template
    (folder / name).write_text("x")
    assert identify(folder).has_template


def test_the_text_part_of_a_model_that_sees_is_found(tmp_path: Path) -> None:
    config = {"model_type": "gemma3", "text_config": {**LLAMA_CONFIG, "model_type": "gemma3_text"}}
    facts = identify(llama_folder(tmp_path / "m", config))
    assert (facts.architecture, facts.support, facts.layers) == ("gemma3", Support.FAST, 2)


def test_formats_held_in_more_bits_need_more_memory_than_their_file(tmp_path: Path) -> None:
    file = llama_gguf()
    file.tensors[0] = ("token_embd.weight", (96, 256), Q6_K, bytes(96 * 210))
    facts = identify(file.write(tmp_path / "m.gguf"))
    assert facts.weight_bytes == 96 * 256 * 7 // 8 + 256
    need = memory_needed(facts, 100)
    assert need.weights == facts.weight_bytes
    assert need.cache == facts.cache_bytes_per_token * 100
    assert need.total == need.weights + need.cache + need.workspace
    assert memory_needed(facts, 100, cache_bits=8).cache < need.cache * 0.54


@pytest.mark.parametrize("architecture", ["mamba", "未知", "x" * 200])
def test_D15_an_unknown_architecture_has_figures_and_is_unsupported(
    tmp_path: Path, architecture: str
) -> None:
    pairs = {"general.architecture": architecture}
    facts = identify(llama_gguf(**pairs).write(tmp_path / "m.gguf"))
    assert facts.support is Support.UNSUPPORTED
    assert facts.architecture == architecture
    numbers = [getattr(facts, f.name) for f in fields(facts) if f.type in {"int", "float"}]
    assert all(number >= 0 for number in numbers)
    assert memory_needed(facts, 4096).total > 0


@pytest.mark.parametrize(
    ("kind", "support"), [("gpt2", Support.COMPATIBLE), ("my_own", Support.UNSUPPORTED)]
)
def test_what_only_transformers_implements_is_compatible(
    tmp_path: Path, kind: str, support: Support
) -> None:
    config = {**LLAMA_CONFIG, "model_type": kind}
    assert identify(llama_folder(tmp_path / "m", config)).support is support
    config["quantization_config"] = {"quant_method": "gptq", "bits": 4}
    assert identify(llama_folder(tmp_path / "m", config)).support is Support.UNSUPPORTED


def test_experts_that_are_not_chosen_are_not_active(tmp_path: Path) -> None:
    file = llama_gguf(**{"llama.expert_count": 4, "llama.expert_used_count": 1})
    file.tensors.append(("blk.0.ffn_up_exps.weight", (4, 32, 64), Q8_0, bytes(4 * 32 * 2 * 34)))
    facts = identify(file.write(tmp_path / "m.gguf"))
    assert facts.parameters - facts.active_parameters == 3 * 32 * 64
    assert facts.support is Support.FAST  # Mixtral, which GGUF calls llama


def test_latent_attention_caches_the_latent_and_the_rotary_part(tmp_path: Path) -> None:
    config = {
        **LLAMA_CONFIG,
        "model_type": "deepseek_v2",
        "kv_lora_rank": 32,
        "qk_rope_head_dim": 8,
    }
    assert identify(llama_folder(tmp_path / "m", config)).cache_bytes_per_token == 2 * 2 * (32 + 8)
    pairs = {"general.architecture": "llama", "llama.attention.kv_lora_rank": 32}
    file = llama_gguf(**pairs, **{"llama.rope.dimension_count": 8})
    assert identify(file.write(tmp_path / "m.gguf")).cache_bytes_per_token == 2 * 2 * (32 + 8)


def test_layers_may_differ_in_their_heads(tmp_path: Path) -> None:
    file = llama_gguf(**{"llama.attention.head_count_kv": [1, 3]})
    facts = identify(file.write(tmp_path / "m.gguf"))
    assert facts.cache_bytes_per_token == 2 * (1 + 3) * (16 + 16)


PACKED: list[tuple[dict[str, Any], dict[str, tuple[str, tuple[int, ...]]], str]] = [
    (
        {"quant_method": "gptq", "bits": 4},
        {"l.qweight": ("I32", (8, 64)), "l.qzeros": ("I32", (1, 8)), "l.scales": ("F16", (1, 64))},
        "gptq-4bit",
    ),
    (
        {"quant_method": "awq", "bits": 4},
        {"l.qweight": ("I32", (64, 8)), "l.qzeros": ("I32", (1, 8)), "l.scales": ("F16", (1, 64))},
        "awq-4bit",
    ),
    (
        {
            "quant_method": "compressed-tensors",
            "config_groups": {"a": {"weights": {"num_bits": 4}}},
        },
        {"l.weight_packed": ("I32", (64, 8)), "l.weight_scale": ("BF16", (64, 1))},
        "compressed-tensors-4bit",
    ),
    (
        {"quant_method": "bitsandbytes", "load_in_4bit": True},
        {"l.weight": ("U8", (2048, 1)), "l.weight.absmax": ("F32", (64,))},
        "bitsandbytes-4bit",
    ),
    (
        {"quant_method": "mxfp4"},
        {"l_blocks": ("U8", (64, 2, 16)), "l_scales": ("U8", (64, 2))},
        "mxfp4",
    ),
    ({"quant_method": "fp8"}, {"l.weight": ("F8_E4M3", (64, 64))}, "fp8"),
]


@pytest.mark.parametrize(("scheme", "tensors", "label"), PACKED)
def test_packed_weights_count_as_the_values_they_stand_for(
    tmp_path: Path, scheme: dict[str, Any], tensors: dict[str, Any], label: str
) -> None:
    folder = llama_folder(tmp_path / "m", {**LLAMA_CONFIG, "quantization_config": scheme})
    (folder / "model.safetensors").write_bytes(safetensors_bytes(tensors))
    facts = identify(folder)
    assert facts.parameters == 64 * 64
    assert facts.quantization == label
    assert facts.support is Support.FAST


def test_a_layout_that_is_not_read_is_named_and_unsupported(tmp_path: Path) -> None:
    config = {**LLAMA_CONFIG, "quantization_config": {"quant_method": "aqlm"}}
    facts = identify(llama_folder(tmp_path / "m", config))
    assert (facts.quantization, facts.support) == ("aqlm", Support.UNSUPPORTED)


@pytest.mark.parametrize(
    "pairs",
    [
        {"general.architecture": None},
        {"general.architecture": 7},
        {"llama.block_count": 1 << 30},
        {"llama.block_count": "two"},
        {"llama.attention.head_count": 0.5},
        {"llama.context_length": True},
    ],
)
def test_impossible_numbers_are_an_invalid_config(tmp_path: Path, pairs: dict[str, Any]) -> None:
    path = llama_gguf(**pairs).write(tmp_path / "m.gguf")
    assert fault_of(path).fault.kind is FaultKind.CONFIG_INVALID


@pytest.mark.parametrize(
    "changes",
    [
        {"model_type": None},
        {"num_hidden_layers": 1 << 30},
        {"vocab_size": -1},
        {"hidden_size": "x"},
    ],
)
def test_impossible_numbers_in_a_config_are_invalid(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    folder = llama_folder(tmp_path / "m", {**LLAMA_CONFIG, **changes})
    assert fault_of(folder).fault.kind is FaultKind.CONFIG_INVALID


def test_an_adapter_is_no_model(tmp_path: Path) -> None:
    error = fault_of(llama_gguf(**{"general.type": "adapter"}).write(tmp_path / "m.gguf"))
    assert error.fault.kind is FaultKind.FORMAT_UNSUPPORTED
    assert error.fault.figures["format"] == "adapter"


def test_a_vocabulary_larger_than_the_embedding_is_named(tmp_path: Path) -> None:
    words = {"tokenizer.ggml.tokens": [f"w{i}" for i in range(97)]}
    error = fault_of(llama_gguf(**words).write(tmp_path / "m.gguf"))
    assert error.fault.kind is FaultKind.TOKENIZER_INVALID
    assert error.fault.figures["detail"] == "97 tokens, 96 rows of the embedding"
    words["tokenizer.ggml.tokens"] = words["tokenizer.ggml.tokens"][:90]  # padded: sound
    assert identify(llama_gguf(**words).write(tmp_path / "n.gguf")).vocabulary == 96


def test_a_vocabulary_alone_runs_nowhere(tmp_path: Path) -> None:
    file = llama_gguf()
    file.tensors.clear()
    facts = identify(file.write(tmp_path / "m.gguf"))
    assert (facts.support, facts.parameters, facts.vocabulary) == (Support.UNSUPPORTED, 0, 96)


def test_without_a_label_most_of_the_weights_decide(tmp_path: Path) -> None:
    for label in (None, "Q8", [1], 9999):
        path = llama_gguf(**{"general.file_type": label}).write(tmp_path / "m.gguf")
        assert identify(path).quantization == "Q8_0"


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("SmolLM2-135M-Instruct.Q4_1.gguf", "SmolLM2-135M-Instruct"),
        ("gemma-3-270m-Q4_K_M.gguf", "gemma-3-270m"),
        ("Qwen3-8B.i1-IQ4_XS.gguf", "Qwen3-8B"),
        ("big-UD-Q2_K_XL-00001-of-00003.gguf", "big"),
        ("model-BF16.gguf", "model"),
        ("通义 千问 7B.gguf", "通义 千问 7B"),
        ("Q4_0.gguf", "Q4_0"),
        ("sha256-" + "0a" * 32, "inside"),
    ],
)
def test_a_file_is_called_what_its_owner_called_it(file: str, name: str) -> None:
    assert name_of_file(Path(file), "inside") == name


def test_a_folder_of_the_hubs_cache_is_called_after_the_model() -> None:
    path = Path("/c/hub/models--Qwen--Qwen3-8B/snapshots/" + "0a" * 20)
    assert name_of_folder(path) == ("Qwen3-8B", "Qwen")
    assert name_of_folder(Path("/m/砚 台")) == ("砚 台", "")


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from([*LLAMA_CONFIG, "text_config", "quantization_config", "kv_lora_rank",
                         "num_experts", "num_experts_per_tok", "head_dim"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
            lambda inner: st.lists(inner, max_size=2)
            | st.dictionaries(st.sampled_from(["bits", "quant_method", "config_groups", "weights",
                                               "model_type", "num_bits"]), inner, max_size=3),
            max_leaves=6,
        ),
    )
)  # fmt: skip
def test_fuzz_any_config_gives_facts_or_a_named_fault(
    tmp_path_factory: pytest.TempPathFactory, changes: dict[str, Any]
) -> None:
    folder = tmp_path_factory.getbasetemp() / "fuzz"
    llama_folder(folder)
    (folder / "config.json").write_text(json.dumps({**LLAMA_CONFIG, **changes}))
    try:
        facts = identify(folder)
    except EngineError:
        return
    assert memory_needed(facts, 1000).total > 0


def test_real_files_are_identified_without_torch_or_numpy(starter_model: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom engine.library.identify import identify\n"
        "import engine.library.scan, engine.library.starter\n"
        "facts = identify(Path(sys.argv[1]))\n"
        "assert facts.parameters == 134_515_008, facts\n"
        "assert facts.cache_bytes_per_token == 2 * 30 * 3 * 128, facts\n"
        "heavy = {'torch', 'numpy', 'transformers', 'numba', 'httpx'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(starter_model)], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize(
    ("config", "beside", "writes"),
    [
        ({"architectures": ["LlamaForCausalLM"]}, "", True),
        ({"architectures": ["ChatGLMModel"]}, "", True),
        ({"architectures": ["GPT2LMHeadModel"]}, "", True),
        ({}, "", True),
        ({"architectures": ["LlamaForSequenceClassification"]}, "", False),
        ({"architectures": ["LlamaModel"]}, "", False),
        ({"model_type": "bert", "architectures": ["BertForMaskedLM"]}, "", False),
        (
            {"model_type": "whisper", "architectures": ["WhisperForConditionalGeneration"]},
            "",
            False,
        ),
        ({"architectures": ["Qwen3ForCausalLM"]}, "modules.json", False),  # Qwen3-Embedding
    ],
)
def test_what_compares_sorts_or_hears_texts_is_no_model_for_conversation(
    tmp_path: Path, config: dict[str, Any], beside: str, writes: bool
) -> None:
    folder = llama_folder(tmp_path / "model", {**LLAMA_CONFIG, **config})
    if beside:
        (folder / beside).write_text("[]")
    facts = identify(folder)
    assert (facts.writes, facts.support is not Support.UNSUPPORTED) == (writes, writes)


@pytest.mark.parametrize(
    "pairs",
    [
        {"general.architecture": "nomic-bert"},
        {"llama.pooling_type": 3},  # the last token's: Qwen3-Embedding and its like
        {"llama.pooling_type": 4},  # a reranker
    ],
)
def test_a_gguf_file_that_embeds_is_no_model_for_conversation(
    tmp_path: Path, pairs: dict[str, Any]
) -> None:
    facts = identify(llama_gguf(**pairs).write(tmp_path / "embed.gguf"))
    assert (facts.writes, facts.support) == (False, Support.UNSUPPORTED)


def test_names_stay_on_one_line_whatever_a_file_is_called(tmp_path: Path) -> None:
    assert name_of_file(Path("two\nlines\x07 and\ta bell.gguf"), "") == "two lines and a bell"
    assert name_of_file(Path("sha256-" + "a" * 64), "from\nwithin") == "from within"
    assert name_of_folder(Path("two\nlines"))[0] == "two lines"


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes in folders there")
def test_a_pipe_is_no_model_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.gguf")
    assert fault_of(tmp_path / "pipe.gguf").fault.kind is FaultKind.FORMAT_UNSUPPORTED
