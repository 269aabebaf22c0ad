"""A start without a screen ends in a sentence, before Qt is asked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.start.screen import no_screen

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "variables", [{"DISPLAY": ":0"}, {"WAYLAND_DISPLAY": "wayland-0"}, {"QT_QPA_PLATFORM": "vnc"}]
)
def test_a_screen_is_what_the_environment_names(variables: dict[str, str]) -> None:
    assert no_screen("linux", variables, installed=True) == ""


@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_other_systems_always_have_one(system: str) -> None:
    assert no_screen(system, {}, installed=True) == ""


def test_what_works_instead_is_named_as_it_is_called_there() -> None:
    assert no_screen("linux", {"DISPLAY": ""}, installed=True).endswith(": inkstone chat starter")
    assert no_screen("linux", {}, installed=False).endswith(": python -m engine chat starter")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system always has a screen")
def test_the_program_says_so_and_ends(tmp_path: Path) -> None:
    names = ("DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "QT_QPA_PLATFORM")
    told = {name: value for name, value in os.environ.items() if name not in names}
    ran = subprocess.run(
        [sys.executable, "-m", "app"], env=told | {"INKSTONE_HOME": str(tmp_path / "home")},
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert ran.returncode == 1
    assert ran.stderr.startswith("There is no display for a window here.")
    assert len(ran.stderr.splitlines()) == 1
    assert not (tmp_path / "home").exists()
