#!/usr/bin/env python3
"""Write the licences of everything bundled into one text: standard library only.

    python3 installers/licences.py OUT.txt [--packages FOLDER] [--version TEXT]

``FOLDER`` holds the installed packages, this Python's own by default. Only packages that the
requirements in pyproject.toml lead to are listed.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from app.about.licences import Part, all_parts, notices_text, source_roots
from engine.version import program_version

CHECKOUT = Path(__file__).resolve().parent.parent
_GPL = re.compile(r"\bA?GPL|\bGNU (Affero )?General Public", re.IGNORECASE)
_LATER = re.compile(r"[\s-]+or[\s-]+(any[\s-]+)?later([\s-]+version)?", re.IGNORECASE)
_EXCEPTION = re.compile(r"\bwith\b|exception", re.IGNORECASE)
HEAD = """Inkstone {version}: the parts that others wrote, and their licences.

Inkstone itself is under the Apache License 2.0; its text is in LICENSE.txt beside this file, and
in resources/licences/Apache-2.0.txt of the sources.

Qt and PySide6 are used under the GNU Lesser General Public License, version 3. They are dynamic
libraries in files of their own (the folders PySide6 and shiboken6) and may be replaced by your own
build of the same version. What Qt has inside of others is listed at
https://doc.qt.io/qt-6/licenses-used-in-qt.html. Their complete sources, unchanged, are at
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


def without_text(parts: Sequence[Part]) -> list[str]:
    """The names of parts of whose licence there is no text."""
    return [part.name for part in parts if not any(text.strip() for _, text in part.texts())]


def bound_by_gpl(parts: Sequence[Part]) -> list[str]:
    """The names of parts that can be had under the GPL alone: with them the whole would be.

    A library under "GPL or MIT" may be taken as MIT, and an exception (GCC's, PyInstaller's) allows
    other programs around it.
    """
    return [part.name for part in parts if is_gpl_only(part.licence)]


def is_gpl_only(licence: str) -> bool:
    """Whether every alternative that a licence's name offers holds a term of the GPL."""
    choices = re.split(r"\s+or\s+", _LATER.sub("+", licence), flags=re.IGNORECASE)
    return bool(licence) and all(
        any(
            _GPL.search(term) and not _EXCEPTION.search(term)
            for term in re.split(r"\s+and\s+|,", choice, flags=re.IGNORECASE)
        )
        for choice in choices
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file; 1 where a part tells no licence, has no text of it, or must not go along."""
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
    if empty := without_text(parts):
        print(
            f"No text of their licences: {', '.join(empty)}. Put each, from its sources, into "
            "resources/licences/packages/NAME.txt.",
            file=sys.stderr,
        )
    if bound := bound_by_gpl(parts):
        print(
            f"Under the GPL alone: {', '.join(bound)}. Inkstone would fall under it as a whole: "
            "leave them out, in installers/frozen/inkstone.spec or installers/making/packages.py.",
            file=sys.stderr,
        )
    return 1 if silent or empty or bound else 0


if __name__ == "__main__":
    sys.exit(main())
