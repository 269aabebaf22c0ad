#!/usr/bin/env python3
"""How long a window takes to be on the screen: standard library only, and Xvfb with xdotool.

    python3 installers/measure_start.py -- /opt/inkstone/inkstone-window
    python3 installers/measure_start.py -- .venv/bin/python -m app
    python3 installers/measure_start.py --cold /opt/inkstone -- /opt/inkstone/inkstone-window

Each run has a home of its own. Wall time is from the start of the process until its window is
visible, looked for every 20 ms; process time is what the process had used by then. ``--cold``
takes the files of a folder out of the system's cache before each run (the system's own libraries
stay there, and nothing of other programs is touched).
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

LIMIT_S, LOOK_S = 120.0, 0.02


@contextmanager
def screen(size: str = "1280x820") -> Iterator[str]:
    """An X server of its own, a screen in memory of so many pixels; its display."""
    read, write = os.pipe()
    words = ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{size}x24", "-nolisten", "tcp"]
    server = subprocess.Popen(words, pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as told:
            yield f":{told.readline().strip()}"
    finally:
        server.terminate()
        server.wait(10)


def evict(folder: Path) -> None:
    """Take what a folder's files have in the system's cache out of it."""
    os.sync()
    for file in folder.rglob("*"):
        if file.is_file() and not file.is_symlink():
            opened = os.open(file, os.O_RDONLY)
            try:
                os.posix_fadvise(opened, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(opened)


def process_seconds(pid: int) -> float:
    """What a process has used, user and system."""
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


def start_once(command: Sequence[str], display: str) -> tuple[float, float]:
    """Start the program once; wall and process seconds until its window is there.

    Raises:
        SystemExit: it ended, or showed no window.
    """
    with tempfile.TemporaryDirectory() as home:
        told = os.environ | {"DISPLAY": display, "HOME": home, "QT_QPA_PLATFORM": "xcb"}
        told |= {"XDG_RUNTIME_DIR": home, "INKSTONE_HOME": f"{home}/data"}
        began = time.perf_counter()
        program = subprocess.Popen(command, env=told, stderr=subprocess.DEVNULL)
        try:
            while not is_shown(display):
                if program.poll() is not None or time.perf_counter() - began > LIMIT_S:
                    raise SystemExit(f"{command[0]} showed no window.")
                time.sleep(LOOK_S)
            return time.perf_counter() - began, process_seconds(program.pid)
        finally:
            program.kill()
            program.wait()
            wait_for_empty(display)


def is_shown(display: str) -> bool:
    """Whether a window is visible."""
    look = ["xdotool", "search", "--onlyvisible", "--name", "."]
    told = os.environ | {"DISPLAY": display}
    return subprocess.run(look, env=told, capture_output=True, check=False).returncode == 0


def wait_for_empty(display: str) -> None:
    """Wait until the screen shows nothing any more."""
    end = time.monotonic() + LIMIT_S
    while is_shown(display) and time.monotonic() < end:
        time.sleep(LOOK_S)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the median and the range of both."""
    parser = argparse.ArgumentParser(description="How long a window takes to be on the screen.")
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--cold", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args(arguments)
    found = []
    with screen() as display:
        if not options.cold:
            start_once(options.command, display)
        for _ in range(options.runs):
            for folder in options.cold:
                evict(folder)
            found.append(start_once(options.command, display))
    for name, seconds in zip(("wall", "process"), zip(*found, strict=True), strict=True):
        low, high = min(seconds), max(seconds)
        print(f"{name} {statistics.median(seconds):.2f} s ({low:.2f} to {high:.2f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
