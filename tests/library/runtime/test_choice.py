"""Which runtime a driver gets, and what is said where it gets none."""

from __future__ import annotations

from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from engine.cli_words import fault_sentence
from engine.contract import EngineError, FaultKind
from engine.library.runtime.driver import Driver, ask_nvml, read_driver
from engine.library.runtime.variants import Variant, choose_variant, read_variants

LINES = "580.95.05, 8.9, NVIDIA GeForce RTX 4060\n580.95.05, 12.0, NVIDIA GeForce RTX 5090, OEM\n"
BEST = Driver("580.95.05", "12.0", "NVIDIA GeForce RTX 5090, OEM")
NEW = Variant("cu130", "2.13.0", ("linux-x86_64",), "580.65.06", "7.5", ())
OLD = Variant("cu126", "2.13.0", ("linux-x86_64",), "525.60.13", "5.0", ())


def test_the_tool_is_asked_and_the_most_capable_gpu_counts() -> None:
    assert read_driver(lambda: LINES, lambda: None) == BEST


@pytest.mark.parametrize("said", ["", "No devices were found\n", "[N/A], [N/A], x\n", "580.1\n"])
def test_the_library_is_asked_where_the_tool_says_nothing(said: str) -> None:
    assert read_driver(lambda: said, lambda: BEST) == BEST
    assert read_driver(lambda: said, lambda: None) is None


class FakeNvml:
    """NVML with GPUs of these capabilities."""

    def __init__(self, capabilities: list[tuple[int, int]], *, starts: bool = True) -> None:
        self._capabilities, self._starts, self.is_open = capabilities, starts, False

    def nvmlInit_v2(self) -> int:
        self.is_open = self._starts
        return 0 if self._starts else 9

    def nvmlShutdown(self) -> int:
        self.is_open = False
        return 0

    def nvmlSystemGetDriverVersion(self, text: Any, _size: int) -> int:
        text.value = b"570.10"
        return 0

    def nvmlDeviceGetCount_v2(self, count: Any) -> int:
        count._obj.value = len(self._capabilities)
        return 0

    def nvmlDeviceGetHandleByIndex_v2(self, number: int, device: Any) -> int:
        device._obj.value = number + 1
        return 0

    def nvmlDeviceGetName(self, device: Any, text: Any, _size: int) -> int:
        text.value = b"GPU %d" % device.value
        return 0

    def nvmlDeviceGetCudaComputeCapability(self, device: Any, major: Any, minor: Any) -> int:
        major._obj.value, minor._obj.value = self._capabilities[device.value - 1]
        return 0


def test_what_nvml_says() -> None:
    nvml: Any = FakeNvml([(9, 0), (10, 0), (7, 5)])
    assert ask_nvml(nvml) == Driver("570.10", "10.0", "GPU 2")
    assert not nvml.is_open
    no_gpu: Any = FakeNvml([])
    assert ask_nvml(no_gpu) is None
    no_driver: Any = FakeNvml([(9, 0)], starts=False)
    assert ask_nvml(no_driver) is None


@pytest.mark.parametrize(
    ("driver", "variant"),
    [("580.65.06", NEW), ("591.1", NEW), ("580.65.05", OLD), ("525.60.13", OLD)],
)
def test_the_first_that_the_driver_runs(driver: str, variant: Variant) -> None:
    found = choose_variant(Driver(driver, "8.6", "x"), (NEW, OLD), "linux-x86_64")
    assert found is variant


def test_an_old_gpu_under_a_new_driver_gets_what_it_can_run() -> None:
    assert choose_variant(Driver("580.95", "6.1", "x"), (NEW, OLD), "linux-x86_64") is OLD


@pytest.mark.parametrize(
    ("driver", "place", "kind", "figures"),
    [
        (None, "linux-x86_64", FaultKind.RUNTIME_NO_DRIVER, ()),
        (BEST, "win32-amd64", FaultKind.RUNTIME_NO_VARIANT, ("win32-amd64",)),
        (
            Driver("470.82", "8.6", "x"), "linux-x86_64",
            FaultKind.RUNTIME_DRIVER_OLD, ("470.82", "580.65.06"),
        ),
        (
            Driver("580.95", "6.1", "GTX 1080"), "linux-x86_64",
            FaultKind.RUNTIME_GPU_OLD, ("GTX 1080", "6.1", "7.5"),
        ),
    ],
)  # fmt: skip
def test_what_is_said_where_nothing_fits(
    driver: Driver | None, place: str, kind: FaultKind, figures: tuple[str, ...]
) -> None:
    with pytest.raises(EngineError) as caught:
        choose_variant(driver, (NEW,), place)
    assert caught.value.fault.kind is kind
    assert all(figure in fault_sentence(caught.value.fault) for figure in figures)


def test_the_table_is_right_in_itself() -> None:
    variants = read_variants()
    assert variants
    for each in variants:
        assert Version(each.driver) > Version("500")
        assert Version(each.capability) >= Version("5.0")
        wanted = [Requirement(requirement) for requirement in each.wheels]
        assert f"torch=={each.torch}" in each.wheels
        assert len({requirement.name for requirement in wanted}) == len(wanted)
