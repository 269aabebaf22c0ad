"""Where the models of other programs lie: LM Studio, Ollama, Hugging Face, Jan, GPT4All.

Places and variables are those of the programs' own documentation. Nothing is ever written there.
"""

from __future__ import annotations

import configparser
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from engine.library.folders import included_folder


class SourceKind(StrEnum):
    """Whose folder it is."""

    OWN = "own"
    LM_STUDIO = "lm-studio"
    OLLAMA = "ollama"
    HUGGING_FACE = "hugging-face"
    JAN = "jan"
    GPT4ALL = "gpt4all"
    INCLUDED = "included"
    ADDED = "added"


OTHERS = (
    SourceKind.LM_STUDIO,
    SourceKind.OLLAMA,
    SourceKind.HUGGING_FACE,
    SourceKind.JAN,
    SourceKind.GPT4ALL,
)


@dataclass(frozen=True, slots=True)
class Source:
    """A folder with models, or one model's file, and whose it is."""

    kind: SourceKind
    folder: Path


@dataclass(frozen=True, slots=True)
class Computer:
    """What the places depend on, so that a test can be any computer.

    Attributes:
        home: the user's folder.
        system: as ``sys.platform`` has it.
        variables: of the environment.
    """

    home: Path = field(default_factory=Path.home)
    system: str = sys.platform
    variables: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def folder(self, name: str, *below: str) -> Path | None:
        """The folder that a variable names, and one below it; None where it is not set."""
        value = self.variables.get(name, "").strip()
        if not value:
            return None
        rest = value[2:] if value.startswith(("~/", "~\\")) else None
        return (self.home / rest if rest is not None else Path(value)).joinpath(*below)

    def data(self) -> Path:
        """Where programs keep a user's data."""
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        if self.system == "win32":
            return self.folder("APPDATA") or self.home / "AppData" / "Roaming"
        return self.folder("XDG_DATA_HOME") or self.home / ".local" / "share"

    def local_data(self) -> Path:
        """The same, for data that stays on this computer (Windows tells the two apart)."""
        if self.system == "win32":
            return self.folder("LOCALAPPDATA") or self.home / "AppData" / "Local"
        return self.data()

    def settings(self) -> Path:
        """Where programs keep a user's settings."""
        if self.system in {"darwin", "win32"}:
            return self.data()
        return self.folder("XDG_CONFIG_HOME") or self.home / ".config"


def other_sources(computer: Computer | None = None) -> tuple[Source, ...]:
    """The folders of other programs that are there, each once, and what came with ours."""
    computer = computer or Computer(Path.home())
    places = {
        SourceKind.LM_STUDIO: _lm_studio(computer),
        SourceKind.OLLAMA: _ollama(computer),
        SourceKind.HUGGING_FACE: _hugging_face(computer),
        SourceKind.JAN: _jan(computer),
        SourceKind.GPT4ALL: _gpt4all(computer),
        SourceKind.INCLUDED: [included_folder()],
    }
    found: dict[str, Source] = {}
    for kind, folders in places.items():
        for folder in folders:
            if folder.is_dir():
                found.setdefault(os.path.realpath(folder), Source(kind, folder))
    return tuple(found.values())


def _lm_studio(computer: Computer) -> list[Path]:
    """Its models folder: that of its settings, of its home, and of versions before 0.3.6."""
    homes = [computer.home / ".lmstudio", computer.home / ".cache" / "lm-studio"]
    pointer = _text(computer.home / ".lmstudio-home-pointer").strip()
    if pointer:
        homes.insert(0, Path(pointer))
    chosen = [_json(home / "settings.json").get("downloadsFolder") for home in homes]
    return [
        *(Path(folder) for folder in chosen if isinstance(folder, str) and folder),
        *(home / "models" for home in homes),
    ]


def _ollama(computer: Computer) -> list[Path]:
    """``OLLAMA_MODELS``, the user's store, and the ones of its service on Linux."""
    own = computer.folder("OLLAMA_MODELS")
    folders = [own] if own else []
    folders.append(computer.home / ".ollama" / "models")
    if computer.system.startswith("linux"):
        services = ("usr/share/ollama/.ollama", "var/lib/ollama", "var/snap/ollama/common")
        root = Path(computer.home.anchor)
        folders += [root / service / "models" for service in services]
    return folders


def _hugging_face(computer: Computer) -> list[Path]:
    """The hub's cache, by the variables in the order in which huggingface_hub asks them."""
    for name, below in (
        ("HF_HUB_CACHE", ()),
        ("HUGGINGFACE_HUB_CACHE", ()),
        ("HF_HOME", ("hub",)),
        ("XDG_CACHE_HOME", ("huggingface", "hub")),
    ):
        folder = computer.folder(name, *below)
        if folder:
            return [folder]
    return [computer.home / ".cache" / "huggingface" / "hub"]


def _jan(computer: Computer) -> list[Path]:
    """Its data folder (settings name it where it was moved): ``models``, and by engine."""
    app = [computer.data() / "Jan", computer.settings() / "Jan"]
    roots = [root / "data" for root in app] + [computer.home / "jan"]
    for folder in app:
        moved = _json(folder / "settings.json").get("data_folder")
        if isinstance(moved, str) and moved:
            roots.insert(0, Path(moved))
    parts = (("models",), ("llamacpp", "models"), ("mlx", "models"))
    return [root.joinpath(*part) for root in roots for part in parts]


def _gpt4all(computer: Computer) -> list[Path]:
    """The folder of its settings, else its own."""
    folders = [computer.local_data() / "nomic.ai" / "GPT4All"]
    for place in dict.fromkeys((computer.settings(), computer.home / ".config")):
        moved = _ini_value(place / "nomic.ai" / "GPT4All.ini", "modelPath")
        if moved:
            folders.insert(0, Path(moved))
    return folders


def _ini_value(path: Path, key: str) -> str:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(_text(path))
    except configparser.Error:
        return ""
    return parser.get("General", key, fallback="")


def _json(path: Path) -> dict[str, object]:
    try:
        content = json.loads(_text(path) or "{}")
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""
