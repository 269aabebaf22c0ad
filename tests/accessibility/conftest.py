"""What a screen reader saw of the real window: recorded once a language, before the tests look."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from installers.measure_start import screen as xvfb

HERE = Path(__file__).parent
SYSTEM_PYTHON = "/usr/bin/python3"
_AT_SPI = "import gi; gi.require_version('Atspi', '2.0'); from gi.repository import Atspi"


@dataclass(frozen=True)
class Node:
    """One thing in the accessibility tree."""

    role: str
    name: str
    about: str = ""
    text: str = ""
    states: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    children: tuple[Node, ...] = ()

    def walk(self) -> Iterator[Node]:
        """Yield it and everything below it, as it is read."""
        yield self
        for child in self.children:
            yield from child.walk()

    def find(self, role: str, name: str) -> Node:
        """Return the only node below with this role whose name begins so."""
        found = [n for n in self.walk() if n.role == role and n.name.startswith(name)]
        assert len(found) == 1, (role, name, [n.name for n in self.walk() if n.role == role])
        return found[0]


@dataclass(frozen=True)
class Seen:
    """A state of the window: its tree, and what was told on the way to it."""

    tree: Node
    heard: list[dict[str, Any]] = field(default_factory=list)

    @property
    def announced(self) -> list[str]:
        """What was said without being looked at."""
        return [each["said"] for each in self.heard if each["kind"] == "announcement"]

    @property
    def focused(self) -> list[tuple[str, str]]:
        """(role, name) of everything that got the focus."""
        return [(each["role"], each["said"]) for each in self.heard if each["kind"] == "focus"]


def _missing() -> str:
    """Return why no screen reader can look here; empty if one can."""
    for program, package in (("Xvfb", "xvfb"), ("dbus-run-session", "dbus")):
        if which(program) is None:
            return f"{program} is missing (apt-get install {package})"
    probe = [SYSTEM_PYTHON, "-c", _AT_SPI]
    known = Path(SYSTEM_PYTHON).exists()
    if not known or subprocess.run(probe, capture_output=True, check=False).returncode:
        return "AT-SPI is missing (apt-get install at-spi2-core python3-gi gir1.2-atspi-2.0)"
    return ""


def _record(language: str, out: Path) -> dict[str, Seen]:
    with xvfb("1600x1000") as screen:
        keep = {k: v for k, v in os.environ.items() if k != "DBUS_SESSION_BUS_ADDRESS"}
        environment = keep | {
            "DISPLAY": screen,
            "QT_QPA_PLATFORM": "xcb",
            "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
            "PYTHONPATH": str(HERE.parents[1]),
            # the new session's own keyring would ask, unseen, for a password until it is ended
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        }
        stage = [sys.executable, "-m", "tests.accessibility.stage", language]
        ran = subprocess.run(
            ["dbus-run-session", "--", SYSTEM_PYTHON, str(HERE / "reader.py"), str(out), *stage],
            env=environment,
            cwd=HERE.parents[1],
            capture_output=True,
            text=True,
            timeout=600,  # thrice a minute on two idle cores: never what ends it on busy ones
            check=False,
        )
    assert ran.returncode == 0, ran.stderr[-3000:]
    states = json.loads(out.read_text("utf-8"))
    return {name: Seen(_node(state["tree"]), state["heard"]) for name, state in states.items()}


def _node(said: dict[str, Any]) -> Node:
    return Node(
        said["role"],
        said["name"],
        said["about"],
        said.get("text", ""),
        tuple(said["states"]),
        tuple(said.get("actions", ())),
        tuple(_node(child) for child in said["children"]),
    )


Recordings = Callable[[str], dict[str, Seen]]


@pytest.fixture(scope="session")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Recordings:
    """Every state of the window in a language, recorded when it is first asked for."""
    if reason := _missing():
        pytest.skip(reason)
    made: dict[str, dict[str, Seen]] = {}

    def recording(language: str) -> dict[str, Seen]:
        if language not in made:
            made[language] = _record(language, tmp_path_factory.mktemp("seen") / "tree.json")
        return made[language]

    return recording


@pytest.fixture(params=["en", "zh_CN"])
def seen(request: pytest.FixtureRequest, recordings: Recordings) -> dict[str, Seen]:
    """Every state of the window in either language."""
    return recordings(request.param)


@pytest.fixture
def english(recordings: Recordings) -> dict[str, Seen]:
    """Every state in English, for tests that name what is said."""
    return recordings("en")


@pytest.fixture
def chinese(recordings: Recordings) -> dict[str, Seen]:
    """Every state in Chinese."""
    return recordings("zh_CN")
