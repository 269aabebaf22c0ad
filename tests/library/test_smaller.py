"""How large a copy will be, and the commands that serve it."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from engine.library.copy_facts import FACTS, QUALITY
from engine.library.identify import identify
from engine.library.recipes import PRESETS
from engine.library.smaller import copies_of, not_compared, read_quality, read_shape
from engine.library.vllm_commands import serve_commands
from tests.quantization.folders import HIDDEN, VOCABULARY, write_folder


def test_an_embedding_stays_and_layers_shrink(tmp_path: Path) -> None:
    shape = read_shape(write_folder(tmp_path / "tiny"))
    assert shape.embedding == VOCABULARY * HIDDEN
    assert shape.head == 0
    layers = 4 * 2 * 96 * 64 + 64
    assert shape.layers == layers
    assert shape.size(PRESETS["4-small"]) == round((layers * 4.25 + shape.embedding * 16) / 8)
    assert shape.size(PRESETS["4-small"]) < shape.size(PRESETS["4"]) < shape.size(PRESETS["8"])
    assert shape.read_bytes(1000) == 1000  # the embedding is the head


def test_a_gguf_file_has_a_shape_too(starter_model: Path) -> None:
    shape = read_shape(starter_model)
    assert shape.embedding == 49152 * 576
    assert shape.head == 0


def test_copies_without_a_report_know_their_original_by_its_name(tmp_path: Path) -> None:
    """Nothing says that a folder with the original's name is not the copy itself."""
    said = {"bits": 4, "group": 32, "method": "gptq", "source": "big"}
    texts = {
        "found": said,
        "reported": said,
        "nowhere": said | {"source": "gone.gguf"},
        "itself": said | {"source": "itself"},
        "strange": said | {"bits": 3},
        "no copy": [1],
    }
    for name, text in texts.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / FACTS).write_text(json.dumps(text))
    (tmp_path / "reported" / QUALITY).write_text("{}")
    (tmp_path / "big").mkdir()
    models = [tmp_path / name for name in (*texts, "big")]
    found = {each.copy.name: each for each in not_compared(models)}
    assert set(found) == {"found", "nowhere", "itself"}
    assert found["found"].source == tmp_path / "big"
    assert found["found"].recipe.method.value == "gptq"
    assert (found["nowhere"].source, found["nowhere"].source_name) == (None, "gone.gguf")
    assert found["itself"].source is None


def test_a_report_is_found_by_its_source_and_a_damaged_one_is_none(tmp_path: Path) -> None:
    copy, other = tmp_path / "copy", tmp_path / "other"
    for folder in (copy, other):
        folder.mkdir()
    (copy / "quality.json").write_text(json.dumps({"source_path": "/m/source"}))
    (other / "quality.json").write_text("[1")
    assert [q.copy for q in copies_of(Path("/m/source"), [copy, other])] == [copy]
    assert read_quality(other).report == {}


def config(folder: Path, **values: Any) -> Path:
    folder.mkdir(exist_ok=True)
    groups = {"g": {"targets": ["a"], "weights": {"num_bits": 4, "group_size": 32}}}
    whole = {
        "num_attention_heads": 32, "num_key_value_heads": 8, "hidden_size": 4096,
        "intermediate_size": 12288, "quantization_config": {"config_groups": groups}, **values,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(whole))
    return folder


@pytest.mark.parametrize(
    ("changes", "split"),
    [
        ({}, 8),
        ({"num_attention_heads": 9, "num_key_value_heads": 3, "hidden_size": 576,
          "intermediate_size": 1536}, 3),
        ({"intermediate_size": 12288 + 32}, 1),  # the last part would hold a broken group
    ],
)  # fmt: skip
def test_a_layer_is_split_where_heads_and_groups_allow(
    tmp_path: Path, changes: dict[str, Any], split: int
) -> None:
    commands = serve_commands(config(tmp_path / "a copy", **changes))
    assert commands.split == split
    for line in (commands.one, commands.several):
        words = shlex.split(line)
        assert words[:3] == ["vllm", "serve", str(tmp_path / "a copy")]
    wanted = ["--tensor-parallel-size", str(split)]
    assert shlex.split(commands.several)[-2:] == (
        wanted if split > 1 else ["--pipeline-parallel-size", "2"]
    )
    head, join, serve = commands.machines.split("\n", 2)
    assert head.startswith("ray start --head")
    assert join.startswith("ray start --address=")
    assert shlex.split(serve)[-2:] == ["--distributed-executor-backend", "ray"]


def told(command: str) -> list[str]:
    """The arguments that a program gets when a shell reads the command."""
    line = "vllm() { printf '%s\\n' vllm \"$@\"; }; " + command
    ran = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True)
    return ran.stdout.splitlines()


@pytest.mark.skipif(shutil.which("sh") is None, reason="no shell to read them")
@pytest.mark.parametrize("name", ["a copy", "小模型 4 位", "it's 4-bit $HOME"])
@pytest.mark.parametrize("nested", [False, True])
def test_the_commands_are_the_checkpoints_own_whatever_its_folder_is_called(
    tmp_path: Path, name: str, nested: bool
) -> None:
    """Read back as a shell reads them; a model that sees pictures keeps its text's part below."""
    quantization = {"quant_method": "compressed-tensors", "format": "pack-quantized"}
    values: dict[str, Any] = {"max_position_embeddings": 32768, "num_attention_heads": 8,
                              "hidden_size": 1024, "intermediate_size": 4096}  # fmt: skip
    inner = {"text_config": values} if nested else values
    folder = config(tmp_path / name, quantization_config=quantization, **inner)
    commands = serve_commands(folder)
    wanted = [
        "vllm", "serve", str(folder), "--served-model-name", name,
        "--quantization", "compressed-tensors", "--max-model-len", "32768",
    ]  # fmt: skip
    assert told(commands.one) == wanted
    assert told(commands.several) == [*wanted, "--tensor-parallel-size", "8"]
    both = ["--tensor-parallel-size", "8", "--pipeline-parallel-size", "2"]
    last = told(commands.machines.split("\n", 2)[2])
    assert last == [*wanted, *both, "--distributed-executor-backend", "ray"]


def test_bits_of_mixed_copies_are_counted_by_their_modules(tmp_path: Path) -> None:
    """Two matrices of 64 x 64, one in 4 and one in 8 bits, a scale of 16 bits for each 32."""
    import torch
    from safetensors.torch import save_file

    folder = write_folder(tmp_path / "mixed")
    tensors = {}
    for name, bits in (("a", 4), ("b", 8)):
        at = f"model.layers.0.{name}"
        tensors[f"{at}.weight_packed"] = torch.zeros(64, 64 * bits // 32, dtype=torch.int32)
        tensors[f"{at}.weight_scale"] = torch.ones(64, 2, dtype=torch.bfloat16)
        tensors[f"{at}.weight_shape"] = torch.tensor([64, 64])
    save_file(tensors, folder / "model.safetensors")
    values = json.loads((folder / "config.json").read_text())
    groups = {
        "group_0": {"targets": ["model.layers.0.a"], "weights": {"num_bits": 4}},
        "group_1": {"targets": ["re:.*b$"], "weights": {"num_bits": 8}},
    }
    values["quantization_config"] = {
        "quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups": groups
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(values))
    facts = identify(folder)
    assert facts.parameters == 2 * 64 * 64
    assert facts.bits_per_weight == pytest.approx((4.5 + 8.5) / 2, abs=0.04)
