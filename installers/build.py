#!/usr/bin/env python3
"""Make installers of this system: standard library only; what it needs it fetches itself.

    python3 installers/build.py linux-deb | linux-tar | windows-installer | windows-zip | macos-dmg

Several of one system may be named: the program is frozen once. Everything happens in ``build/`` and
the packages come to ``dist/``. See installers/README.md.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from installers.making.archives import make_tar, make_zip
from installers.making.deb import make_deb
from installers.making.freeze import Frozen, freeze
from installers.making.macos import make_dmg
from installers.making.papers import BILL, add_papers, papers_folder
from installers.making.steps import CHECKOUT, BuildError, say
from installers.making.version import Version, built_version
from installers.making.windows import make_installer

TARGETS = {
    "linux-deb": "linux",
    "linux-tar": "linux",
    "windows-installer": "win32",
    "windows-zip": "win32",
    "macos-dmg": "darwin",
}
_CHOICE = ", ".join(TARGETS)
SYSTEMS = {"linux": "Linux", "win32": "Windows", "darwin": "macOS"}


def check_system(target: str, system: str = sys.platform) -> None:
    """Refuse a package of another system: libraries and tools of that system go into it.

    Raises:
        BuildError: it must be built elsewhere.
    """
    if TARGETS[target] != system:
        raise BuildError(
            f"{target} must be built on {SYSTEMS[TARGETS[target]]}, with its own libraries and "
            f"tools; here python3 installers/build.py {_here(system)} works."
        )


def _here(system: str) -> str:
    return " or ".join(t for t, s in TARGETS.items() if s == system) or "no target"


def pack(target: str, frozen: Frozen, version: Version, options: argparse.Namespace) -> Path:
    """Make the package of a frozen program."""
    work, dist = options.work, options.dist
    match target:
        case "linux-deb":
            return make_deb(frozen, version, work, dist, 3 if options.quick else 15)
        case "linux-tar":
            return make_tar(frozen, version, work, dist, 0 if options.quick else 6)
        case "windows-zip":
            return make_zip(frozen, version, dist)
        case "windows-installer":
            return make_installer(frozen, version, work, dist)
        case _:
            return make_dmg(frozen, version, work, dist)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build what was asked for; the exit status."""
    parser = argparse.ArgumentParser(description="Make an installer of this system.")
    parser.add_argument("targets", nargs="+", choices=TARGETS, metavar="target", help=_CHOICE)
    parser.add_argument("--work", type=Path, default=CHECKOUT / "build", help="where it is made")
    parser.add_argument("--dist", type=Path, default=CHECKOUT / "dist", help="where it comes to")
    parser.add_argument("--quick", action="store_true", help="press little, to try something")
    options = parser.parse_args(arguments)
    options.work, options.dist = options.work.absolute(), options.dist.absolute()
    try:
        for target in options.targets:
            check_system(target)
        options.dist.mkdir(parents=True, exist_ok=True)
        version = built_version()
        say(f"Inkstone {version.text}: {', '.join(options.targets)}")
        frozen = freeze(options.work, version)
        add_papers(frozen, version, options.work)
        for target in options.targets:
            package = pack(target, frozen, version, options)
            shutil.copy(papers_folder(frozen) / BILL, package.with_name(f"{package.name}.cdx.json"))
            print(package)
    except BuildError as error:
        say(str(error))
    except OSError as error:
        say(f"{error.strerror or error}: {error.filename}. Check it and start again.")
    except KeyboardInterrupt:
        say("Stopped. Start again to go on with what is there.")
    else:
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
