"""Other work on the machine, made for a measurement: processes that keep a core busy each."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_CODE = "while True: pass"


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Have so many processes compute without end for as long as this is open."""
    running = [subprocess.Popen([sys.executable, "-S", "-c", _CODE]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()
