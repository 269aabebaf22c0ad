"""What every step of a build uses: saying, running, and a failure as one sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
INSTALLERS = CHECKOUT / "installers"


class BuildError(Exception):
    """What stands in the way of a build, as one sentence that says what to do next."""


def say(text: str) -> None:
    """Print a line at once."""
    print(text, file=sys.stderr, flush=True)


def run(command: Sequence[str | Path], folder: Path | None = None, **variables: str) -> None:
    """Run a command whose output the reader sees.

    Raises:
        BuildError: it cannot be started, or it failed.
    """
    words = [str(word) for word in command]
    say(f"$ {' '.join(words[:6])}{' …' if len(words) > 6 else ''}")
    try:
        status = subprocess.call(words, cwd=folder, env=os.environ | variables, stdout=sys.stderr)
    except OSError as error:
        raise BuildError(f"{words[0]} cannot be started ({error.strerror}): install it.") from error
    if status:
        raise BuildError(f"{words[0]} ended with status {status}: its own words stand above.")


def output(command: Sequence[str | Path], folder: Path | None = None, **variables: str) -> str:
    """Return what a command prints.

    Raises:
        BuildError: it cannot be started, or it failed.
    """
    words = [str(word) for word in command]
    try:
        ran = subprocess.run(
            words, cwd=folder, env=os.environ | variables, capture_output=True, text=True,
            encoding="utf-8", check=False,
        )  # fmt: skip
    except OSError as error:
        raise BuildError(f"{words[0]} cannot be started ({error.strerror}): install it.") from error
    if ran.returncode:
        raise BuildError(f"{words[0]} failed: {ran.stderr.strip()[-500:]}")
    return ran.stdout
