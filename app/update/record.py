"""The step from one version to the next, kept so that it can be taken back."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from app.update.form import Form, Place
from app.update.versions import has_version

_FILE = "step.json"


@dataclass(frozen=True, slots=True)
class Step:
    """An update that was made, or handed to the system.

    Attributes:
        before: the version that made it.
        after: the version that it led to.
        schema: how many migrations of the chats the version before knows.
        package_before: the file of the version before, empty where it was not fetched here.
        package_after: the file of the version that it led to.
    """

    before: str
    after: str
    schema: int
    package_before: str = ""
    package_after: str = ""


def packages_folder(folder: Path) -> Path:
    """Return where packages lie inside the updates' folder."""
    return folder / "packages"


def read_step(folder: Path) -> Step | None:
    """Return the last step; None where there was none, or it cannot be read."""
    try:
        values = json.loads((folder / _FILE).read_bytes())
        return Step(
            str(values["before"]), str(values["after"]), int(values["schema"]),
            str(values["package_before"]), str(values["package_after"]),
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep_step(folder: Path, step: Step) -> None:
    """Keep a step in place of the one before.

    Raises:
        OSError: it is not kept.
    """
    folder.mkdir(parents=True, exist_ok=True)
    new = folder / f"{_FILE}.new"
    new.write_text(json.dumps(asdict(step)), "utf-8")
    new.replace(folder / _FILE)


def kept_before(folder: Path, place: Place, running: str) -> Step | None:
    """Return the step that led to the running version, where the version before is still here."""
    step = read_step(folder)
    if step is None or step.after != running:
        return None
    if place.form is Form.TAR and place.root is not None:
        return step if has_version(place.root, step.before) else None
    package = packages_folder(folder) / step.package_before
    return step if step.package_before and package.is_file() else None
