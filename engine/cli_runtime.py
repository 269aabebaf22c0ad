"""``python -m engine runtime``: torch for NVIDIA's GPUs as a download that can be removed again."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from engine.cli_sizes import bytes_text
from engine.cli_talk import CANCELLED_STATUS
from engine.cli_terminal import Interrupts, ProgressLine
from engine.cli_window import window_settings
from engine.cli_words import fault_sentence
from engine.contract import EngineError, Fault, Progress, Stage
from engine.job_events import tell, tell_progress
from engine.library.downloads.disk import Cancelled
from engine.library.downloads.pace import RateLimit
from engine.library.pip_settings import PipSettings, pip_settings
from engine.library.runtime.driver import read_driver
from engine.library.runtime.install import install, plan_install
from engine.library.runtime.place import find_runtime, held_bytes, remove_runtime, runtime_folder
from engine.library.runtime.variants import Variant, choose_variant, read_variants
from engine.service.program import environment, program

_TRY_S = 300.0  # torch from a cold disk


def add_runtime(parser: argparse.ArgumentParser) -> None:
    """What is to be done, and where the files come from."""
    parser.add_argument(
        "deed", nargs="?", default="status", choices=("status", "install", "remove", "try")
    )
    parser.add_argument("folder", nargs="?", help="of try: where torch is to start from")
    parser.add_argument("--index", default="", help="a package index (PEP 691), instead of pip's")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--events", action="store_true", help="as events for another program")


def runtime(options: argparse.Namespace) -> int:
    """Do it; the exit status."""
    match options.deed:
        case "install":
            return _install(options)
        case "remove":
            freed = remove_runtime()
            _say(options, {"freed": freed}, f"{bytes_text(freed)} are free again.")
            return 0
        case "try":
            return _try(options.folder or str(runtime_folder()))
        case _:
            return _status(options)


def _status(options: argparse.Namespace) -> int:
    driver, found = read_driver(), find_runtime()
    variant, fault = _choice()
    told = {
        "driver": driver.version if driver else "",
        "gpu": driver.gpu if driver else "",
        "variant": variant.name if variant else "",
        "folder": str(found.folder) if found else "",
        "unusable": found.unusable if found else "",
        "held": held_bytes(),
        "fault": fault.kind.value if fault else "",
    }
    lines = [f"{name:10} {value}" for name, value in told.items() if value and name != "fault"]
    if fault is not None:
        lines.append(fault_sentence(fault))
    _say(options, told, "\n".join(lines))
    return 0


def _choice() -> tuple[Variant | None, Fault | None]:
    """What could be installed here, or why nothing can."""
    try:
        return choose_variant(read_driver(), read_variants()), None
    except EngineError as error:
        return None, error.fault


def _install(options: argparse.Namespace) -> int:
    settings = _settings(options.index)
    plan = plan_install(choose_variant(read_driver(), read_variants()), settings)
    size, count = bytes_text(plan.size), len(plan.wheels)
    print(f"{plan.variant.name}: {size} in {count} files. Ctrl-C stops it.", file=sys.stderr)
    interrupts, line = Interrupts(), ProgressLine()
    limit = RateLimit(window_settings().download_limit * 1000)

    def show(done: int, total: int) -> None:
        if options.events:
            tell_progress(Stage.DOWNLOADING.value, done, total)
        else:
            line.show(Progress(0, Stage.DOWNLOADING, done, total))

    try:
        with interrupts.watch():
            folder = install(plan, settings, show, interrupts.is_wished, _attempt, limit)
    except Cancelled:
        print("Stopped; what arrived is kept.", file=sys.stderr)
        return CANCELLED_STATUS
    finally:
        line.clear()
    _say(options, {"folder": str(folder), "held": held_bytes()}, str(folder))
    return 0


def _settings(index: str) -> PipSettings:
    settings = pip_settings()
    return replace(settings, indexes=(index,)) if index else settings


def _attempt(folder: Path) -> str:
    """Start torch from a folder in a process of its own; why that fails, or nothing."""
    try:
        ran = subprocess.run(
            program("engine", "runtime", "try", str(folder)), env=environment(), timeout=_TRY_S,
            capture_output=True, text=True, encoding="utf-8", errors="replace", check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    said = ran.stderr.strip().rpartition("\n")[2]
    return "" if ran.returncode == 0 else said or f"it ended with status {ran.returncode}"


def _try(folder: str) -> int:
    """Import torch from there and ask it for a GPU; the exit status says whether it has one."""
    sys.path.insert(0, folder)
    try:
        import torch  # noqa: PLC0415 - from that folder
    except (ImportError, OSError) as error:
        print(str(error).replace("\n", " "), file=sys.stderr)
        return 1
    if not torch.cuda.is_available():
        print("torch starts, and finds no GPU that it can use", file=sys.stderr)
        return 1
    print(json.dumps({"torch": torch.__version__, "gpus": torch.cuda.device_count()}))
    return 0


def _say(options: argparse.Namespace, told: dict[str, object], text: str) -> None:
    if options.events:
        tell("runtime", **told)
    else:
        print(json.dumps(told) if options.json else text)
