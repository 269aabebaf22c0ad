"""Memory that is short is known before the work; memory that runs out is named with its figures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.cli_words import fault_sentence
from engine.contract import EngineError, FaultKind
from engine.library.recipes import PRESETS, Method, Recipe, Scheme
from engine.quantization import room
from engine.quantization.job import Job
from engine.quantization.plan import Plan
from tests.quantization.models import source_of, write_llama

HUNGRY = """
import resource, sys, psutil, torch
from engine.cli import main
from engine.quantization import job

def nearest(weight, scheme, dtype):
    held = psutil.Process().memory_info().vms
    resource.setrlimit(resource.RLIMIT_AS, (held + (1 << 30), held + (1 << 30)))
    return torch.empty(6 << 30, dtype=torch.uint8)

job.round_nearest = nearest
sys.exit(main(["quantize", *sys.argv[1:], "--bits", "4", "--method", "nearest", "--events"]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS is honoured on Linux")
def test_an_allocation_that_fails_is_told_with_its_figures(
    starter_model: Path, tmp_path: Path
) -> None:
    """The first layer's rounding asks for six gibibytes of one."""
    text = tmp_path / "short.txt"
    text.write_text("A short text to measure with, and no more than this.", "utf-8")
    ran = subprocess.run(
        [
            sys.executable, "-W", "ignore", "-c", HUNGRY,
            str(starter_model), str(tmp_path / "copy"), "--calibration", str(text),
        ],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert ran.returncode == 1, ran.stderr
    told = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")][-1]
    assert (told["event"], told["fault"]) == ("failed", "out_of_memory")
    assert told["figures"]["needed"] == 6 << 30
    assert told["figures"]["free"] > 0
    assert "Traceback" not in ran.stderr


def test_short_memory_is_known_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_llama(tmp_path / "source", layers=1)
    free = SimpleNamespace(available=100 << 20)
    monkeypatch.setattr(room.psutil, "virtual_memory", lambda: free)
    with pytest.raises(EngineError) as caught:
        Job(source_of(folder), tmp_path / "copy", PRESETS["4"], lambda made: None).run()
    fault = caught.value.fault
    assert fault.kind is FaultKind.MEMORY_SHORT
    assert fault.figures["free"] == 100 << 20
    assert "104.9 MB are free: close other programs" in fault_sentence(fault)
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


def test_what_is_needed_grows_with_the_largest_layer_and_not_with_their_number(
    tmp_path: Path,
) -> None:
    def needed(method: Method, runs: bool = True, **sizes: int) -> int:
        folder = tmp_path / f"{method}{sizes}"
        source = source_of(write_llama(folder, **sizes))
        recipe = replace(Recipe(Scheme(4, 32)), method=method)
        return room.memory_needed(source, Plan(source, recipe), recipe, runs=runs)

    one, more = (needed(Method.SEARCH, layers=n) for n in (1, 4))
    assert one == more
    wide = needed(Method.SEARCH, runs=False, layers=1, intermediate_size=2048)
    # three matrices of 128 columns in float32, and once more the values by one's codes
    alone = needed(Method.SEARCH, runs=False, layers=1)
    assert wide - alone == pytest.approx(3 * 128 * 2048 * 4 + 128 * 2048 * 5, rel=0.3)
    # the products of 2048 columns, and two squares as large while codes are polished
    read = needed(Method.SEARCH, layers=1, intermediate_size=2048)
    assert read - wide == pytest.approx(3 * 2048**2 * 4, rel=0.1)
    # three squares more while they are solved
    gptq = needed(Method.GPTQ, layers=1, intermediate_size=2048)
    assert gptq - read == 3 * 2048**2 * 4
    assert needed(Method.AWQ, layers=1, intermediate_size=2048) == read
