"""Where the models lie."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def models_folder() -> Path:
    """The user's model folder, not created: ``INKSTONE_HOME/models``, or the system's place."""
    home = os.environ.get("INKSTONE_HOME")
    if home:
        return Path(home).expanduser() / "models"
    return Path(platformdirs.user_data_dir("Inkstone", appauthor=False)) / "models"


def included_folder() -> Path:
    """Where the installed program brings a model along; sources have no such folder."""
    return Path(__file__).resolve().parents[2] / "resources" / "starter"


def facts_cache_path() -> Path:
    """Where facts of models are remembered: it may be deleted at any time."""
    home = os.environ.get("INKSTONE_HOME")
    if home:
        return Path(home).expanduser() / "models-known.json"
    return Path(platformdirs.user_cache_dir("Inkstone", appauthor=False)) / "models-known.json"
