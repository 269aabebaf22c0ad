"""The two forms for Linux, as somebody gets them onto a bare system and off it again."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

from installers.making.bare_root import USER_HOME, Root, StepError

STARTER = "_internal/packages/resources/starter/SmolLM2-135M-Instruct.Q4_1.gguf"
# What a desktop has and a bare root lacks: the archive brings none of it, no package asks for it
DESKTOP = (
    "fonts-wqy-microhei libdbus-1-3 libegl1 libfontconfig1 libgl1 libglib2.0-0 libstdc++6 "
    "libxkbcommon-x11-0 xdg-utils xz-utils"
)
PROGRAMS = f"{USER_HOME}/My programs 程序"
"""Where the archive is unpacked: a space and other letters are what people have."""


class Form(Protocol):
    """A package, and how a person deals with it."""

    @property
    def home(self) -> PurePosixPath:
        """Where the program lies once it is installed."""
        ...

    def install(self, root: Root) -> str:
        """Get it onto the system; what to tell of it."""
        ...

    def remove(self, root: Root) -> str:
        """Take it off again; the user's data stays, nothing of the program does."""
        ...


def missing_libraries(root: Root, home: PurePosixPath) -> str:
    """What the program's own libraries ask for and the system does not have."""
    found = root.must(
        f"find '{home}' -name '*.so*' -type f | tr '\\n' '\\0' | xargs -0 -n 40 ldd 2>/dev/null"
        " | grep 'not found' | sort -u || true",
        network=True,
    )
    return found.text or "none"


def _told(root: Root, home: PurePosixPath) -> str:
    size = root.must(f"du -sm '{home}' | cut -f1", network=True).text
    return f"{size} MB installed; libraries not found: {missing_libraries(root, home)}"


def _kept(root: Root, said: str, left: str) -> str:
    chats = root.must(f"find {USER_HOME} -name chats.db", network=True).text
    if left or not chats or ".local/share/Inkstone" not in said:
        raise StepError(f"left: {left}; kept: {chats}; said: {said[-200:]}")
    return f"nothing of the program is left; kept {chats}, and it says where"


@dataclass(frozen=True, slots=True)
class Deb:
    """The ``.deb``, by apt, which brings what it depends on and nothing recommended."""

    package: Path

    @property
    def home(self) -> PurePosixPath:
        """Where the package puts the program."""
        return PurePosixPath("/opt/inkstone")

    def install(self, root: Root) -> str:
        """Install it as root."""
        shutil.copy(self.package, root.folder / "tmp" / "inkstone.deb")
        command = "apt-get install -y -qq --no-install-recommends /tmp/inkstone.deb"
        root.must(command, network=True, timeout=600)
        return _told(root, self.home)

    def remove(self, root: Root) -> str:
        """Purge it."""
        said = root.must("apt-get purge -y -qq inkstone", network=True).text
        left = root.must(
            "find / -xdev -ipath '*inkstone*' -not -path '/home/*' -not -path '/tmp/*'"
            " -not -path '/var/log/*' -not -path '/proc/*' | head -5",
            network=True,
        )
        return _kept(root, said, left.text)


@dataclass(frozen=True, slots=True)
class Tar:
    """The ``tar.xz``, unpacked by its user and added to the menu by ``install.sh``."""

    package: Path

    @property
    def tree(self) -> PurePosixPath:
        """The folder that comes out of it."""
        return PurePosixPath(PROGRAMS) / self.package.name.removesuffix(".tar.xz")

    @property
    def home(self) -> PurePosixPath:
        """Where the program lies in it."""
        return self.tree / "program"

    def install(self, root: Root) -> str:
        """Unpack it as a user who is nobody special."""
        command = f"apt-get install -y -qq --no-install-recommends {DESKTOP}"
        root.must(command, network=True, timeout=600)
        shutil.copy(self.package, root.folder / "tmp" / "inkstone.tar.xz")
        root.must(
            f"mkdir -p '{PROGRAMS}' && tar xf /tmp/inkstone.tar.xz -C '{PROGRAMS}'", timeout=600
        )
        root.must(f"'{self.tree}/install.sh'")
        return _told(root, self.home)

    def remove(self, root: Root) -> str:
        """Take it out of the menu, then delete its folder."""
        said = root.must(f"'{self.tree}/install.sh' --remove").text
        root.must(f"rm -r '{PROGRAMS}'")
        left = root.must(
            f"find {USER_HOME} -iname '*inkstone*' -not -path '*/share/Inkstone*'"
            " -not -path '*/.cache/Inkstone*' -not -path '*/.config/*' | head -5",
            network=True,
        )
        return _kept(root, said, left.text)


def form_of(package: Path) -> Form:
    """The form that a file's name says."""
    return Tar(package) if package.name.endswith(".tar.xz") else Deb(package)
