"""Where newer versions are published, and whose signatures count: written into a build, or none.

A build brings ``resources/update/address.txt`` and ``root.json`` (``installers/README.md``); the
sources bring neither. ``INKSTONE_UPDATE`` names another folder with the two, for an organisation
that publishes its own builds.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

_FOLDER = Path(__file__).resolve().parents[2] / "resources" / "update"


@dataclass(frozen=True, slots=True)
class Channel:
    """One place of releases.

    Attributes:
        address: of the folder with ``metadata/`` and ``packages/``.
        root: the keys that are trusted first (TUF's root metadata); they may name their successors.
    """

    address: str
    root: bytes

    @property
    def host(self) -> str:
        """The server's name."""
        return urlsplit(self.address).hostname or self.address


def read_channel() -> Channel | None:
    """Return where this build looks; None where it looks nowhere."""
    folder = Path(os.environ.get("INKSTONE_UPDATE") or _FOLDER)
    try:
        address = (folder / "address.txt").read_text("utf-8").strip().rstrip("/")
        root = (folder / "root.json").read_bytes()
    except OSError:
        return None
    return Channel(address, root) if _may_be_asked(address) else None


def _may_be_asked(address: str) -> bool:
    """Say whether the way there is protected: https, or this computer itself."""
    parts = urlsplit(address)
    is_here = parts.hostname in {"127.0.0.1", "::1", "localhost"}
    return bool(parts.hostname) and (
        parts.scheme == "https" or (parts.scheme == "http" and is_here)
    )
