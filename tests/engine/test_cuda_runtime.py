"""The engine's process with a CUDA runtime: torch comes from it, or from where it always came."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.library.runtime.place import folder_of
from engine.library.runtime.variants import read_variants, this_platform

ROOT = Path(__file__).resolve().parents[2]
VARIANTS = [each for each in read_variants() if this_platform() in each.platforms]
IMPORT = (
    "import sys; from engine.startup import import_torch; import_torch(); import torch; "
    "print(torch.__file__)"
)

pytestmark = pytest.mark.skipif(not VARIANTS, reason="no CUDA runtime for this platform")


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    surroundings = dict(os.environ) | {"PYTHONPATH": str(ROOT), "PATH": "/nonexistent"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=surroundings, capture_output=True, text=True,
        check=False, timeout=120,
    )  # fmt: skip


@pytest.fixture
def torch_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a torch of the runtime lies, in a home of its own."""
    monkeypatch.setenv("INKSTONE_HOME", str(tmp_path))
    file = folder_of(VARIANTS[0]) / "torch" / "__init__.py"
    file.parent.mkdir(parents=True)
    return file


def test_torch_comes_from_the_runtime(torch_file: Path) -> None:
    torch_file.write_text("", "utf-8")
    assert python("-c", IMPORT).stdout.strip() == str(torch_file)


def test_one_that_fails_is_given_up_and_our_own_serves(torch_file: Path) -> None:
    torch_file.write_text("raise OSError('libcudart.so.13: cannot open')", "utf-8")
    ran = python("-c", IMPORT)
    assert ran.stdout.strip().endswith("__init__.py"), ran.stderr
    assert ran.stdout.strip() != str(torch_file)
    told = json.loads(python("-m", "engine", "runtime", "--json").stdout)
    assert told["unusable"] == "libcudart.so.13: cannot open"


def test_a_torch_without_a_gpu_does_not_pass_the_try(torch_file: Path) -> None:
    torch_file.write_text("raise ImportError('no libcuda\\nhere')", "utf-8")
    ran = python("-m", "engine", "runtime", "try", str(torch_file.parent.parent))
    assert (ran.returncode, ran.stderr.strip()) == (1, "no libcuda here")


def test_status_and_removal_on_the_command_line(torch_file: Path) -> None:
    torch_file.write_text("#" * 1000, "utf-8")
    told = json.loads(python("-m", "engine", "runtime", "status", "--json").stdout)
    assert (told["held"], told["folder"]) == (1000, str(torch_file.parent.parent))
    said = python("-m", "engine", "runtime", "remove")
    assert said.stdout.strip() == "1.0 kB are free again."
    assert not torch_file.exists()
    assert json.loads(python("-m", "engine", "runtime", "--json").stdout)["held"] == 0
