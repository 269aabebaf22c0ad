"""The parts of others in this program, with their licences: read from the packages themselves.

Every Python package carries its licence in its ``dist-info``, in the source form and in the
installed one, so the window shows what is really there. What is no Python package is told by the
build (``app/about/carried.py``) or, where every form has it (Qt, Python, the icons, the starter
model), stands here.
"""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageMetadata
from pathlib import Path

from app.about.carried import carried_parts

_LICENCES = Path(__file__).resolve().parents[2] / "resources" / "licences"
_TEXT_NAMES = re.compile(r"(licen[cs]e|copying|notice|authors)", re.IGNORECASE)
_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*")
_LONGEST_NAME = 60  # of the free field; longer is its whole text in the wrong field
_APACHE = re.compile(r"\b(apache|apl)\b", re.IGNORECASE)
_OF_PACKAGES = "packages"  # texts that wheels do not bring, by the package's name
_CLASSIFIER = "License :: "


Installed = tuple[Path, Distribution]
"""What a package says about itself: the folder, and the same read."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of this program that others wrote.

    Attributes:
        name: as it calls itself.
        version: "" where it has none.
        licence: its licence in short, as the package says it; "" where it says nothing.
        home: where it comes from.
        folder: what the package says about itself (``dist-info``); None for what is no package.
        shared: names in ``resources/licences`` of texts that many parts share.
        files: further texts, of what is no package.
        purl: how a bill of materials names what is no Python package; "" where it cannot.
    """

    name: str
    version: str
    licence: str
    home: str
    folder: Path | None = None
    shared: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    purl: str = ""

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield (file, text) of every licence and notice that comes with it."""
        for name in self.shared:
            yield name, (_LICENCES / name).read_text("utf-8")
        for file in self.files:
            yield file.name, file.read_bytes().decode("utf-8", errors="replace")
        if self.folder is None:
            return
        for file in _brought(self.folder):
            name = file.relative_to(self.folder).as_posix()
            yield name, file.read_bytes().decode("utf-8", errors="replace")


def all_parts(path: Sequence[str] | None = None, roots: Iterable[str] = ()) -> list[Part]:
    """Return every part: what is no Python package first, Qt before all, then packages by name.

    Args:
        path: where packages lie, ``sys.path`` by default.
        roots: requirements; with them, only packages that they lead to.
    """
    found = _installed(path or sys.path)
    wanted = reached(found, roots) if roots else set(found)
    packages = [_package(*found[name]) for name in sorted(wanted) if name != "inkstone"]
    others = {part.name: part for part in _others({p.name.lower(): p.version for p in packages})}
    others |= {part.name: part for entry in path or sys.path for part in _carried(Path(entry))}
    return [*others.values(), *packages]


def reached(found: Mapping[str, Installed], roots: Iterable[str]) -> set[str]:
    """Return the names of the packages that some requirements lead to, by way of others.

    Markers that hold elsewhere may lead to more; what is not installed is passed over.
    """
    seen: set[str] = set()
    waiting = [_required(root) for root in roots]
    while waiting:
        name = waiting.pop()
        if name in seen or name not in found:
            continue
        seen.add(name)
        needs = found[name][1].requires or []
        waiting += [_required(need) for need in needs if "extra ==" not in need]
    return seen


def source_roots(pyproject: Path) -> list[str]:
    """Return the requirements that the sources state; none where there are no sources."""
    import tomllib  # noqa: PLC0415 - the installed program has no sources to read

    try:
        project = tomllib.loads(pyproject.read_text("utf-8"))["project"]
    except OSError:
        return []
    return list(map(str, project["dependencies"]))


def plain_name(name: str) -> str:
    """Return a package's name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def notices_text(parts: Iterable[Part], head: str) -> str:
    """Return one text with everything: a list of the parts, then each with its licences."""
    parts = list(parts)
    listed = [
        " ".join(each for each in (part.name, part.version, part.licence) if each) for part in parts
    ]
    blocks = [head, "\n".join(listed)]
    for part in parts:
        lines = [f"{part.name} {part.version}".rstrip(), part.licence, part.home]
        blocks.append("=" * 78 + "\n" + "\n".join(line for line in lines if line))
        blocks += [f"--- {name} ---\n\n{text.strip()}" for name, text in part.texts()]
    return "\n\n".join(blocks) + "\n"


def _required(requirement: str) -> str:
    found = _NAME.match(requirement)
    return plain_name(found[0]) if found else ""


def _installed(path: Iterable[str]) -> dict[str, Installed]:
    """Return what lies in some folders, by name; the first of a name counts, as for imports.

    The files that a package lists of itself are of no use: an installed program has no such list.
    """
    found: dict[str, Installed] = {}
    for entry in path:
        for folder in Path(entry or ".").glob("*.dist-info"):
            distribution = Distribution.at(folder)
            found.setdefault(plain_name(distribution.name), (folder, distribution))
    return found


def _package(folder: Path, distribution: Distribution) -> Part:
    told, name = distribution.metadata, distribution.name
    licence = _licence(told)
    shared = _lent(plain_name(name), licence, is_mute=not _brought(folder))
    return Part(name, distribution.version, licence, _home(told), folder, shared)


def _brought(folder: Path) -> list[Path]:
    """Return the licences and notices that lie with what a package says about itself."""
    return [
        file for file in sorted(folder.rglob("*"))
        if _TEXT_NAMES.search(file.relative_to(folder).as_posix()) and file.is_file()
    ]  # fmt: skip


def _lent(name: str, licence: str, *, is_mute: bool) -> tuple[str, ...]:
    """Return texts kept here: Qt's, and for a package that brings none its own, or Apache's.

    Other licences have the names of their holders in them, so that one text does not do for all.
    """
    if _is_qt(name):
        return ("LGPL-3.0.txt", "GPL-3.0.txt")
    if not is_mute:
        return ()
    if (_LICENCES / _OF_PACKAGES / f"{name}.txt").is_file():
        return (f"{_OF_PACKAGES}/{name}.txt",)
    return ("Apache-2.0.txt",) if _APACHE.search(licence) else ()


def _carried(folder: Path) -> list[Part]:
    """Return what the build told of, as parts."""
    return [
        Part(each.name, each.version, each.licence, each.home, files=each.texts, purl=each.purl)
        for each in carried_parts(folder)
    ]


def _licence(told: PackageMetadata) -> str:
    """Return a licence's short name: the expression, else a short field, else the classifiers."""
    for field, longest in (("License-Expression", None), ("License", _LONGEST_NAME)):
        value = " ".join("".join((told.get_all(field) or [])[:1]).split())
        if value and value.upper() != "UNKNOWN" and (longest is None or len(value) <= longest):
            return value
    classifiers = [c for c in told.get_all("Classifier") or [] if c.startswith(_CLASSIFIER)]
    return ", ".join(c.rpartition(" :: ")[2] for c in classifiers)


def _home(told: PackageMetadata) -> str:
    for entry in told.get_all("Project-URL") or []:
        label, _, address = entry.partition(",")
        if label.strip().lower() in {"homepage", "source", "repository", "source code", "code"}:
            return str(address.strip())
    return str(told["Home-page"]) if "Home-page" in told else ""


def _is_qt(name: str) -> bool:
    return plain_name(name).startswith(("pyside6", "shiboken6"))


def _others(versions: dict[str, str]) -> list[Part]:
    """Return what is no Python package; ``versions`` are those of the packages."""
    qt = next((v for name, v in versions.items() if name.startswith("pyside6")), "")
    icons, python = "https://phosphoricons.com", "https://www.python.org"
    model = "https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct"
    return [
        Part("Qt", qt, "LGPL-3.0-only", "https://www.qt.io", None, ("LGPL-3.0.txt", "GPL-3.0.txt")),
        Part("Python", platform.python_version(), "PSF-2.0", python, None, ("PSF-2.0.txt",)),
        Part("Phosphor Icons", "", "MIT", icons, None, ("MIT-Phosphor.txt",)),
        Part("SmolLM2-135M-Instruct", "", "Apache-2.0", model, None, ("Apache-2.0.txt",)),
    ]
