"""CUDA kernels without a GPU: equal to the reference under the interpreter, compiled for real ones.

Both need a process of their own, because Triton's interpreter is switched on for a whole process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

pytest.importorskip("triton", reason="Triton exists for Linux alone")

from engine.kernels.cuda.tinygemm import scales_of
from engine.kernels.cuda.ways import check, first_that_works, tinygemm_kernels, triton_kernels
from engine.kernels.interface import Kernels
from engine.kernels.reference import ReferenceKernels
from tests.kernels.cuda_checks import CHECKS, four

ROOT = Path(__file__).parents[2]
BENCH = ROOT / "tests" / "bench" / "cuda.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=280,
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        check=False,
    )


@pytest.fixture(scope="module")
def interpreted() -> Any:
    ran = run(str(BENCH), "--interpret", "--json")
    assert ran.stdout, ran.stderr
    results = json.loads(ran.stdout)
    assert ran.returncode == int(any(results.values()))
    return results


@pytest.fixture(scope="module")
def compiled() -> Any:
    ran = run("-m", "tests.kernels.cuda_compile")
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.parametrize("name", CHECKS)
def test_equal_to_the_reference_under_the_interpreter(interpreted: Any, name: str) -> None:
    assert interpreted[name] == ""


@pytest.mark.parametrize("capability", [80, 89, 90])
def test_every_kernel_compiles_for_real_processors(compiled: Any, capability: int) -> None:
    """... fits their shared memory, spills no registers, and multiplies on tensor cores."""
    shared = {80: 163, 89: 99, 90: 227}[capability]
    made = [one for one in compiled if one["capability"] == capability]
    kernels = {one["kernel"] for one in made}
    on_tensor_cores = {"multiply_matrix", "attend_split", "attend_rows"}
    rest = {"multiply_rows_4", "multiply_rows_8", "normalise", "place_heads", "gate", "combine"}
    assert kernels == on_tensor_cores | rest
    for one in made:
        assert one["shared_kib"] <= shared, one
        assert one["spilled"] == 0, one
        assert one["tensor_cores"] is (one["kernel"] in on_tensor_cores), one


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_without_a_gpu_the_benchmark_says_so() -> None:
    ran = run(str(BENCH))
    assert ran.returncode == 3
    assert ran.stdout == "There is no CUDA device here, so nothing was measured.\n"


CPU = torch.device("cpu")


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_a_way_that_does_not_start_is_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    def missing(device: torch.device, dtype: torch.dtype) -> Kernels:
        raise ImportError("no module named triton")

    ways = (missing, triton_kernels, tinygemm_kernels)
    choice = first_that_works(ways, CPU, torch.bfloat16)
    kernels = choice.kernels
    assert choice.refused[0] == "missing: no module named triton"
    assert (kernels.name, kernels.dtype) == ("reference", torch.bfloat16)
    assert [record.args[0] for record in caplog.records if record.levelname == "WARNING"] == [
        "missing",
        "triton_kernels",
        "tinygemm_kernels",
    ]


class Wrong(ReferenceKernels):
    """Multiplies almost right."""

    def linear(self, x: Any, weight: Any, bias: Any = None) -> Any:
        return super().linear(x, weight, bias) * (1.05 if len(x) > 8 else 1)


def test_a_way_that_computes_wrongly_is_passed_over() -> None:
    def wrong(device: torch.device, dtype: torch.dtype) -> Kernels:
        kernels = Wrong(device, dtype)
        check(kernels)
        return kernels

    def right(device: torch.device, dtype: torch.dtype) -> Kernels:
        kernels = ReferenceKernels(device, dtype)
        check(kernels)
        return kernels

    assert type(first_that_works((wrong, right), CPU, torch.bfloat16).kernels) is ReferenceKernels


@pytest.mark.parametrize("minimum", [True, False])
def test_tinygemm_gets_the_same_scales(minimum: bool) -> None:
    """Its CPU operation has the same scales and another layout of codes; the GPU's is untested."""
    weight = four(16, 256, 64, minimum)
    codes = torch.stack((weight.codes & 15, weight.codes >> 4), dim=-1).view(16, 256)
    tiles = torch.ops.aten._convert_weight_to_int4pack_for_cpu(codes.int(), 2)
    x = torch.randn(3, 256, generator=torch.Generator().manual_seed(1)).bfloat16()
    got = torch.ops.aten._weight_int4pack_mm_for_cpu(x, tiles, 64, scales_of(weight)).float()
    want = x.float() @ weight.dequantize().T
    assert float((got - want).abs().max() / want.abs().max()) < 2e-2
