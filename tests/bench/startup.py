"""How long the window takes to be on screen: ``python tests/bench/startup.py [RUNS]``.

Each run is a fresh process with a home of its own; one before them compiles the modules, as an
installation does. Process time (user and system) is the promise,
under 1 s; wall time is shown beside it. The child prints a line when its window has been painted
once, and which heavy libraries were imported by then.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROMISED_S = 1.0
HEAVY = ("torch", "numpy", "numba", "transformers", "httpx", "psutil", "qtawesome")

CHILD = """
import json, sys, time
wall = time.perf_counter()
from PySide6.QtWidgets import QApplication
from app.application import Application

def on_painted():
    done.append((time.process_time(), time.perf_counter() - wall,
                 [name for name in HEAVY if name in sys.modules]))
    app.quit()

HEAVY, done = json.loads(sys.argv[1]), []
app = QApplication(sys.argv[:1])
application = Application(app)
application.start()
application.window.first_painted.disconnect()
application.window.first_painted.connect(on_painted)
app.exec()
application.close()
print(json.dumps(done[0]))
"""


def measure(compiled: str) -> tuple[float, float, list[str]]:
    """Start the window once; return process seconds, wall seconds and heavy imports."""
    with tempfile.TemporaryDirectory() as home:
        environment = os.environ | {"INKSTONE_HOME": home, "PYTHONPATH": str(ROOT)}
        environment["PYTHONPYCACHEPREFIX"] = compiled
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
        ran = subprocess.run(
            [sys.executable, "-c", CHILD, json.dumps(HEAVY)],
            env=environment, cwd=ROOT, capture_output=True, text=True, check=True,
        )  # fmt: skip
    process, wall, heavy = json.loads(ran.stdout.splitlines()[-1])
    return process, wall, heavy


def main() -> int:
    """Print the figures; the exit status says whether the promise is kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("runs", type=int, nargs="?", default=5)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as compiled:
        measure(compiled)
        results = [measure(compiled) for _ in range(runs)]
    process = statistics.median(result[0] for result in results)
    wall = statistics.median(result[1] for result in results)
    print(f"process time {process:.2f} s, wall time {wall:.2f} s (median of {runs})")
    print(f"imported by then: {results[-1][2] or 'none of ' + ', '.join(HEAVY)}")
    return 0 if process < PROMISED_S else 1


if __name__ == "__main__":
    sys.exit(main())
