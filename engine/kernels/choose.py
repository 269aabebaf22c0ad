"""Which kernels run a model here: decided once, from the device asked for and the real hardware."""

from __future__ import annotations

import os

import psutil
import torch

from engine.contract.faults import EngineError, FaultKind
from engine.kernels.interface import Kernels
from engine.kernels.reference import ReferenceKernels

VARIABLE = "INKSTONE_KERNELS"
"""``reference`` forces plain torch; ``precise`` the CPU kernels without rounded activations."""
CHOICES = ("", "cpu", "precise", "reference")


def default_threads() -> int:
    """Physical cores: a second thread on a core shares the units that matter here."""
    return psutil.cpu_count(logical=False) or os.cpu_count() or 1


def most_threads() -> int:
    """Threads that can run at once: more of them would wait in line at every barrier."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def choose_kernels(device: str | None, threads: int | None) -> Kernels:
    """The kernels for a device.

    Args:
        device: "cpu", "cuda", "cuda:1", "mps"; None: the CPU.
        threads: for the CPU; None: one for each physical core.

    Raises:
        EngineError: DEVICE_MISSING; SETTING_INVALID for an unknown device, a thread count below 1
            or an unknown value of the variable ``INKSTONE_KERNELS``.
    """
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in CHOICES:
        raise EngineError(
            FaultKind.SETTING_INVALID, name=VARIABLE, value=wanted, allowed=", ".join(CHOICES[1:])
        )
    if threads is not None and threads < 1:
        raise EngineError(FaultKind.SETTING_INVALID, name="threads", value=threads, allowed="1 …")
    place = _device(device or "cpu")
    if place.type == "cuda" and wanted != "reference":
        from engine.kernels.cuda.ways import choose_way  # noqa: PLC0415 - Triton takes a second

        return choose_way(place).kernels
    if place.type != "cpu":
        return ReferenceKernels(place, torch.bfloat16 if place.type == "cuda" else torch.float16)
    if wanted == "reference":
        return ReferenceKernels(place, torch.float32)
    from engine.kernels.cpu.kernels import CpuKernels  # noqa: PLC0415 - numba takes a second

    return CpuKernels(threads or default_threads(), precise=wanted == "precise")


def _device(name: str) -> torch.device:
    """The device of that name, if it is there."""
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise EngineError(
            FaultKind.SETTING_INVALID, name="device", value=name, allowed="cpu, cuda, cuda:N, mps"
        ) from error
    missing = {
        "cpu": False,
        "cuda": not torch.cuda.is_available() or (device.index or 0) >= torch.cuda.device_count(),
        "mps": not torch.backends.mps.is_available(),
    }
    if missing.get(device.type, True):
        raise EngineError(FaultKind.DEVICE_MISSING, device=name)
    return device
