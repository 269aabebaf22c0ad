"""A bare Debian in a folder, for using a package where nothing of it is there yet."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

USER_HOME = "/home/writer"
DISPLAY = ":77"


class StepError(Exception):
    """A step that did not do what it promises."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command in the root printed, and how long it took."""

    status: int
    text: str
    seconds: float


class Root:
    """A folder with a bare system in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pictures = folder.with_name(folder.name + ".pictures")

    def run(self, command: str, *, network: bool = False, timeout: float = 300) -> Ran:
        """Run a shell command in the root: as root with a network, as a user without one."""
        began = time.monotonic()
        ran = subprocess.run(
            self._command(command, network),
            capture_output=True, text=True, timeout=timeout, check=False,
            stdin=subprocess.DEVNULL, encoding="utf-8", errors="replace",
        )  # fmt: skip
        text = (ran.stdout + ran.stderr).strip()
        return Ran(ran.returncode, text, time.monotonic() - began)

    def must(self, command: str, *, network: bool = False, timeout: float = 300) -> Ran:
        """The same; what it printed is the error where it failed."""
        ran = self.run(command, network=network, timeout=timeout)
        if ran.status:
            raise StepError(f"status {ran.status}: {ran.text[-600:]}")
        return ran

    def _command(self, command: str, network: bool) -> list[str]:
        told = {
            "PATH": f"{USER_HOME}/.local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "LANG": "C.UTF-8", "DISPLAY": DISPLAY,
            "DEBIAN_FRONTEND": "noninteractive", "HOME": "/root" if network else USER_HOME,
        }  # fmt: skip
        proc = f"--mount-proc={self.folder / 'proc'}"
        # processes of their own: the end of the command ends what it started
        words = ["unshare", "--pid", "--fork", "--kill-child", proc]
        if not network:
            words += ["--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh"]
        words += ["env", "-i", *(f"{k}={v}" for k, v in told.items())]
        words += ["chroot", *([] if network else ["--userspec=1000:1000"]), str(self.folder)]
        return [*words, "/bin/sh", "-c", command]
