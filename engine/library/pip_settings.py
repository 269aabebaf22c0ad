"""Where this machine's pip takes packages from: its indexes, folders, certificate and proxy.

People behind a mirror or a company's certificate have told pip already; a download from a package
index should not ask them again. Read here from pip's own places, because a packed application has
no pip to ask: environment over user over system (pip's documented order).
"""

from __future__ import annotations

import configparser
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

DEFAULT_INDEX = "https://pypi.org/simple"


@dataclass(frozen=True, slots=True)
class PipSettings:
    """Addresses in the order in which they are tried; empty texts are pip's own defaults."""

    indexes: tuple[str, ...] = (DEFAULT_INDEX,)
    find_links: tuple[str, ...] = ()
    certificate: str = ""
    proxy: str = ""


def pip_settings(
    environment: Mapping[str, str] | None = None, files: Iterable[Path] | None = None
) -> PipSettings:
    """The settings in force; the arguments stand in for this process's own in tests."""
    environment = os.environ if environment is None else environment
    values = _from_files(_config_files(environment) if files is None else files)
    prefix = "PIP_"
    for name, value in environment.items():
        if name.startswith(prefix) and value:
            values[name.removeprefix(prefix).lower().replace("_", "-")] = value
    index = values.get("index-url", DEFAULT_INDEX).strip()
    alone = values.get("no-index", "").strip().lower() in {"1", "true", "yes", "on"}
    return PipSettings(
        indexes=() if alone else (index, *values.get("extra-index-url", "").split()),
        find_links=tuple(values.get("find-links", "").split()),
        certificate=values.get("cert", "").strip(),
        proxy=values.get("proxy", "").strip(),
    )


def _from_files(files: Iterable[Path]) -> dict[str, str]:
    """``[global]`` of each file, later files over earlier ones; ``[download]`` over both."""
    sections: dict[str, dict[str, str]] = {"global": {}, "download": {}}
    for file in files:
        parser = configparser.RawConfigParser()
        try:
            parser.read(file, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError):
            continue  # pip will complain about it; the other places still hold
        for name, values in sections.items():
            if parser.has_section(name):
                values.update({k.replace("_", "-"): v for k, v in parser.items(name)})
    return {**sections["global"], **sections["download"]}


def _config_files(environment: Mapping[str, str]) -> list[Path]:
    """System, user, environment (this interpreter's), and ``PIP_CONFIG_FILE`` last."""
    chosen = environment.get("PIP_CONFIG_FILE", "")
    if chosen == os.devnull:
        return []
    home = Path.home()
    if sys.platform == "win32":
        name = "pip.ini"
        system = [Path(environment.get("PROGRAMDATA", "C:\\ProgramData")) / "pip" / name]
        roaming = Path(environment.get("APPDATA", str(home)))
        user = [home / "pip" / name, roaming / "pip" / name]
    else:
        name = "pip.conf"
        shared = environment.get("XDG_CONFIG_DIRS") or "/etc/xdg"
        system = [Path(d) / "pip" / name for d in reversed(shared.split(":"))]
        system.append(Path("/etc") / name)
        own = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
        user = [home / ".pip" / name, own / "pip" / name]
    if sys.platform == "darwin":
        user.append(home / "Library" / "Application Support" / "pip" / name)
    last = [Path(chosen)] if chosen else []
    return [*system, *user, Path(sys.prefix) / name, *last]
