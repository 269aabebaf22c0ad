#!/usr/bin/env python3
"""Set Inkstone up on a fresh machine and run it, or test it: standard library only.

    python3 installers/bootstrap.py run [--prompt TEXT [options of engine chat]]
    python3 installers/bootstrap.py test [pytest arguments]   # none: everything, on all cores

Makes ``.venv`` in the checkout, installs the tested set of packages into it, fetches the starter
model, and starts the program. Whatever fails ends in one sentence with what to do next; a step
that was interrupted is done again, because its mark is written only when it is complete. The
second start finds the marks and needs neither network nor time.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
VENV = CHECKOUT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
MARK = VENV / "inkstone-installed.txt"
CONSTRAINTS = CHECKOUT / "installers" / "constraints.txt"
OLDEST, NEWEST = (3, 11), (3, 14)  # the versions that torch 2.13 and PySide6 6.11 have wheels for
ENVIRONMENT_BYTES = 2_500_000_000  # measured: 1.9 GB with torch's CPU build, and room to unpack
MODEL_BYTES = 250_000_000  # the wheel while it is read, and the model taken out of it
MOST_WORKERS = 4  # processes of tests: each holds torch and, at times, a model
TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu"

# Qt's platform plugins load these; a missing one is a silent abort, so they are looked for first.
QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libfontconfig.so.1": "libfontconfig1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libglib-2.0.so.0": "libglib2.0-0",
}
X11_LIBRARIES = {
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
}


class SetupError(Exception):
    """What stands in the way, as one sentence that says what to do next."""


def say(text: str) -> None:
    """Print a line at once, whatever stands between this process and the reader."""
    print(text, file=sys.stderr, flush=True)


def check_python() -> None:
    """Refuse a Python that the pinned packages have no wheels for."""
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        have = ".".join(map(str, sys.version_info[:3]))
        raise SetupError(
            f"Inkstone needs Python 3.{OLDEST[1]} to 3.{NEWEST[1]} and this is {have}: install one "
            "of those and start this file with it."
        )


def check_display() -> None:
    """Refuse to open a window where there is no screen for it."""
    shown = any(os.environ.get(n) for n in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
    if sys.platform.startswith("linux") and not shown:
        raise SetupError(
            "There is no display for a window here: answer in the terminal instead with "
            'python3 installers/bootstrap.py run --prompt "your question".'
        )


def check_libraries(needed: dict[str, str]) -> None:
    """Name the system packages whose libraries Qt would fail on (Linux only)."""
    if not sys.platform.startswith("linux"):
        return
    missing = [package for library, package in needed.items() if not loads(library)]
    if missing:
        raise SetupError(
            f"Qt needs system libraries that are missing here: install {' '.join(missing)} "
            f"(Debian, Ubuntu: sudo apt install {' '.join(missing)}) and start again."
        )


def loads(library: str) -> bool:
    """Whether the dynamic linker finds a shared library."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def check_space(folder: Path, needed: int, what: str) -> None:
    """Refuse a step that the disk has no room for, before anything is written."""
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise SetupError(
            f"{what} needs {needed / 1e9:.1f} GB and {free / 1e9:.1f} GB is free on the disk of "
            f"{folder}: free some space and start again; nothing was changed."
        )


def wanted_packages(with_tests: bool) -> list[str]:
    """The requirements of pyproject.toml, the test extra included when asked for."""
    import tomllib  # noqa: PLC0415 - not before check_python: older versions do not have it

    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    extra = project["optional-dependencies"]["test"] if with_tests else []
    return [*project["dependencies"], *extra]


def installed_mark(packages: list[str]) -> str:
    """What identifies an environment: its requirements, its pins and its Python."""
    parts = [*packages, CONSTRAINTS.read_text("utf-8"), sys.version, str(VENV)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def is_installed(with_tests: bool) -> bool:
    """Whether the environment holds what is wanted (one with the tests' packages holds both)."""
    try:
        mark = MARK.read_text("utf-8")
    except (OSError, ValueError):
        return False
    wanted = [True] if with_tests else [False, True]
    return PYTHON.exists() and any(mark == installed_mark(wanted_packages(t)) for t in wanted)


def succeeds(*command: str | Path) -> bool:
    """Whether a command runs and ends well; its output is not of interest."""
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def make_environment() -> None:
    """Create ``.venv``, or make it anew where an earlier attempt left half of one."""
    if PYTHON.exists() and succeeds(PYTHON, "-m", "pip", "--version"):
        return
    say(f"Making a virtual environment in {VENV}")
    if not succeeds(sys.executable, "-m", "venv", "--clear", VENV):
        raise SetupError(
            "Python could not make a virtual environment: install its venv module (Debian, "
            "Ubuntu: sudo apt install python3-venv) and start again."
        )


def torch_index() -> list[str]:
    """Pip arguments for a CPU build of torch on Linux without an NVIDIA GPU, where it is reachable.

    The default build there carries several gigabytes of CUDA. A machine that cannot reach the index
    of CPU builds takes what its own pip configuration offers.
    """
    if not sys.platform.startswith("linux") or shutil.which("nvidia-smi"):
        return []
    host = TORCH_CPU_INDEX.split("/")[2]
    try:
        socket.create_connection((host, 443), timeout=3).close()
    except OSError:
        return []
    return ["--extra-index-url", TORCH_CPU_INDEX]


def install(with_tests: bool) -> None:
    """Install the pinned set, torch first: it is most of the bytes and has an index of its own."""
    packages = wanted_packages(with_tests)
    check_space(VENV, ENVIRONMENT_BYTES, "Setting up")
    make_environment()
    MARK.unlink(missing_ok=True)
    torch = [p for p in packages if p.startswith("torch")]
    others = [p for p in packages if not p.startswith("torch")]
    started = time.monotonic()
    say("Installing torch, the tensor library (200 MB to download)")
    pip([*torch, *torch_index()])
    say(f"Installing {len(others)} more packages (about 250 MB to download)")
    pip(others)
    MARK.write_text(installed_mark(packages), "utf-8")
    say(f"Installed in {time.monotonic() - started:.0f} s")


def pip(arguments: list[str]) -> None:
    """Run pip in the environment; it shows bytes and rate itself."""
    command = [
        str(PYTHON),
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--no-warn-script-location",
    ]
    command += ["--constraint", str(CONSTRAINTS), *arguments]
    if subprocess.call(command, stdout=sys.stderr):
        raise SetupError(
            "The packages could not be installed (pip's own words stand above): check the network "
            "and the free disk space and start again; what was downloaded is kept."
        )


def engine(*arguments: str) -> int:
    """Run the engine's command line in the environment; its exit status."""
    return subprocess.call([PYTHON, "-m", "engine", *arguments], cwd=CHECKOUT)


def fetch_starter() -> None:
    """Make sure of the starter model; its progress and its faults are the engine's own lines."""
    command = [PYTHON, "-m", "engine", "download", "starter"]
    if subprocess.call(command, cwd=CHECKOUT, stdout=sys.stderr):  # stdout is the answer's alone
        raise SetupError("The starter model is not there yet: see the line above and start again.")


def run(prompt: str | None, options: list[str]) -> int:
    """Open the window with the starter model, or answer one prompt in the terminal.

    A small model may never end by itself, so an answer in the terminal has a limit; ``options`` are
    the engine's own (``--max-tokens 4096``, ``--temperature 0`` …) and win over it.
    """
    if prompt is None:
        check_display()
        check_libraries(QT_LIBRARIES | (X11_LIBRARIES if os.environ.get("DISPLAY") else {}))
    if not is_installed(with_tests=False):
        install(with_tests=False)
    fetch_starter()
    if prompt is not None:
        return engine("chat", "starter", f"--prompt={prompt}", "--max-tokens=1024", *options)
    return subprocess.call([PYTHON, "-m", "app", "--starter"], cwd=CHECKOUT)


def usable_cores() -> int:
    """How many cores this process may use."""
    counted = getattr(os, "sched_getaffinity", None)
    return len(counted(0)) if counted else os.cpu_count() or 1


def all_tests(cores: int) -> list[str]:
    """Arguments of a whole run: a process of tests a core, what took longest named at its end.

    A file's tests stay together, for they share what is dear; one order of sets, as xdist insists.
    """
    most = min(cores, MOST_WORKERS)
    many = [f"--tx={most}*popen//env:PYTHONHASHSEED=0", "--dist=loadfile", "--no-loadscope-reorder"]
    return [*(many if most > 1 else []), "--durations=40"]


def test(arguments: list[str]) -> int:
    """Check style and types and run the tests, all of them or those that the arguments pick."""
    check_libraries(QT_LIBRARIES)
    if not is_installed(with_tests=True):
        install(with_tests=True)
    fetch_starter()
    steps = [["pytest", *arguments]]
    if not arguments:
        steps = [["ruff", "check", "."], ["mypy"], ["pytest", *all_tests(usable_cores())]]
    for step in steps:
        say(f"Running {' '.join(step)}")
        status = subprocess.call([PYTHON, "-m", *step], cwd=CHECKOUT)
        if status:
            return status
    return 0


def main() -> int:
    """Read the command line, do it, and turn what stands in the way into one sentence."""
    parser = argparse.ArgumentParser(description="Set Inkstone up and run or test it.")
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run", help="open the window, or answer a prompt in the terminal")
    runs.add_argument("--prompt", help="answer this in the terminal instead of opening the window")
    commands.add_parser("test", help="check style and types and run the tests")
    arguments, rest = parser.parse_known_args()
    if rest and arguments.command == "run" and arguments.prompt is None:
        parser.error(f"unknown arguments: {' '.join(rest)}")
    try:
        check_python()
        check_space(VENV, MODEL_BYTES, "Inkstone")
        if arguments.command == "run":
            return run(arguments.prompt, rest)
        return test(rest)
    except SetupError as error:
        say(str(error))
    except OSError as error:
        say(f"{error.strerror or error}: {error.filename or CHECKOUT}. Check it and start again.")
    except KeyboardInterrupt:
        say("Stopped. Start again to go on where this left off.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
