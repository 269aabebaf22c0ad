"""Where a person's things lie. ``INKSTONE_HOME`` moves all of it, for tests and for USB sticks."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def data_folder() -> Path:
    """Return the folder of chats, settings and models; it may not exist yet."""
    home = os.environ.get("INKSTONE_HOME")
    if home:
        return Path(home).expanduser()
    return Path(platformdirs.user_data_dir("Inkstone", appauthor=False))


def chats_path(folder: Path) -> Path:
    """Return the database of all chats inside ``folder``."""
    return folder / "chats.db"


def beside_path(folder: Path, schema: int) -> Path:
    """Return where a program with so many migrations keeps chats beside newer ones."""
    return folder / f"chats-beside-{schema}.db"


def beside_paths(folder: Path) -> list[Path]:
    """Return the chats that were kept beside newer ones inside ``folder``."""
    return sorted(folder.glob("chats-beside-*.db"))


def lock_path(folder: Path) -> Path:
    """Return the file that the program which uses ``folder`` holds locked."""
    return folder / "chats.db.lock"


def settings_path(folder: Path) -> Path:
    """Return the settings file inside ``folder``."""
    return folder / "settings.json"


def benchmarks_path(folder: Path) -> Path:
    """Return the file of measured speeds inside ``folder``."""
    return folder / "benchmarks.json"


def monitor_path(folder: Path) -> Path:
    """Return the file of what requests measured inside ``folder``."""
    return folder / "monitor.jsonl"


def notes_path(folder: Path) -> Path:
    """Return the file of what is noted of models inside ``folder``."""
    return folder / "models.json"


def log_path(folder: Path) -> Path:
    """Return the newest file of the log inside ``folder``; older ones lie beside it."""
    return folder / "logs" / "inkstone.log"


def crashes_folder(folder: Path) -> Path:
    """Return where crashes leave their reports inside ``folder``."""
    return folder / "logs" / "crashes"


def updates_folder(folder: Path) -> Path:
    """Return where newer versions of the program wait inside ``folder``."""
    return folder / "updates"


def translations_folder(folder: Path) -> Path:
    """Return where texts of the window that are made from another language are kept."""
    return folder / "translations"


def copies_folder(folder: Path) -> Path:
    """Return where the older copies of the chats are kept inside ``folder``."""
    return folder / "copies"


def calibration_path(folder: Path) -> Path:
    """Return the text of one's own chats while a smaller copy is made with it."""
    return folder / "calibration.txt"
