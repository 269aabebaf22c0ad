"""What a build carries beside Python packages: libraries of the system it was made on.

The build writes it (``installers/making/system_parts.py``), since the installed program has no way
to ask whose a library was; the sources carry nothing of the kind.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path("resources", "parts")
LIST = "parts.json"


@dataclass(frozen=True, slots=True)
class Carried:
    """A part that is no Python package, as the build wrote it.

    Attributes:
        name: as its maker or its distribution calls it.
        version: "" where it has none.
        licence: in short.
        home: where it comes from.
        purl: the package's address for a bill of materials; "" where it has none.
        texts: the files with its licence, beside the list.
    """

    name: str
    version: str
    licence: str
    home: str
    purl: str
    texts: tuple[Path, ...]


def carried_parts(folder: Path) -> list[Carried]:
    """Return what a build wrote below a folder of packages; nothing where there is no list.

    Args:
        folder: that holds ``resources``.
    """
    place = folder / FOLDER
    try:
        listed = json.loads((place / LIST).read_text("utf-8"))
        return [_read(place, values) for values in listed]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _read(place: Path, values: dict[str, Any]) -> Carried:
    name, version, licence, home, purl = (
        str(values[key]) for key in ("name", "version", "licence", "home", "purl")
    )
    texts = tuple(place / Path(str(text)).name for text in values["texts"])
    return Carried(name, version, licence, home, purl, texts)
