"""This computer as it is now: who computes, who holds memory, what is moved to the disk and back.

Everything that a system does not tell counts as nothing: an adviser that guesses is worse than one
that says less.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from engine.library.advice.facts import Disk, Program, Surroundings

LOOKED_S = 1.0
_NAMED = 5  # programs
_SAVING = "low-power"
_NETWORKS = frozenset(
    {"nfs", "nfs4", "cifs", "smbfs", "smb3", "sshfs", "fuse.sshfs", "9p", "afpfs"}
)


@dataclass(frozen=True, slots=True)
class Beginning:
    """What was counted when a look began."""

    at: float  # of ``time.monotonic``
    busy_s: float  # of all cores, since the computer was started
    own_s: Mapping[int, float]  # of this program's processes
    swapped: int


def begin_look() -> Beginning:
    """Begin to count; the calling process and all that it started are this program."""
    own = {os.getpid(), *_children(os.getpid())}
    spent = {pid: seconds for pid in own if (seconds := _spent_s(pid)) is not None}
    return Beginning(time.monotonic(), _busy_s(), spent, _swapped_bytes())


def end_look(
    begun: Beginning,
    model: Path | None = None,
    bandwidth: float = 0.0,
    gpus_free: int = 0,
    system: Path = Path("/"),
) -> Surroundings:
    """Tell what was counted since a look began, some tenths of a second ago at least.

    Args:
        begun: when.
        model: whose disk is looked at.
        bandwidth: of the memory, measured before.
        gpus_free: bytes of all GPUs, from the driver.
        system: where the system's own files begin.
    """
    passed = max(time.monotonic() - begun.at, 1e-3)
    memory = psutil.virtual_memory()
    return Surroundings(
        cores=_real_cores(),
        memory=memory.total,
        free=memory.available,
        others=_others_share(begun, passed),
        swapped=max(_swapped_bytes() - begun.swapped, 0) / passed,
        stalled=stalled_share(system / "proc/pressure/memory"),
        on_battery=_on_battery(),
        saving=is_saving(system / "sys/firmware/acpi/platform_profile"),
        bandwidth=bandwidth,
        gpus_free=gpus_free,
        largest=_largest(frozenset(begun.own_s)),
        disk=disk_of(model, system) if model is not None else Disk.FAST,
    )


def read_surroundings(model: Path | None = None) -> Surroundings:
    """Look at the computer for a second, and tell."""
    begun = begin_look()
    time.sleep(LOOKED_S)
    return end_look(begun, model)


def stalled_share(file: Path) -> float:
    """Return the share of the last ten seconds in which some program waited for memory.

    ``/proc/pressure``: Documentation/accounting/psi.rst of Linux. 0 where there is none.
    """
    try:
        line = next((n for n in file.read_text("ascii").splitlines() if n.startswith("some")), "")
        found = next((w for w in line.split() if w.startswith("avg10=")), "avg10=0")
        return float(found.removeprefix("avg10=")) / 100
    except (OSError, ValueError):
        return 0.0


def is_saving(file: Path) -> bool:
    """Tell whether the system's power profile is the one that saves; False where it is not told."""
    try:
        return file.read_text("ascii").strip() == _SAVING
    except (OSError, ValueError):
        return False


def disk_of(path: Path, system: Path = Path("/")) -> Disk:
    """Return what a file lies on; ``FAST`` where the system does not tell.

    ``queue/rotational``: Documentation/ABI/stable/sysfs-block of Linux.
    """
    try:
        mounts = [p for p in psutil.disk_partitions(all=True) if _is_below(path, p.mountpoint)]
        mount = max(mounts, key=lambda p: len(p.mountpoint), default=None)
        if mount is not None and mount.fstype.lower() in _NETWORKS:
            return Disk.NETWORK
        device = os.stat(path).st_dev
        block = (system / f"sys/dev/block/{os.major(device)}:{os.minor(device)}").resolve()
        folders = (block, block.parent)  # a partition's disk is its parent
        told = [f / "queue/rotational" for f in folders if (f / "queue/rotational").is_file()]
        turns = bool(told) and told[0].read_text("ascii").strip() == "1"
    except (OSError, ValueError, AttributeError):  # no such numbers on Windows
        return Disk.FAST
    return Disk.TURNING if turns else Disk.FAST


def _is_below(path: Path, mount: str) -> bool:
    return path.is_relative_to(mount)


def _real_cores() -> int:
    """Physical cores that this process may use."""
    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else cores
    return min(cores, allowed)


def _others_share(begun: Beginning, passed: float) -> float:
    """Return the share of all cores that other programs used, 0 to 1.

    A process of this program that ended meanwhile has taken its figures with it: then nothing is
    said of others, for what it used would be taken for theirs.
    """
    own = 0.0
    for pid, before in begun.own_s.items():
        spent = _spent_s(pid)
        if spent is None:
            return 0.0
        own += spent - before
    used = (_busy_s() - begun.busy_s - own) / passed / (psutil.cpu_count() or 1)
    return min(max(used, 0.0), 1.0)


def _busy_s() -> float:
    """Return the seconds that all cores computed since the computer was started."""
    times = psutil.cpu_times()
    idle = times.idle + getattr(times, "iowait", 0.0) + getattr(times, "steal", 0.0)
    twice = getattr(times, "guest", 0.0) + getattr(times, "guest_nice", 0.0)  # in user already
    return float(sum(times) - idle - twice)


def _spent_s(pid: int) -> float | None:
    """Return the seconds that a process computed; None where it has ended."""
    try:
        spent = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return None
    return float(spent.user + spent.system)


def _swapped_bytes() -> int:
    """Return the bytes that were moved to the disk and back since the start."""
    try:
        swap = psutil.swap_memory()
    except (OSError, RuntimeError):  # where the system does not tell, as in some containers
        return 0
    return int(swap.sin + swap.sout)


def _on_battery() -> bool:
    """Tell whether there is a battery, and it is what the computer runs on."""
    read = getattr(psutil, "sensors_battery", None)
    try:
        battery = read() if read is not None else None
    except (OSError, RuntimeError):
        return False
    return battery is not None and battery.power_plugged is False


def _largest(mine: frozenset[int]) -> tuple[Program, ...]:
    """Return the other programs that hold most memory; processes of one name together."""
    held: dict[str, int] = {}
    for process in psutil.process_iter(("pid", "name", "memory_info")):
        info = process.info
        if info["pid"] not in mine and info["memory_info"] is not None:
            name = info["name"] or ""
            shared = getattr(info["memory_info"], "shared", 0)
            held[name] = held.get(name, 0) + max(info["memory_info"].rss - shared, 0)
    largest = sorted(held.items(), key=lambda pair: -pair[1])[:_NAMED]
    return tuple(Program(name, size) for name, size in largest if name)


def _children(pid: int) -> list[int]:
    try:
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    except psutil.Error:
        return []
