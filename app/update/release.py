"""What a release says of itself: ``release.json``, signed with everything else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from packaging.version import InvalidVersion, Version

NAME = "release.json"


class Refusal(StrEnum):
    """Why a release is not offered."""

    UNTRUSTED = "untrusted"  # a signature or a hash is wrong
    REPLAYED = "replayed"  # older than what was seen before
    EXPIRED = "expired"  # its description held until a day that is over
    UNREADABLE = "unreadable"  # signed, and no release that this program understands
    NO_PACKAGE = "no_package"  # newer, and not made for this form of the program


@dataclass(frozen=True, slots=True)
class Release:
    """A newer version with the package for this place.

    Attributes:
        version: for example "1.3.0".
        package: the package's file name.
        address: where it is fetched from.
        size: bytes.
        sha256: hex digits.
        notes: what is new, Markdown by language.
    """

    version: str
    package: str
    address: str
    size: int
    sha256: str
    notes: Mapping[str, str]

    def notes_in(self, language: str) -> str:
        """Return what is new in a language, in English where it was not written in that one."""
        return self.notes.get(language) or self.notes.get("en", "")


@dataclass(frozen=True, slots=True)
class Described:
    """What ``release.json`` holds."""

    version: str
    notes: Mapping[str, str]
    packages: Mapping[str, str]  # by ``Place.package``


def read_described(content: bytes) -> Described | None:
    """Read ``release.json``; None where it is not one."""
    try:
        values = json.loads(content)
        described = Described(
            str(Version(values["version"])), _texts(values["notes"]), _texts(values["packages"])
        )
    except (ValueError, KeyError, TypeError, InvalidVersion):
        return None
    return described


def is_newer(offered: str, running: str) -> bool:
    """Say whether a version comes after the running one; one that is none comes before all."""
    return _number(offered) > _number(running)


def _number(written: str) -> Version:
    try:
        return Version(written)
    except InvalidVersion:
        return Version("0")


def _texts(values: Any) -> Mapping[str, str]:
    return {str(name): str(value) for name, value in dict(values).items()}
