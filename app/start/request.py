"""What a start of the program is asked for, as arguments and as a line to the window there is."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class StartRequest:
    """What one start wants.

    Attributes:
        file: a model file or folder to list and load.
        starter: begin with the starter model where none is known.
        minimised: show no window until it is wanted.
        quick: open the window for one quick question.
        token: what the desktop gave this start so that a window may come to the front.
    """

    file: Path | None = None
    starter: bool = False
    minimised: bool = False
    quick: bool = False
    token: str = ""

    def line(self) -> bytes:
        """Return it as one line of JSON."""
        file = str(self.file) if self.file else ""
        values = {"file": file, "token": self.token, "quick": self.quick}
        return json.dumps(values).encode() + b"\n"


def read_arguments(arguments: Sequence[str] | None = None, version: str = "") -> StartRequest:
    """Read the command line; paths become absolute, since another process may use them.

    Args:
        arguments: the arguments, ``sys.argv``'s by default.
        version: what ``--version`` prints, before it ends the program.
    """
    parser = argparse.ArgumentParser(prog="inkstone-window", description="Inkstone's window")
    parser.add_argument("file", nargs="?", type=Path, help="a model file or folder to open")
    parser.add_argument("--model", type=Path, help="the same")
    parser.add_argument(
        "--starter", action="store_true", help="begin with the starter model where none is known"
    )
    parser.add_argument(
        "--minimised", action="store_true", help="show no window until it is wanted"
    )
    parser.add_argument(
        "--quick", action="store_true", help="open the window for one quick question"
    )
    parser.add_argument("--version", action="version", version=f"Inkstone {version}".rstrip())
    chosen = parser.parse_args(arguments)
    file: Path | None = chosen.file or chosen.model
    token = os.environ.get("XDG_ACTIVATION_TOKEN", "")
    path = file.absolute() if file else None
    return StartRequest(path, chosen.starter, chosen.minimised, chosen.quick, token)


def read_line(line: bytes) -> StartRequest | None:
    """Read what ``StartRequest.line`` wrote; None where it is anything else."""
    try:
        values = json.loads(line)
    except ValueError:
        return None
    if not isinstance(values, dict):
        return None
    file, token = values.get("file"), values.get("token")
    if not isinstance(file, str) or not isinstance(token, str):
        return None
    is_quick = values.get("quick") is True
    return StartRequest(Path(file) if file else None, quick=is_quick, token=token)
