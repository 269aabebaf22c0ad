"""Layers are placed by memory, on machines that nobody has to own."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from engine.contract import EngineError, FaultKind
from engine.kernels.interface import CacheShape
from engine.placement import ModelBytes, Place, Placement, place_layers

MODEL = ModelBytes(100, (50,) * 10)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Accelerate warns of GPUs that this machine lacks."""
    log = logging.getLogger("accelerate.utils.modeling")
    log.disabled = True
    yield
    log.disabled = False


def placed(gpu_layers: int | None = None, **machine: int) -> Placement:
    """The model on a machine of "cuda0=bytes, cpu=bytes"."""
    places = [Place(name.replace("cuda", "cuda:"), size) for name, size in machine.items()]
    return place_layers(MODEL, places, gpu_layers)


def test_what_one_gpu_holds_stays_on_it() -> None:
    assert placed(cuda0=1000, cpu=1000).devices == ("cuda:0",)


def test_a_second_gpu_takes_what_the_first_does_not_hold() -> None:
    found = placed(cuda0=400, cuda1=400, cpu=1000)
    assert found.devices == ("cuda:0", "cuda:1")
    assert found.layers == tuple(sorted(found.layers))  # in order: one change of device
    assert 100 + 50 * found.layers.count("cuda:0") <= 400


def test_the_cpu_computes_what_no_gpu_holds() -> None:
    found = placed(cuda0=300, cuda1=300, cpu=1000)
    assert found.devices == ("cuda:0", "cuda:1", "cpu")
    assert found.layers[-1] == "cpu"
    assert 50 * found.layers.count("cuda:1") <= 300


def test_a_gpu_that_holds_not_even_the_ends_is_left_alone() -> None:
    assert placed(cuda0=80, cpu=1000).devices == ("cpu",)


def test_without_a_gpu_everything_is_on_the_cpu() -> None:
    assert placed(cpu=600) == Placement("cpu", ("cpu",) * 10)


@pytest.mark.parametrize("layers", [0, 3, 10, 99])
def test_no_more_layers_than_wished_are_on_gpus(layers: int) -> None:
    found = placed(layers, cuda0=10_000, cpu=10_000)
    assert found.layers.count("cuda:0") == min(layers, 10)
    assert found.ends == ("cuda:0" if layers else "cpu")


@pytest.mark.parametrize(
    "machine", [{"cpu": 599}, {"cuda0": 200, "cpu": 300}, {"cuda0": 100, "cuda1": 100, "cpu": 100}]
)
def test_a_model_that_no_machine_holds_is_a_fault_with_figures(machine: dict[str, int]) -> None:
    with pytest.raises(EngineError) as caught:
        placed(**machine)
    assert caught.value.fault.kind is FaultKind.OUT_OF_MEMORY
    assert caught.value.fault.figures["needed"] == 600
    assert caught.value.fault.figures["free"] == sum(machine.values())


def test_the_cache_of_a_layer_lies_with_its_weights() -> None:
    """32 tokens of two heads of 8 in 16 bits: keys and values, or keys alone."""
    shapes = [CacheShape(2, 8, 8), CacheShape(2, 8, 8, values_in_keys=True)]
    model = ModelBytes(10, (100, 100)).with_cache(shapes, tokens=32, bits=16)
    assert model == ModelBytes(10, (100 + 32 * 2 * 16 * 2, 100 + 32 * 2 * 8 * 2))
