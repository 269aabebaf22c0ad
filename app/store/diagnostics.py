"""What helps others to help: versions, figures, settings, the end of the log; nothing personal."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from app.store.catalogue import CATALOGUE
from app.store.settings import Settings
from engine.contract.setting import Kind

_PACKAGES = ("inkstone", "PySide6-Essentials", "torch", "transformers", "numba", "safetensors")
_LOG_LINES = 40
_OPEN = {Kind.SWITCH, Kind.CHOICE, Kind.WHOLE, Kind.DECIMAL}  # no text that a person wrote


def diagnostics(settings: Settings, figures: Mapping[str, object], log: Path) -> str:
    """Return a text that can be shown to anybody.

    Args:
        settings: those that differ from their defaults are listed; what a person wrote is not.
        figures: what else is known, by name.
        log: the file whose last lines are added.
    """
    lines = ["Inkstone", *(f"{name} {_version(name)}" for name in _PACKAGES)]
    lines += [f"Python {sys.version.split()[0]}", platform.platform(), f"{os.cpu_count()} threads"]
    lines += [f"{name}: {value}" for name, value in figures.items()]
    for key, setting in CATALOGUE.items():
        value = getattr(settings, key)
        if value != setting.default:
            lines.append(f"{key} = {value if setting.kind in _OPEN else '(set)'}")
    return without_person("\n".join([*lines, "", *_end_of(log)]))


def without_person(text: str) -> str:
    """Return a text without the person's folder and name."""
    home = str(Path.home())
    for known in {home, os.path.realpath(home), home.replace("\\", "/")}:
        if len(known) > 1:
            text = text.replace(known, "~")
    name = os.environ.get("USER") or os.environ.get("USERNAME") or ""
    return re.sub(rf"\b{re.escape(name)}\b", "(user)", text) if len(name) > 1 else text


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - with email

    try:
        return version(package)
    except PackageNotFoundError:
        return "(from its folder)"


def _end_of(log: Path) -> list[str]:
    try:
        return log.read_text("utf-8", errors="replace").splitlines()[-_LOG_LINES:]
    except OSError:
        return []
