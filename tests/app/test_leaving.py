"""The program ends when its window is closed, whatever its threads wait for."""

from __future__ import annotations

import subprocess
import sys

WAITING_FOR_EVER = """
import threading
from concurrent.futures import ThreadPoolExecutor
from app.main import leave
ThreadPoolExecutor().submit(threading.Event().wait)
print("closed")
leave(3)
"""


def test_a_thread_that_waits_for_ever_does_not_hold_the_program() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", WAITING_FOR_EVER],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ran.returncode, ran.stdout) == (3, "closed\n")
