"""Opening what people have: single files, shards, folders, and what must be refused."""

from __future__ import annotations

import gc
import json
import pickle
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor

from engine.contract import EngineError, Fault, FaultKind
from engine.storage.open import open_checkpoint
from engine.weights import dense
from tests.storage.gguf_file import GgufFile

DTYPES = (torch.float32, torch.float16, torch.bfloat16)
GGML_PLAIN = {torch.float32: 0, torch.float16: 1, torch.bfloat16: 30}


def fault_of(path: Path) -> Fault:
    with pytest.raises(EngineError) as caught:
        open_checkpoint(path)
    return caught.value.fault


def save_folder(folder: Path, shards: list[dict[str, Tensor]], config: object = None) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config or {"model_type": "llama"}))
    if len(shards) == 1:
        save_file(shards[0], folder / "model.safetensors")
        return folder
    table: dict[str, str] = {}
    for number, shard in enumerate(shards, 1):
        name = f"model-{number:05}-of-{len(shards):05}.safetensors"
        save_file(shard, folder / name)
        table |= dict.fromkeys(shard, name)
    index = {"metadata": {}, "weight_map": table}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder


@pytest.mark.parametrize("dtype", DTYPES)
def test_plain_gguf_tensors_keep_their_type_and_outlive_the_checkpoint(
    tmp_path: Path, dtype: torch.dtype
) -> None:
    want = torch.randn(3, 8).to(dtype)
    raw = want.view(torch.uint8).numpy().tobytes()
    path = GgufFile(tensors=[("w", (3, 8), GGML_PLAIN[dtype], raw)]).write(tmp_path / "w.gguf")
    checkpoint = open_checkpoint(path)
    got = checkpoint.read("w")
    checkpoint.close()
    del checkpoint
    gc.collect()
    assert isinstance(got, Tensor)
    assert got.dtype == dtype
    assert torch.equal(got, want)


def test_an_odd_alignment_is_read_all_the_same(tmp_path: Path) -> None:
    want = torch.randn(5)
    file = GgufFile(
        pairs={"general.alignment": 1},
        tensors=[("c", (3,), 24, b"abc"), ("w", (5,), 0, want.numpy().tobytes())],
        alignment=1,
    )
    got = open_checkpoint(file.write(tmp_path / "w.gguf")).read("w")
    assert torch.equal(dense(got), want)


def test_experts_come_as_one_matrix_and_vectors_as_plain_tensors(tmp_path: Path) -> None:
    block = torch.tensor([1.0]).half().view(torch.uint8).numpy().tobytes() + bytes(range(32))
    file = GgufFile(tensors=[("experts", (2, 3, 64), 8, block * 12), ("bias", (32,), 8, block)])
    checkpoint = open_checkpoint(file.write(tmp_path / "w.gguf"))
    assert checkpoint.shape("experts") == (2, 3, 64)
    assert dense(checkpoint.read("experts")).shape == (6, 64)
    bias = checkpoint.read("bias")
    assert isinstance(bias, Tensor)
    assert bias.tolist() == list(range(32))


def test_a_gguf_file_is_known_by_its_content(tmp_path: Path) -> None:
    path = GgufFile(pairs={"a": 1}).write(tmp_path / "sha256-0123")
    assert open_checkpoint(path).metadata["a"] == 1


def test_a_file_that_shrinks_after_opening_is_truncated(tmp_path: Path) -> None:
    path = GgufFile(tensors=[("w", (64, 64), 8, bytes(34 * 128))]).write(tmp_path / "w.gguf")
    checkpoint = open_checkpoint(path)
    with path.open("r+b") as file:
        file.truncate(1000)
    with pytest.raises(EngineError) as caught:
        checkpoint.read("w")
    assert caught.value.fault.kind is FaultKind.FILE_TRUNCATED


def test_a_tensor_that_is_not_there_and_a_type_that_is_not_read_have_names(tmp_path: Path) -> None:
    path = GgufFile(tensors=[("w", (1, 256), 19, bytes(50))]).write(tmp_path / "w.gguf")
    checkpoint = open_checkpoint(path)
    for name, kind in (("no", FaultKind.TENSOR_MISSING), ("w", FaultKind.QUANTIZATION_UNSUPPORTED)):
        with pytest.raises(EngineError) as caught:
            checkpoint.read(name)
        assert caught.value.fault.kind is kind


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shards", [1, 3])
def test_D7_safetensors_folders_load_from_a_chinese_path_with_spaces(
    tmp_path: Path, dtype: torch.dtype, shards: int
) -> None:
    tensors = [
        {f"w{i}": torch.randn(4, 4).to(dtype), f"b{i}": torch.ones(4)} for i in range(shards)
    ]
    folder = save_folder(tmp_path / "資料 測試 檔", tensors)
    checkpoint = open_checkpoint(folder)
    assert checkpoint.format == "safetensors"
    assert checkpoint.metadata["model_type"] == "llama"
    assert sorted(checkpoint.names()) == sorted(n for t in tensors for n in t)
    for shard in tensors:
        for name, want in shard.items():
            assert checkpoint.shape(name) == want.shape
            assert checkpoint.nbytes(name) == want.nbytes
            got = checkpoint.read(name)
            assert isinstance(got, Tensor)
            assert got.dtype == want.dtype
            assert torch.equal(got, want)
    checkpoint.close()


def test_D7_gguf_loads_from_a_chinese_path_with_spaces(tmp_path: Path) -> None:
    file = GgufFile(tensors=[("w", (1, 32), 8, bytes(34))])
    checkpoint = open_checkpoint(file.write(tmp_path / "資料 測試 檔" / "模型 一.gguf"))
    assert dense(checkpoint.read("w")).shape == (1, 32)


def test_one_shard_opens_the_whole_model(tmp_path: Path) -> None:
    folder = save_folder(tmp_path / "m", [{"a": torch.ones(1)}, {"b": torch.ones(1)}])
    shard = folder / "model-00002-of-00002.safetensors"
    assert list(open_checkpoint(shard).names()) == ["a", "b"]
    (folder / "model.safetensors.index.json").unlink()
    assert list(open_checkpoint(shard).names()) == ["a", "b"]
    assert list(open_checkpoint(folder).names()) == ["a", "b"]


def test_a_lone_file_opens_without_a_config(tmp_path: Path) -> None:
    save_file({"a": torch.ones(1)}, tmp_path / "some.safetensors")
    checkpoint = open_checkpoint(tmp_path / "some.safetensors")
    assert dict(checkpoint.metadata) == {}
    assert list(checkpoint.names()) == ["a"]


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    folder = save_folder(tmp_path / "m", [{"a": torch.ones(1)}, {"b": torch.ones(1)}])
    gone = folder / "model-00002-of-00002.safetensors"
    gone.unlink()
    assert fault_of(folder) == Fault(FaultKind.FILE_MISSING, {"path": str(gone)})
    (folder / "model.safetensors.index.json").unlink()
    assert fault_of(folder) == Fault(FaultKind.FILE_MISSING, {"path": str(gone)})


def test_an_index_that_promises_what_no_shard_holds_is_named(tmp_path: Path) -> None:
    folder = save_folder(tmp_path / "m", [{"a": torch.ones(1)}, {"b": torch.ones(1)}])
    index = folder / "model.safetensors.index.json"
    content = json.loads(index.read_text())
    content["weight_map"]["c"] = "model-00001-of-00002.safetensors"
    index.write_text(json.dumps(content))
    fault = fault_of(folder)
    assert fault.kind is FaultKind.TENSOR_MISSING
    assert fault.figures["tensor"] == "c"


@pytest.mark.parametrize("table", [None, [], {"a": 1}, {"a": "../out.safetensors"}])
def test_an_index_that_is_none_or_reaches_outside_is_invalid(tmp_path: Path, table: object) -> None:
    folder = save_folder(tmp_path / "m", [{"a": torch.ones(1)}])
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": table}))
    assert fault_of(folder).kind is FaultKind.CONFIG_INVALID


@pytest.mark.parametrize("text", ["", "{", "[1]", "[" * 100_000, '"x"'])
def test_a_config_that_is_not_an_object_is_invalid(tmp_path: Path, text: str) -> None:
    folder = save_folder(tmp_path / "m", [{"a": torch.ones(1)}])
    (folder / "config.json").write_text(text)
    assert fault_of(folder).kind is FaultKind.CONFIG_INVALID


def test_a_folder_without_config_or_weights_says_which_file_is_missing(tmp_path: Path) -> None:
    folder = save_folder(tmp_path / "m", [{"a": torch.ones(1)}])
    (folder / "config.json").unlink()
    assert fault_of(folder).figures["path"] == str(folder / "config.json")
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").unlink()
    assert fault_of(folder).figures["path"] == str(folder / "model.safetensors")


class Trap:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (pytest.fail, ("a pickle was opened",))


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "weights.ckpt"])
def test_pickles_are_refused_unopened(tmp_path: Path, name: str) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / name).write_bytes(pickle.dumps(Trap()))
    for path in (tmp_path, tmp_path / name):
        fault = fault_of(path)
        assert fault == Fault(FaultKind.PICKLE_REFUSED, {"path": str(tmp_path / name)})


def test_other_files_are_named_by_their_ending(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"\x08\x07")
    fault = fault_of(tmp_path / "model.onnx")
    assert (fault.kind, fault.figures["format"]) == (FaultKind.FORMAT_UNSUPPORTED, ".onnx")
    assert fault_of(tmp_path / "no.gguf").kind is FaultKind.FILE_MISSING


def test_an_adapter_alone_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    save_file({"a": torch.ones(1)}, tmp_path / "adapter_model.safetensors")
    assert fault_of(tmp_path).figures["format"] == "adapter"
