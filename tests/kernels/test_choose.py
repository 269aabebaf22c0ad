"""Kernels are chosen by what is there, and what is not there is a named fault."""

import threading

import pytest
import torch

from engine.contract.faults import EngineError, FaultKind
from engine.kernels.bandwidth import measure_read_bandwidth
from engine.kernels.choose import VARIABLE, choose_kernels


def test_the_cpu_is_the_default() -> None:
    kernels = choose_kernels(None, 1)
    assert (kernels.name, kernels.device.type, kernels.dtype) == ("cpu", "cpu", torch.float32)


def test_the_variable_forces_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "reference")
    assert choose_kernels(None, None).name == "reference"


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_a_missing_device_is_named() -> None:
    with pytest.raises(EngineError) as caught:
        choose_kernels("cuda:1", None)
    assert caught.value.fault.kind is FaultKind.DEVICE_MISSING
    assert caught.value.fault.figures == {"device": "cuda:1"}


@pytest.mark.parametrize(("device", "threads"), [("toaster", None), ("cpu", 0)])
def test_wrong_settings_are_named(device: str, threads: int | None) -> None:
    with pytest.raises(EngineError) as caught:
        choose_kernels(device, threads)
    assert caught.value.fault.kind is FaultKind.SETTING_INVALID


def test_a_wrong_value_of_the_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "fast")
    with pytest.raises(EngineError):
        choose_kernels(None, None)


def test_bandwidth_is_that_of_a_memory() -> None:
    # between a slow laptop and a large server; the workers are gone afterwards
    before = threading.active_count()
    assert 1e9 < measure_read_bandwidth(2) < 1e12
    assert threading.active_count() == before
