"""The workflows: valid by GitHub's schema, every target built, every script there."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from installers.making import channel

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = {"linux-deb", "linux-tar", "windows-installer", "windows-zip", "macos-dmg"}


def jobs(path: Path) -> dict[str, Any]:
    return dict(YAML(typ="safe").load(path.read_text("utf-8"))["jobs"])


def commands(path: Path) -> str:
    steps = [step for job in jobs(path).values() for step in job["steps"]]
    return "\n".join(step.get("run", "") for step in steps)


def schema(*files: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema"]
    return subprocess.run(
        [*command, "vendor.github-workflows", *map(str, files)],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def test_they_are_what_github_reads() -> None:
    assert WORKFLOWS
    ran = schema(*WORKFLOWS)
    assert ran.returncode == 0, ran.stdout


def test_a_mistake_is_found(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yml"
    bad.write_text(WORKFLOWS[0].read_text("utf-8").replace("runs-on:", "run-on:"))
    assert schema(bad).returncode == 1


@pytest.mark.skipif(shutil.which("actionlint") is None, reason="actionlint is not on this machine")
def test_actionlint_has_nothing_to_say() -> None:
    ran = subprocess.run(
        ["actionlint", *map(str, WORKFLOWS)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout


def test_a_release_builds_every_target_on_its_own_system() -> None:
    release = ROOT / ".github" / "workflows" / "release.yml"
    rows = jobs(release)["package"]["strategy"]["matrix"]["include"]
    assert {row["target"] for row in rows} == TARGETS
    systems = {"linux": "ubuntu", "windows": "windows", "macos": "macos"}
    for row in rows:
        assert row["runner"].startswith(systems[row["target"].partition("-")[0]])
    assert "installers/build.py ${{ matrix.target }}" in commands(release)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_scripts_exist_and_jobs_end_and_write_no_more_than_they_must(path: Path) -> None:
    for script in set(re.findall(r"installers/\S+\.(?:py|txt|sh)", commands(path))):
        assert (ROOT / script).exists() or script == "installers/build.py", script
    text = path.read_text("utf-8")
    assert "permissions:\n  contents: read" in text
    for name, job in jobs(path).items():
        assert 0 < job["timeout-minutes"] <= 60, name
        for step in job["steps"]:
            assert re.fullmatch(r"actions/[a-z-]+@v\d+", step.get("uses", "actions/x@v1"))


def test_a_release_carries_the_channel_and_the_libraries_that_builds_need() -> None:
    """Variables reach the build; libraries are those of .ci/run for Qt, and Wayland's."""
    release = ROOT / ".github" / "workflows" / "release.yml"
    (build,) = (s for s in jobs(release)["package"]["steps"] if s.get("name") == "Build")
    for name in (channel.ADDRESS, channel.ROOT):
        assert build["env"][name] == f"${{{{ vars.{name} }}}}"
    installed = set(commands(release).split())
    needed = re.findall(
        r"\b(lib(?:egl|gl|xkb|xcb|font|dbus|glib)[\w.-]*)", (ROOT / ".ci/run").read_text()
    )
    assert {*needed, "libwayland-cursor0", "libwayland-egl1", "dpkg-dev"} <= installed
