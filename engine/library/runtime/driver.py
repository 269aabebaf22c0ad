"""The NVIDIA driver of this machine and what its GPUs can, asked without torch.

NVIDIA's tool is asked first; where it is missing, as in many containers, the driver's own library.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_PATIENCE_S = 10.0
_QUERY = ("--query-gpu=driver_version,compute_cap,name", "--format=csv,noheader")
_TEXT = 96  # bytes that every text of NVML fits in


@dataclass(frozen=True, slots=True)
class Driver:
    """A driver's version, and its most capable GPU.

    Attributes:
        version: as the driver writes it, for example "580.65.06".
        capability: what the GPU can, for example "8.9"; empty where it does not say.
        gpu: the GPU's name.
    """

    version: str
    capability: str
    gpu: str


def read_driver(
    ask_tool: Callable[[], str] | None = None,
    ask_library: Callable[[], Driver | None] | None = None,
) -> Driver | None:
    """The driver in use; None where there is none, or no GPU that it drives.

    Args:
        ask_tool: NVIDIA's tool's lines "version, capability, name"; the real one by default.
        ask_library: what stands in for it where it says nothing.
    """
    found = _from_lines((ask_tool or _ask_tool)().splitlines())
    return found or (ask_library or _ask_library)()


def _from_lines(lines: Sequence[str]) -> Driver | None:
    rows = [[cell.strip() for cell in line.split(",", 2)] for line in lines]
    drivers = [Driver(*row) for row in rows if len(row) == 3 and row[0][:1].isdigit()]
    return max(drivers, key=_order, default=None)


def _order(driver: Driver) -> tuple[int, ...]:
    return tuple(int(part) if part.isdigit() else 0 for part in driver.capability.split("."))


def _ask_tool() -> str:
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return ""
    try:
        ran = subprocess.run(
            [tool, *_QUERY], capture_output=True, text=True, timeout=_PATIENCE_S, check=True,
            encoding="utf-8", errors="replace",
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    return ran.stdout


def _ask_library() -> Driver | None:
    name = "nvml.dll" if sys.platform == "win32" else "libnvidia-ml.so.1"
    try:
        library = ctypes.CDLL(name)
    except OSError:
        return None
    return ask_nvml(library)


def ask_nvml(library: ctypes.CDLL) -> Driver | None:
    """What NVML says; every call of it returns 0 when it went well."""
    if library.nvmlInit_v2() != 0:
        return None
    try:
        count = ctypes.c_uint()
        version = ctypes.create_string_buffer(_TEXT)
        if library.nvmlSystemGetDriverVersion(version, _TEXT) != 0:
            return None
        if library.nvmlDeviceGetCount_v2(ctypes.byref(count)) != 0:
            return None
        written = version.value.decode("ascii", "replace")
        found = [_nvml_device(library, number, written) for number in range(count.value)]
        return max(found, key=_order, default=None)
    finally:
        library.nvmlShutdown()


def _nvml_device(library: ctypes.CDLL, number: int, version: str) -> Driver:
    device, name = ctypes.c_void_p(), ctypes.create_string_buffer(_TEXT)
    major, minor = ctypes.c_int(), ctypes.c_int()
    library.nvmlDeviceGetHandleByIndex_v2(number, ctypes.byref(device))
    library.nvmlDeviceGetName(device, name, _TEXT)
    said = library.nvmlDeviceGetCudaComputeCapability(
        device, ctypes.byref(major), ctypes.byref(minor)
    )
    capability = f"{major.value}.{minor.value}" if said == 0 else ""
    return Driver(version, capability, name.value.decode("utf-8", "replace"))
