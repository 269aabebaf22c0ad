"""The second start of the program compiles nothing: all machine code is found on disk."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from engine.kernels.cpu.compiling import cache_folder
from engine.kernels.cpu.kernels import CpuKernels
from engine.weights import Grouped8

ROOT = Path(__file__).resolve().parents[2]

SECOND_START = """
import torch
from engine.kernels.cpu import kernels, native
from engine.weights import Grouped8

def refuse(module, processor):
    raise AssertionError("compiled again: " + module.name)

native.compile_object = refuse
made = kernels.CpuKernels(1)
made.warm_up(lambda done, total: None)
codes = torch.ones(16, 32, dtype=torch.int8) * 100
weight = Grouped8(codes, torch.ones(16, 1).half(), 32)
print(float(made.linear(torch.ones(1, 32), made.pack(weight))[0, 0]))
print([made.name for made in kernels.STEP_OPERATIONS if made._compiled.cache_hits != 1])
made.close()
"""


def test_a_second_process_finds_all_code_on_disk() -> None:
    first = CpuKernels(1)
    first.warm_up(lambda done, total: None)
    codes = torch.ones(16, 32, dtype=torch.int8) * 100
    first.linear(torch.ones(1, 32), first.pack(Grouped8(codes, torch.ones(16, 1).half(), 32)))
    first.close()
    ran = subprocess.run(
        [sys.executable, "-c", SECOND_START], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.stderr == ""
    assert ran.stdout.splitlines() == ["3200.0", "[]"]


START = """
import torch
from engine.kernels.cpu import kernels
from engine.weights import Grouped8

made = kernels.CpuKernels(1)
codes = torch.ones(16, 32, dtype=torch.int8) * 100
weight = Grouped8(codes, torch.ones(16, 1).half(), 32)
print(float(made.linear(torch.ones(1, 32), made.pack(weight))[0, 0]))
made.close()
"""


@pytest.mark.parametrize("kept", [0.0, 0.5])
def test_half_written_files_of_compiled_code_are_compiled_anew(tmp_path: Path, kept: float) -> None:
    mine = tmp_path / "kernels"
    shutil.copytree(cache_folder(), mine)
    files = [path for path in mine.rglob("*") if path.is_file()]
    for path in files:
        with path.open("rb+") as file:
            file.truncate(int(path.stat().st_size * kept))
    begin = f"""
from pathlib import Path
from engine.kernels.cpu import compiling, native_library
compiling.cache_folder = native_library.cache_folder = lambda: Path({str(mine)!r})
"""
    for _ in range(2):
        ran = subprocess.run(
            [sys.executable, "-c", begin + START], cwd=ROOT, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert ran.stderr == ""
        assert ran.stdout == "3200.0\n"


def test_code_that_cannot_be_kept_leaves_nothing_behind(tmp_path: Path) -> None:
    taken, temporary = tmp_path / "taken", tmp_path / "temporary"
    taken.write_text("a file where the folder of caches would be")
    temporary.mkdir()
    said = "from engine.kernels.cpu.compiling import cache_folder; print(cache_folder().is_dir())"
    ran = subprocess.run(
        [sys.executable, "-c", said], cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "XDG_CACHE_HOME": str(taken), "TMPDIR": str(temporary)},
    )  # fmt: skip
    assert (ran.stdout, ran.stderr) == ("True\n", "")
    assert not list(temporary.iterdir())
