"""Which kernels would run, told without a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from engine import cli
from engine.kernels.choose import VARIABLE
from engine.kernels.cpu.processor import this_processor
from engine.kernels.cuda.ways import Choice
from engine.kernels.described import describe_kernels
from engine.kernels.reference import ReferenceKernels
from tests.families.parity import saved
from tests.families.test_dense import oracle_of


@pytest.fixture(autouse=True)
def no_wish(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


def test_a_processor_s_instructions_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    (cpu,) = describe_kernels(["cpu"])
    assert cpu.device == "cpu"
    assert cpu.kernels.startswith(f"{this_processor().label}, 8-bit activations")
    monkeypatch.setenv(VARIABLE, "precise")
    assert "float activations" in describe_kernels(["cpu"])[0].kernels
    monkeypatch.setenv(VARIABLE, "reference")
    assert describe_kernels(["cpu"])[0].kernels.startswith("plain torch")


def test_a_gpu_s_way_comes_with_why_no_faster_one_is_taken() -> None:
    def choose(device: torch.device) -> Choice:
        assert device == torch.device("cuda:1")
        kernels = ReferenceKernels("cpu", torch.bfloat16)
        return Choice(kernels, ("triton: no C compiler", "tinygemm: needs sm_80"))

    gpu, cpu = describe_kernels(["cuda:1", "cpu"], choose)
    assert gpu.kernels == "weights are dequantized for each product, bfloat16"
    assert gpu.refused == ("triton: no C compiler", "tinygemm: needs sm_80")
    assert cpu.refused == ()


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_inspect_tells_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tqdm.std.tqdm.monitor_interval", 0)  # writing the model starts no thread
    saved(oracle_of("Llama", {}), tmp_path)
    assert cli.main(["inspect", str(tmp_path)]) == 0
    assert f"cpu: {this_processor().label}" in capsys.readouterr().out
    assert cli.main(["inspect", str(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["kernels"]
    assert [each["device"] for each in told] == ["cpu"]
