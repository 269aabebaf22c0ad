"""From settings and free memory to kernels for each layer and a pool on each device."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
import torch

from engine.contract import EngineError, FaultKind, LoadSettings, NoticeKind
from engine.device import device_names
from engine.kernels.cuda.ways import first_that_works
from engine.kernels.interface import CacheShape, Kernels
from engine.kernels.reference import ReferenceKernels
from engine.layers.placed import PlacedCache
from engine.machine import Machine

SHAPES = (CacheShape(1, 16, 16),) * 4
LAYER = 1 << 20


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Accelerate warns of GPUs that this machine lacks."""
    log = logging.getLogger("accelerate.utils.modeling")
    log.disabled = True
    yield
    log.disabled = False


class Invented:
    """A machine with two small GPUs, which are ``cpu:0`` and ``cpu:1`` here."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, gpu: int, cpu: int) -> None:
        self.made: list[str] = []
        names = {None: ("cpu:0", "cpu:1", "cpu"), "cpu": ("cpu",)}
        monkeypatch.setattr("engine.machine.device_names", names.__getitem__)
        monkeypatch.setattr("engine.machine.ROOM", 1.0)
        self.bytes = {None: cpu, 0: gpu, 1: gpu}

    def choose(self, name: str | None, threads: int | None) -> Kernels:
        self.made.append(str(name))
        return ReferenceKernels(str(name), torch.float32)

    def free(self, device: torch.device) -> int:
        return self.bytes[device.index]

    def machine(self, settings: LoadSettings) -> Machine:
        return Machine(settings, self.choose, self.free)


def test_layers_and_their_pages_are_spread_over_what_there_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    invented = Invented(monkeypatch, gpu=4 * LAYER, cpu=8 * LAYER)
    machine = invented.machine(LoadSettings())
    assert machine.free == 16 * LAYER
    spread = machine.spreads(tokens=64, workspace=0)
    assert spread is not None
    ends, layers = spread(LAYER // 2, [LAYER] * 4, SHAPES)
    assert ends is machine.ends
    assert machine.devices == ("cpu:0", "cpu:1")
    cache = machine.make_cache(SHAPES, 3, 16, 16)
    assert isinstance(cache, PlacedCache)
    assert len(cache.parts) == len(set(layers))
    machine.close()


def test_a_model_that_one_device_holds_makes_kernels_for_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    invented = Invented(monkeypatch, gpu=9 * LAYER, cpu=9 * LAYER)
    machine = invented.machine(LoadSettings())
    spread = machine.spreads(tokens=64, workspace=0)
    assert spread is not None
    _, layers = spread(LAYER // 2, [LAYER] * 4, SHAPES)
    assert set(layers) == {machine.first}
    assert invented.made == ["cpu:0"]
    assert not isinstance(machine.make_cache(SHAPES, 3, 16, 16), PlacedCache)


def test_layers_beyond_the_wished_number_are_the_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    invented = Invented(monkeypatch, gpu=9 * LAYER, cpu=9 * LAYER)
    machine = invented.machine(LoadSettings(gpu_layers=1))
    spread = machine.spreads(tokens=64, workspace=0)
    assert spread is not None
    _, layers = spread(LAYER // 2, [LAYER] * 4, SHAPES)
    assert [str(kernels.device) for kernels in layers] == ["cpu:0", "cpu", "cpu", "cpu"]


def test_a_machine_of_one_device_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Invented(monkeypatch, gpu=0, cpu=LAYER).machine(LoadSettings(device="cpu"))
    assert machine.spreads(tokens=64, workspace=0) is None
    assert machine.devices == ("cpu",)


def test_a_gpu_whose_fast_kernels_do_not_work_is_told_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(device: torch.device, dtype: torch.dtype) -> Kernels:
        raise RuntimeError(f"no compiler for {device}")

    def choose(name: str | None, threads: int | None) -> Kernels:
        if name == "cpu":
            return ReferenceKernels()
        return first_that_works([refuse], torch.device(str(name)), torch.bfloat16).kernels

    invented = Invented(monkeypatch, gpu=9 * LAYER, cpu=9 * LAYER)
    assert invented.machine(LoadSettings()).notices == ()
    machine = Machine(LoadSettings(gpu_layers=1), choose, invented.free)
    spread = machine.spreads(tokens=64, workspace=0)
    assert spread is not None
    spread(LAYER // 2, [LAYER] * 4, SHAPES)
    (notice,) = machine.notices
    assert notice.kind is NoticeKind.KERNELS_SLOW
    assert notice.figures == {"device": "cpu:0", "reason": "refuse: no compiler for cpu:0"}


def test_fewer_layers_than_none_are_refused() -> None:
    with pytest.raises(EngineError) as caught:
        Machine(LoadSettings(gpu_layers=-1))
    assert caught.value.fault.kind is FaultKind.SETTING_INVALID


@pytest.mark.parametrize(
    ("wanted", "gpus", "names"),
    [
        (None, 0, ("cpu",)),
        (None, 2, ("cuda:0", "cuda:1", "cpu")),
        ("cuda", 2, ("cuda:0", "cuda:1", "cpu")),
        ("cuda:1", 2, ("cuda:1", "cpu")),
        ("cpu", 2, ("cpu",)),
        ("mps", 0, ("mps", "cpu")),
        ("cuda", 0, ("cuda", "cpu")),  # which names the missing device when it is chosen
    ],
)
def test_devices_in_the_order_in_which_they_are_filled(
    monkeypatch: pytest.MonkeyPatch, wanted: str | None, gpus: int, names: tuple[str, ...]
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpus > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    assert device_names(wanted) == names
