"""Which GPUs there are, what of their memory is free, and which programs hold the rest.

Asked of the driver's own tool: the window must know it before torch is loaded, and torch does not
tell whose memory it is.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

_PATIENCE_S = 10.0
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Holder:
    """A program that holds memory of a GPU, in bytes."""

    pid: int
    name: str
    held: int


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU and its memory in bytes; ``holders`` are those that are known, the largest first."""

    name: str
    total: int
    free: int
    holders: tuple[Holder, ...] = ()


def read_gpus() -> tuple[Gpu, ...]:
    """Ask NVIDIA's tool; none where it is not installed or does not answer in ten seconds."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return ()
    cards = _ask(tool, "--query-gpu=uuid,name,memory.total,memory.free")
    held = _ask(tool, "--query-compute-apps=gpu_uuid,pid,process_name,used_memory")
    found = []
    for row in cards:
        if len(row) != 4:
            continue
        uuid, name, total, free = row
        mine = [_holder(each) for each in held if len(each) == 4 and each[0] == uuid]
        holders = tuple(sorted(mine, key=lambda holder: -holder.held))
        found.append(Gpu(name, _bytes(total), _bytes(free), holders))
    return tuple(found)


def _ask(tool: str, query: str) -> list[list[str]]:
    command = [tool, query, "--format=csv,noheader,nounits"]
    try:
        ran = subprocess.run(
            command, capture_output=True, text=True, timeout=_PATIENCE_S, check=True,
            encoding="utf-8", errors="replace",
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return []
    return [[cell.strip() for cell in line.split(",")] for line in ran.stdout.splitlines()]


def _holder(row: Sequence[str]) -> Holder:
    name = PurePath(row[2].replace("\\", "/")).name
    return Holder(int(row[1]) if row[1].isdigit() else 0, name, _bytes(row[3]))


def _bytes(mebibytes: str) -> int:
    """Bytes of a figure in MiB; "[N/A]", which some drivers say, is none."""
    return int(mebibytes) * _MIB if mebibytes.isdigit() else 0
