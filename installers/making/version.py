"""Which version is built, from the git tag, and which time a repeatable build carries."""

from __future__ import annotations

import os
import re
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

from installers.making.steps import CHECKOUT, BuildError, output

_TAGS = "v[0-9]*.[0-9]*.[0-9]*"
_DESCRIBED = re.compile(r"^v(\d+\.\d+\.\d+)(?:-(\d+)-g([0-9a-f]+))?$")


@dataclass(frozen=True, slots=True)
class Version:
    """A version and the moment that its packages carry (seconds since 1970)."""

    text: str
    moment: int

    @property
    def debian(self) -> str:
        """The same for dpkg: a build between two tags sorts between them."""
        return f"{self.text}-1"

    @property
    def numbers(self) -> tuple[int, int, int, int]:
        """The four numbers that Windows wants; the last one counts commits after the tag."""
        parts = [int(n) for n in re.findall(r"\d+", self.text.partition("g")[0])][:4]
        major, minor, patch, commits = (*parts, 0, 0, 0, 0)[:4]
        return major, minor, patch, commits

    @property
    def day(self) -> str:
        """The day as AppStream writes it."""
        return time.strftime("%Y-%m-%d", time.gmtime(self.moment))


def built_version(checkout: Path = CHECKOUT) -> Version:
    """The version of a checkout: its tag ``v1.2.3``, with commits after it as ``1.2.3+4.gabc``.

    Without a tag it is the one of pyproject.toml with the commit. ``SOURCE_DATE_EPOCH`` wins over
    the commit's time.
    """
    try:
        described = output(["git", "describe", "--tags", "--match", _TAGS], checkout).strip()
    except BuildError:
        described = ""
    return Version(
        version_text(described, _written(checkout), _commit(checkout)), _moment(checkout)
    )


def version_text(described: str, written: str, commit: str) -> str:
    """The version that ``git describe`` means, or the written one where there is no tag."""
    found = _DESCRIBED.match(described)
    if found is None:
        return f"{written}+g{commit}" if commit else written
    tag, after, hash_ = found.groups()
    return f"{tag}+{after}.g{hash_}" if after else tag


def _written(checkout: Path) -> str:
    project = tomllib.loads((checkout / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


def _commit(checkout: Path) -> str:
    try:
        return output(["git", "rev-parse", "--short", "HEAD"], checkout).strip()
    except BuildError:  # a source archive
        return ""


def _moment(checkout: Path) -> int:
    told = os.environ.get("SOURCE_DATE_EPOCH", "")
    if told.isdigit():
        return int(told)
    try:
        return int(output(["git", "log", "-1", "--format=%ct"], checkout))
    except BuildError:
        return int((checkout / "pyproject.toml").stat().st_mtime)
