#!/usr/bin/env python3
"""Write the licences of everything bundled into one text: standard library only.

    python3 installers/licences.py OUT.txt [--packages FOLDER] [--version TEXT]

``FOLDER`` holds the installed packages, this Python's own by default. Only packages that the
requirements in pyproject.toml lead to are listed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from app.about.licences import Part, all_parts, notices_text, source_roots
from app.about.version import program_version

CHECKOUT = Path(__file__).resolve().parent.parent
HEAD = """Inkstone {version}: the parts that others wrote, and their licences.

Inkstone itself is under the Apache License 2.0.

Qt and PySide6 are used under the GNU Lesser General Public License, version 3. They are dynamic
libraries in files of their own (the folders PySide6 and shiboken6) and may be replaced by your own
build of the same version. Their complete sources, unchanged, are at
https://download.qt.io/official_releases/qt/ and
https://download.qt.io/official_releases/QtForPython/pyside6/, each in the version named below.
Both licence texts follow under their names."""


def bundled_parts(packages: Path | None = None) -> list[Part]:
    """The parts of a built program, or of this Python's environment."""
    path = [str(packages)] if packages is not None else None
    return all_parts(path, source_roots(CHECKOUT / "pyproject.toml"))


def without_licence(parts: Sequence[Part]) -> list[str]:
    """The names of parts that neither name their licence nor bring its text."""
    return [part.name for part in parts if not part.licence and not any(part.texts())]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file; 1 where a part says nothing about its licence."""
    parser = argparse.ArgumentParser(description="Write the licences of everything bundled.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--packages", type=Path, help="the folder with the installed packages")
    parser.add_argument("--version", default=program_version(), help="what the program is called")
    options = parser.parse_args(arguments)
    parts = bundled_parts(options.packages)
    head = HEAD.format(version=options.version)
    options.out.write_text(notices_text(parts, head), "utf-8")
    print(f"{len(parts)} parts in {options.out}")
    if silent := without_licence(parts):
        print(f"They name no licence, look at them: {', '.join(silent)}", file=sys.stderr)
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
