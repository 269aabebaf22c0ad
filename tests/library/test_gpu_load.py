"""GPUs through a stand-in of NVML's shape: no machine of ours has a GPU."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

import pynvml
import pytest

from engine.library.gpu_load import GpuLoad, Nvml, read_gpu_loads

GIB = 1 << 30


class Refused(Exception):
    """What the stand-in raises, as NVML does."""


@dataclass
class Cards:
    """Answers under NVML's names; a card with no load is one that does not tell it."""

    loads: tuple[int | None, ...] = ()
    broken: str = ""  # the call that fails
    opened: int = 0
    NVMLError: type[Exception] = field(default=Refused)

    def _called(self, name: str) -> None:
        if self.broken == name:
            raise Refused(name)

    def nvmlInit(self) -> None:
        self._called("init")
        self.opened += 1

    def nvmlShutdown(self) -> None:
        self._called("shutdown")
        self.opened -= 1

    def nvmlDeviceGetCount(self) -> int:
        self._called("count")
        return len(self.loads)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:
        return index

    def nvmlDeviceGetName(self, handle: int) -> str:
        return f"GPU {handle}"

    def nvmlDeviceGetUtilizationRates(self, handle: int) -> SimpleNamespace:
        if self.loads[handle] is None:
            raise Refused("not supported")
        return SimpleNamespace(gpu=self.loads[handle], memory=0)

    def nvmlDeviceGetMemoryInfo(self, handle: int) -> SimpleNamespace:
        return SimpleNamespace(used=(handle + 1) * GIB, total=24 * GIB, free=0)


def test_every_card_that_tells_is_read_and_the_library_is_closed_again() -> None:
    cards = Cards((37, None, 100))
    assert read_gpu_loads(cards) == (
        GpuLoad("GPU 0", 0.37, GIB, 24 * GIB),
        GpuLoad("GPU 2", 1.0, 3 * GIB, 24 * GIB),
    )
    assert cards.opened == 0


@pytest.mark.parametrize("broken", ["init", "count"])
def test_without_a_driver_or_one_that_went_away_there_is_no_gpu(broken: str) -> None:
    cards = Cards((37,), broken)
    assert read_gpu_loads(cards) == ()
    assert cards.opened == 0


def test_a_driver_that_went_away_after_the_answer_takes_it_not_back() -> None:
    assert len(read_gpu_loads(Cards((37,), "shutdown"))) == 1


def test_the_binding_has_every_name_that_is_asked_for() -> None:
    names = [name for name in vars(Nvml) if name.startswith("nvml")]
    assert len(names) == 7
    assert all(callable(getattr(pynvml, name)) for name in names)
    assert issubclass(pynvml.NVMLError, Exception)


def test_here_the_real_binding_answers_without_an_error() -> None:
    for each in read_gpu_loads():  # none on most machines
        assert 0 <= each.load <= 1
        assert 0 < each.used <= each.total
