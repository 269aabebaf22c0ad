"""A screen in memory: an X server of one's own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def display() -> Iterator[str]:
    """Start Xvfb and yield the display's name."""
    out, told = os.pipe()
    command = ["Xvfb", "-displayfd", str(told), "-screen", "0", "1600x1000x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[told], stderr=subprocess.DEVNULL)
    os.close(told)
    try:
        with os.fdopen(out) as number:
            yield f":{number.readline().strip()}"
    finally:
        server.terminate()
        server.wait(10)
