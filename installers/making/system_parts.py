"""Whose the libraries are that PyInstaller took from the system, with their licences.

PyInstaller says where it took every file. What lies in the environment came with a package, which
brings its own papers; what lies with Python is Python's; for the rest the system's package
database is asked. A library that nobody answers for stops the build.
"""

from __future__ import annotations

import json
import platform
import re
import shutil
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from app.about.carried import FOLDER, LIST
from installers.making.debian_copyright import common_text, licence_of
from installers.making.steps import CHECKOUT, BuildError, output

DOC = Path("/usr/share/doc")
LICENCES = CHECKOUT / "resources" / "licences"
_ICU = re.compile(r"^libicu\w+\.so\.(\d+)$")
_GCC = re.compile(r"^lib(gomp|gfortran|quadmath|gcc_s|stdc\+\+)\b.*\.(so|dylib)\b")
_GCC_TEXTS = ("GCC-exception-3.1.txt", "GPL-3.0.txt", "LGPL-3.0.txt")
_GCC_LICENCE = "GPL-3.0-or-later WITH GCC-exception-3.1 AND LGPL-2.1-or-later"


@dataclass(frozen=True, slots=True)
class SystemPart:
    """A part that is no Python package; see ``app.about.carried.Carried``."""

    name: str
    version: str
    licence: str
    home: str
    text: str
    purl: str = ""


def system_parts(taken: Iterable[tuple[str, str]], python_folder: Path) -> list[SystemPart]:
    """The parts that libraries in a frozen program come from, by name.

    Args:
        taken: (name in the program, where it was taken from) of every binary.
        python_folder: the environment that is frozen.

    Raises:
        BuildError: nobody says what a library is under.
    """
    parts = {part.name: part for part in (_python(), _bootloader(python_folder))}
    owners = set[str]()
    for name, source in taken:
        if (icu := _ICU.match(Path(name).name)) is not None:
            parts["ICU"] = _icu(icu[1])
        if not _is_below(Path(source), python_folder) and not _is_python(Path(source)):
            owners.add(_owner(Path(source)))
    parts |= {owner: _debian_part(owner) for owner in owners}
    return [parts[name] for name in sorted(parts)]


def compilers_part(packages: Path) -> list[SystemPart]:
    """GCC's runtime libraries that packages brought along; their papers seldom name them."""
    found = sorted({f.name for f in packages.rglob("lib*") if _GCC.match(f.name)})
    if not found:
        return []
    texts = [(LICENCES / name).read_text("utf-8") for name in _GCC_TEXTS]
    text = "\n\n".join([f"These files: {', '.join(found)}.", *texts])
    return [SystemPart("GCC runtime libraries", "", _GCC_LICENCE, "https://gcc.gnu.org", text)]


def write_parts(parts: Iterable[SystemPart], packages: Path) -> None:
    """Write them where the program and its papers look for them, below its packages."""
    place = packages / FOLDER
    place.mkdir(parents=True)
    listed = []
    for part in parts:
        file = place / f"{part.name}.txt"
        file.write_text(part.text, "utf-8")
        listed.append({
            "name": part.name, "version": part.version, "licence": part.licence,
            "home": part.home, "purl": part.purl, "texts": [file.name],
        })  # fmt: skip
    (place / LIST).write_text(json.dumps(listed, indent=1) + "\n", "utf-8")


def _is_below(source: Path, folder: Path) -> bool:
    return source.is_relative_to(folder) or source.resolve().is_relative_to(folder.resolve())


def _is_python(source: Path, system: str = sys.platform, prefix: str = sys.base_prefix) -> bool:
    """Whether a file is Python's own: of its library, the library that it is, or beside it.

    On Windows and macOS a Python brings OpenSSL, SQLite and others in its own folder, under papers
    of its own; on Linux that folder is the system's.
    """
    if system in {"win32", "darwin"} and _is_below(source, Path(prefix)):
        return True
    standard = Path(sysconfig.get_path("stdlib"))
    return _is_below(source, standard) or source.name.startswith(("libpython3", "python3"))


def _python() -> SystemPart:
    """Python, with the text that lies with it; its documentation names what it has inside."""
    standard = Path(sysconfig.get_path("stdlib"))
    version = ".".join(map(str, sys.version_info[:2]))
    places = (
        standard / "LICENSE.txt", Path(sys.base_prefix) / "LICENSE.txt",
        standard / "LICENSE", DOC / f"python{version}" / "copyright",
        DOC / f"libpython{version}-minimal" / "copyright",
    )  # fmt: skip
    text = next((p.read_text("utf-8", "replace") for p in places if p.is_file()), "")
    if not text:
        raise BuildError(f"{sys.executable} brings no licence text: build with another Python.")
    home = "https://docs.python.org/3/license.html"
    return SystemPart("Python", platform.python_version(), "PSF-2.0", home, text)


def _bootloader(python_folder: Path) -> SystemPart:
    """What PyInstaller puts before the program: the one thing of it that goes along."""
    found = sorted(python_folder.glob("**/pyinstaller-*.dist-info"))
    if not found:
        raise BuildError(f"{python_folder} has no PyInstaller: delete it and build again.")
    version = found[0].name.removesuffix(".dist-info").partition("-")[2]
    text = "\n\n".join(f.read_text("utf-8") for f in sorted(found[0].glob("licenses/*")))
    licence = "GPL-2.0-or-later WITH Bootloader-exception"
    return SystemPart("PyInstaller bootloader", version, licence, "https://pyinstaller.org", text)


def _icu(version: str) -> SystemPart:
    text = (LICENCES / "Unicode-DFS-2016.txt").read_text("utf-8")
    return SystemPart("ICU", version, "Unicode-DFS-2016", "https://icu.unicode.org", text)


def _owner(source: Path) -> str:
    """The package of the system that a file belongs to; Python's, where it is below its folder."""
    if shutil.which("dpkg-query"):
        for path in _names(source):
            try:
                told = output(["dpkg-query", "--search", path])
            except BuildError:
                continue
            return told.splitlines()[0].partition(": ")[0].partition(",")[0]
    raise BuildError(
        f"{source} goes into the program, and no package of this system says what it is under: "
        "use a Python that was not linked to it, or leave it out in "
        "installers/frozen/inkstone.spec."
    )


def _names(source: Path) -> Iterator[Path]:
    """The names that the package database may have for a file, as /lib is a link to /usr/lib."""
    for path in dict.fromkeys((source, source.resolve())):
        yield path
        if path.is_relative_to("/usr"):
            yield Path("/") / path.relative_to("/usr")
        else:
            yield Path("/usr") / path.relative_to("/")


def _debian_part(owner: str) -> SystemPart:
    fields = "${Package}\\t${Version}\\t${Architecture}\\t${Homepage}"
    name, version, architecture, home = output(
        ["dpkg-query", "--show", f"--showformat={fields}", owner]
    ).split("\t")
    file = DOC / name / "copyright"
    if not file.is_file():
        raise BuildError(f"{file} is missing: install {name} again, its licence goes along.")
    text = file.read_text("utf-8", "replace")
    licence = licence_of(text)
    if whole := common_text(licence):
        text = f"{text.rstrip()}\n\n{'-' * 78}\n\n{whole}"
    system = platform.freedesktop_os_release().get("ID", "linux")
    purl = f"pkg:deb/{system}/{name}@{version}?arch={architecture}"
    return SystemPart(name, version, licence, home, text, purl)
