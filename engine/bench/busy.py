"""Other work on the machine, made for a measurement: processes that keep a core busy each."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_CODE = """
import os, sys
while os.getppid() == int(sys.argv[1]):
    for _ in range(100_000):
        pass
"""  # a measurement that is killed must not leave a core busy for ever


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Have so many processes compute without end for as long as this is open."""
    command = [sys.executable, "-S", "-c", _CODE, str(os.getpid())]
    running = [subprocess.Popen(command) for _ in range(processes)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()
