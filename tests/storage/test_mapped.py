"""Pages of a large tensor go back while it is read, and what is read on is the same."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from engine.contract import EngineError, FaultKind
from engine.kernels.cpu import weights
from engine.kernels.cpu.kernels import CpuKernels
from engine.storage.mapped import LARGE
from engine.storage.open import open_checkpoint
from engine.storage.safetensors_checkpoint import SafetensorsCheckpoint

ROWS, COLUMNS = LARGE // 512 + 5, 256
MB = 1 << 20


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "model.safetensors"
    odd = torch.arange(3, dtype=torch.uint8)  # so that the large one does not begin a page
    large = torch.arange(ROWS * COLUMNS, dtype=torch.int32).to(torch.bfloat16)
    save_file({"large": large.view(ROWS, COLUMNS), "odd": odd}, path)
    return path


def of_files() -> int:
    """Bytes of files in this process's memory."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("RssFile"))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what of files is in memory")
def test_pages_go_back_while_the_tensor_is_in_use(file: Path) -> None:
    checkpoint = SafetensorsCheckpoint(file)
    before = of_files()
    tensor = checkpoint.read("large")
    assert isinstance(tensor, torch.Tensor)
    known = tensor.clone()
    assert of_files() - before > LARGE - MB
    checkpoint.release()
    assert of_files() - before > LARGE - MB  # what was read stays, for somebody may write into it
    checkpoint.release_in_use()
    assert of_files() - before < 4 * MB
    assert torch.equal(tensor, known)
    wanted = torch.arange(ROWS * COLUMNS, dtype=torch.int32).to(torch.bfloat16)
    assert torch.equal(known.flatten(), wanted)
    checkpoint.close()
    assert torch.equal(tensor.flatten(), wanted)  # as long as the tensor lives


def test_a_matrix_is_laid_out_in_parts_as_it_is_whole(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tensor, kernels = open_checkpoint(file).read("large"), CpuKernels(2)
    parts: list[int] = []
    try:
        monkeypatch.setattr(weights, "PART", LARGE // 7)
        in_parts = weights.packed_here(kernels.pack(tensor, lambda: parts.append(1)))
        monkeypatch.setattr(weights, "PART", 2 * LARGE)
        whole = weights.packed_here(kernels.pack(tensor))
    finally:
        kernels.close()
    assert len(parts) == 8
    assert (in_parts.data == whole.data).all()


def test_a_file_that_became_shorter_is_damaged(file: Path) -> None:
    checkpoint = open_checkpoint(file)
    file.write_bytes(file.read_bytes()[:MB])
    with pytest.raises(EngineError) as caught:
        checkpoint.read("large")
    assert caught.value.fault.kind is FaultKind.FILE_DAMAGED
    file.unlink()
    with pytest.raises(EngineError) as caught:
        checkpoint.read("large")
    assert caught.value.fault.kind is FaultKind.FILE_MISSING
