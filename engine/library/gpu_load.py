"""How much NVIDIA's GPUs compute now, asked of the driver's library (NVML).

The library is opened for each question and closed again: a card that sleeps is not held awake, and
there is nothing to close at the end. That can take a driver half a second, so no window's thread
may ask. Other makers' GPUs are not read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class GpuLoad:
    """One GPU.

    Attributes:
        name: the driver's.
        load: how much of the driver's last sample (a sixth of a second to one) it computed, 0 to 1.
        used, total: bytes of its memory, of every program.
    """

    name: str
    load: float
    used: int
    total: int


class Nvml(Protocol):
    """What is asked of the module ``pynvml``, under its own names."""

    NVMLError: type[Exception]

    def nvmlInit(self) -> None:
        """Open the library; NVMLError where there is none, or no driver."""
        ...

    def nvmlShutdown(self) -> None:
        """Close it."""
        ...

    def nvmlDeviceGetCount(self) -> int:
        """Return how many cards there are."""
        ...

    def nvmlDeviceGetHandleByIndex(self, index: int) -> Any:
        """Return the key to a card; NVMLError where it may not be asked."""
        ...

    def nvmlDeviceGetName(self, handle: Any) -> str:
        """Return its name."""
        ...

    def nvmlDeviceGetUtilizationRates(self, handle: Any) -> Any:
        """Return ``gpu`` in percent; NVMLError where the card does not tell, as parts of one do."""
        ...

    def nvmlDeviceGetMemoryInfo(self, handle: Any) -> Any:
        """Return ``used`` and ``total`` in bytes."""
        ...


def read_gpu_loads(nvml: Nvml | None = None) -> tuple[GpuLoad, ...]:
    """Ask every card; none where there is no driver, and none for a card that does not tell.

    Args:
        nvml: the library; None is NVIDIA's own binding.
    """
    if nvml is None:
        import pynvml  # noqa: PLC0415 - thousands of lines that the first picture need not wait for

        nvml = pynvml
    try:
        nvml.nvmlInit()
    except nvml.NVMLError:
        return ()
    try:
        cards = [_card(nvml, index) for index in range(nvml.nvmlDeviceGetCount())]
    except nvml.NVMLError:
        cards = []
    finally:
        _close(nvml)
    return tuple(card for card in cards if card is not None)


def _card(nvml: Nvml, index: int) -> GpuLoad | None:
    try:
        handle = nvml.nvmlDeviceGetHandleByIndex(index)
        memory = nvml.nvmlDeviceGetMemoryInfo(handle)
        load = nvml.nvmlDeviceGetUtilizationRates(handle).gpu / 100
        return GpuLoad(nvml.nvmlDeviceGetName(handle), load, memory.used, memory.total)
    except nvml.NVMLError:
        return None


def _close(nvml: Nvml) -> None:
    try:
        nvml.nvmlShutdown()
    except nvml.NVMLError:
        return  # a driver that went away has closed it
