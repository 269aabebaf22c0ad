"""A device that runs out of memory: named, given back, and the engine goes on."""

from __future__ import annotations

import gc
import weakref
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from engine import loading
from engine.contract import (
    Complete,
    Event,
    Failed,
    FaultKind,
    Finished,
    GenerateSettings,
    Load,
    LoadSettings,
    Sampling,
)
from engine.device import out_of_memory_named
from engine.engine import Engine
from engine.kernels.interface import Packed
from engine.kernels.reference import ReferenceKernels
from engine.machine import Machine
from engine.weights import PartDone, Weight
from tests.doubles.engines import DirectService
from tests.doubles.model_folders import VOCABULARY, write_model
from tests.families.test_dense import oracle_of

FULL = "CUDA out of memory. Tried to allocate {size} bytes. GPU 0 has a total capacity of 1 MiB."


class Limited(ReferenceKernels):
    """A device with an allocator that has a limit, for weights and for a step's activations.

    Attributes:
        limit: bytes of weights.
        step_limit: bytes of one product's input.
        held: bytes of weights that are alive.
    """

    limit = 1 << 30
    step_limit = 1 << 30

    def __init__(self) -> None:
        super().__init__("cpu", torch.float32)
        self.held = 0

    def pack(self, weight: Weight, part_done: PartDone = None) -> Packed:
        packed = super().pack(weight, part_done)
        self._take(packed.nbytes, self.limit - self.held)
        self.held += packed.nbytes
        weakref.finalize(packed.weight, self._give, packed.nbytes)  # type: ignore[attr-defined]
        return packed

    def linear(self, x: Tensor, weight: Packed, bias: Tensor | None = None) -> Tensor:
        self._take(x.nbytes, self.step_limit)
        return super().linear(x, weight, bias)

    def _give(self, size: int) -> None:
        self.held -= size

    def _take(self, size: int, left: int) -> None:
        if size > left:
            raise torch.OutOfMemoryError(FULL.format(size=size))


class Device:
    """An engine whose one device is a ``Limited``."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.kernels = Limited()
        choose = lambda name, threads: self.kernels  # noqa: E731
        monkeypatch.setattr(loading, "Machine", partial(Machine, choose=choose))
        self.service = DirectService(self.note, Engine)
        self.last: Event | None = None
        self._request = 0

    def note(self, event: Event) -> None:
        self.last = event

    def ask(self, kind: Any, *arguments: Any) -> Event | None:
        """Run one command to its end; its last event."""
        self._request += 1
        self.service.submit(kind(self._request, *arguments))
        self.service.run_all()
        return self.last

    def load(self, path: Path) -> Event | None:
        return self.ask(Load, path, LoadSettings(context=256, threads=1, device="cpu"))

    def complete(self, text: str) -> Event | None:
        settings = GenerateSettings(sampling=Sampling(temperature=0.0), max_tokens=4)
        return self.ask(Complete, text, settings)


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A small model and a larger one."""
    sizes = {"vocab_size": VOCABULARY, "max_position_embeddings": 256}
    small = write_model(tmp_path / "small", oracle_of("Llama", sizes))
    wide = {**sizes, "intermediate_size": 4096}
    return small, write_model(tmp_path / "large", oracle_of("Llama", wide))


def test_a_model_that_does_not_fit_is_freed_and_another_loads(
    monkeypatch: pytest.MonkeyPatch, folders: tuple[Path, Path]
) -> None:
    before = torch.get_num_threads()
    device, (small, large) = Device(monkeypatch), folders
    device.kernels.limit = 2 << 20  # the larger one has 6 MiB, the small one 0.4
    failed = device.load(large)
    assert isinstance(failed, Failed)
    assert failed.fault.kind is FaultKind.OUT_OF_MEMORY
    assert failed.fault.figures["needed"] >= 1 << 20  # type: ignore[operator]
    gc.collect()
    assert device.kernels.held == 0
    assert isinstance(device.load(small), Finished)
    assert isinstance(device.complete("It goes on"), Finished)
    device.service.close()
    torch.set_num_threads(before)


def test_a_step_that_does_not_fit_fails_alone(
    monkeypatch: pytest.MonkeyPatch, folders: tuple[Path, Path]
) -> None:
    before = torch.get_num_threads()
    device, (small, _) = Device(monkeypatch), folders
    assert isinstance(device.load(small), Finished)
    held = device.kernels.held
    device.kernels.step_limit = 64 * 4 * 100  # a hundred tokens of 64 values
    failed = device.complete("x" * 200)
    assert isinstance(failed, Failed)
    assert failed.fault.kind is FaultKind.OUT_OF_MEMORY
    assert device.kernels.held == held
    device.kernels.step_limit = 1 << 30
    for _ in range(3):  # as often as the pool would overflow, had the failed request kept its pages
        assert isinstance(device.complete("x" * 200), Finished)
    device.service.close()
    torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("error", "needed"),
    [
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0"), 5 << 29),
        (RuntimeError("MPS backend out of memory (...). Tried to allocate 1.00 MB on …"), 1 << 20),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: you tried to allocate 64 bytes."), 64),
        (MemoryError(), 0),
    ],
    ids=["cuda", "mps", "cpu", "python"],
)
def test_every_allocator_is_understood(error: Exception, needed: int) -> None:
    with (
        pytest.raises(Exception, match="out_of_memory") as caught,
        out_of_memory_named(torch.device("cpu")),
    ):
        raise error
    assert caught.value.fault.figures["needed"] == needed


def test_other_errors_stay_what_they_are() -> None:
    with pytest.raises(RuntimeError, match="shape"), out_of_memory_named(torch.device("cpu")):
        raise RuntimeError("shape mismatch")
