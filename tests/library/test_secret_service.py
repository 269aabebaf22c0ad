"""Secrets in a real Secret Service: GNOME's keyring under a D-Bus session of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("dbus-run-session", "gnome-keyring-daemon")
SESSION = """
import sys
from engine.library.secrets import Secrets
deed, secret = sys.argv[1:]
if deed == "keep":
    print(Secrets().keep("test", secret))
else:
    print(Secrets().read("test"))
"""
ONE_RUN = """
from engine.library.secrets import Secrets
held = Secrets()
print(held.keep("test", "tok-123"), held.read("test"), bool(Secrets().read("test")))
"""
UNWANTED = {"DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "PYTHON_KEYRING_BACKEND"}
SCRIPT = (
    "printf ring | gnome-keyring-daemon --unlock --components=secrets >/dev/null"
    ' && "$0" -c "$1" keep tok-123 && "$0" -c "$1" read -'
    ' && "$0" -c "$1" keep "" && "$0" -c "$1" read -'
)


def environment(home: Path) -> dict[str, str]:
    for name in ("data", "config", "run"):
        (home / name).mkdir(mode=0o700)
    kept = {k: v for k, v in os.environ.items() if k not in UNWANTED}
    return kept | {
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_RUNTIME_DIR": str(home / "run"),
        "PYTHONPATH": str(ROOT),
    }


@pytest.mark.skipif(
    not all(map(shutil.which, NEEDED)), reason=f"needs {' and '.join(NEEDED)} (.ci/run)"
)
def test_a_secret_is_kept_by_the_keyring_read_by_another_process_and_forgotten(
    tmp_path: Path,
) -> None:
    ended = subprocess.run(
        ["dbus-run-session", "--", "sh", "-c", SCRIPT, sys.executable, SESSION],
        env=environment(tmp_path), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ended.stdout.split("\n")[:4] == ["True", "tok-123", "True", ""], ended.stderr
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert written
    assert not any(b"tok-123" in path.read_bytes() for path in written)


def test_without_a_keyring_a_secret_lives_for_one_run_and_nothing_is_written(
    tmp_path: Path,
) -> None:
    env = environment(tmp_path) | {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
    ended = subprocess.run(
        [sys.executable, "-c", ONE_RUN],
        env=env, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ended.stdout.split() == ["False", "tok-123", "False"], ended.stderr
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
