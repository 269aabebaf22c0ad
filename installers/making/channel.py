"""Where the programs of this build look for newer versions: an address and the keys they believe.

Both come from ``resources/update`` (a folder that the sources do not have) or from the variables
``INKSTONE_UPDATE_ADDRESS`` and ``INKSTONE_UPDATE_ROOT``, which the release workflow sets.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

from installers.making.steps import CHECKOUT, BuildError, say

ADDRESS, ROOT = "INKSTONE_UPDATE_ADDRESS", "INKSTONE_UPDATE_ROOT"
_KEPT = CHECKOUT / "resources" / "update"
_HOW = "see “Publishing a version” in installers/README.md"


def write_channel(target: Path, kept: Path = _KEPT) -> bool:
    """Write the channel of this build into its ``resources/update``; False where it has none.

    Args:
        target: the folder ``resources/update`` of the frozen program.
        kept: the same of the sources, which counts where the variables are empty.

    Raises:
        BuildError: half of it is missing, or programs could not use it.
    """
    address = os.environ.get(ADDRESS, "").strip() or _read(kept / "address.txt")
    root = os.environ.get(ROOT, "").strip() or _read(kept / "root.json")
    if not address and not root:
        say(f"Programs of this build look for newer versions nowhere: {_HOW}.")
        return False
    if not address or not root:
        missing = f"{ADDRESS} (address.txt)" if not address else f"{ROOT} (root.json)"
        raise BuildError(f"{missing} is missing beside the other half: {_HOW}.")
    _check(address, root)
    target.mkdir(parents=True)
    (target / "address.txt").write_text(address + "\n", "utf-8")
    (target / "root.json").write_text(root + "\n", "utf-8")
    say(f"Programs of this build look for newer versions at {address}")
    return True


def _read(file: Path) -> str:
    return file.read_text("utf-8").strip() if file.is_file() else ""


def _check(address: str, root: str) -> None:
    if not address.startswith(("https://", "http://127.0.0.1:")):
        raise BuildError(f"{address!r} is no https address: programs would not ask it; {_HOW}.")
    try:
        signed = json.loads(root)["signed"]
        is_root = signed["_type"] == "root"
        expires = datetime.strptime(signed["expires"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except (ValueError, KeyError, TypeError) as error:
        raise BuildError(f"{ROOT} (root.json) is not what `keys` makes: {_HOW}.") from error
    if not is_root or expires <= datetime.now(UTC):
        raise BuildError(f"{ROOT} (root.json) names no root, or one that expired: {_HOW}.")
