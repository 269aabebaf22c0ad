"""``python -m engine machine``: what this computer is for a model, memory speed measured."""

from __future__ import annotations

import argparse
import json
import os

from engine.cli_sizes import bytes_text
from engine.startup import import_torch


def add_machine(parser: argparse.ArgumentParser) -> None:
    """How it is written."""
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--events", action="store_true", help="as an event for another program")


def machine(options: argparse.Namespace) -> int:
    """Write cores, instructions, GPUs, and how fast memory is read; takes a second or two."""
    import_torch()
    import torch  # noqa: PLC0415 (seconds)

    from engine.kernels.bandwidth import measure_read_bandwidth  # noqa: PLC0415 (behind torch)
    from engine.kernels.cpu.processor import this_processor  # noqa: PLC0415

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    found = {
        "event": "machine",
        "cores": cores or 1,
        "instructions": this_processor().label,
        "gpus": [torch.cuda.get_device_name(index) for index in range(count)],
        "gpu_memory": sum(torch.cuda.mem_get_info(index)[1] for index in range(count)),
        "bandwidth": measure_read_bandwidth(cores or 1),
    }
    if options.events:
        print(json.dumps(found), flush=True)
        return 0
    found.pop("event")
    print(json.dumps(found) if options.json else _readable(found))
    return 0


def _readable(found: dict[str, object]) -> str:
    gpus = found["gpus"] if isinstance(found["gpus"], list) else []
    rows = {
        "cores": str(found["cores"]),
        "instructions": str(found["instructions"]),
        "memory is read at": f"{bytes_text(float(str(found['bandwidth'])))}/s",
        "GPUs": ", ".join(gpus) or "none that PyTorch can use",
    }
    return "\n".join(f"{name:18} {value}" for name, value in rows.items())
