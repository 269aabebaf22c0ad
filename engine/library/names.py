"""A model's name and publisher, as a person knows them: from where its files lie.

File names are what the user downloaded and recognises; the names inside the files are often
those of a training run ("Smollm2 135M 8k Lc100K Mix1 Ep2").
"""

from __future__ import annotations

import re
from pathlib import Path

_PART = re.compile(r"-\d{5}-of-\d{5}$")
_QUANTIZATION = re.compile(
    r"[-._](?:i1-)?(?:UD-)?(?:I?Q\d\w*|B?F16|F32|FP16|FP32|MXFP4\w*|TQ\d\w*)$", re.IGNORECASE
)
_HASH = re.compile(r"(?:sha256[-:])?[0-9a-f]{32,}$")
_NAMELESS = frozenset({"model", "ggml-model"})  # Jan calls every file so
_HUB_CACHE = re.compile(r"models--(?P<publisher>.+?)--(?P<name>.+)")


def name_of_file(path: Path, named_inside: str) -> str:
    """The name of a GGUF model; ``named_inside`` serves where the file's name is a hash."""
    stem = path.stem if path.suffix.lower() == ".gguf" else path.name
    if _HASH.match(stem):
        return one_line(named_inside) or stem[:19]
    stem = _PART.sub("", stem)
    if stem.lower() in _NAMELESS and path.parent.name:
        stem = path.parent.name
    return one_line(_QUANTIZATION.sub("", stem) or stem)


def name_of_folder(path: Path) -> tuple[str, str]:
    """(name, publisher) of a folder; the publisher is known in the hub's own cache only."""
    for folder in (path, *path.parents[:3]):
        match = _HUB_CACHE.fullmatch(folder.name)
        if match:
            return one_line(match["name"]), one_line(match["publisher"])
    return one_line(path.resolve().name if path.name in {"", "."} else path.name), ""


def one_line(name: str) -> str:
    """A name without what breaks a line or cannot be seen: a file may be called anything."""
    shown = "".join(letter if letter.isprintable() else " " for letter in name)
    return " ".join(shown.split())
