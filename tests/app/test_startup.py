"""What the window's start loads, and what it leaves for later."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = ("torch", "numpy", "numba", "transformers", "tokenizers", "safetensors", "httpx")
CHILD = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from app.application import Application

def on_painted():
    loaded.extend(name for name in sys.argv[1].split(",") if name in sys.modules)
    QTimer.singleShot(0, app.quit)

loaded = []
app = QApplication(sys.argv[:1])
application = Application(app)
application.window.first_painted.connect(on_painted)
application.start()
app.exec()
application.close()
print(",".join(loaded))
"""


def run(code: str, *arguments: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"}
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def test_the_window_is_on_screen_before_anything_heavy_is_imported() -> None:
    """The whole of a first start, with the real engine waiting behind its bridge."""
    assert run(CHILD, ",".join(HEAVY)) == ""


def test_what_only_a_wish_needs_is_not_imported_by_the_start() -> None:
    """Each was a tenth of a second or a hundredth of it; together they were felt."""
    late = (
        "asyncio", "pygments", "packaging", "tuf", "Xlib", "app.ui.quick.window",
        "app.ui.update.dialog", "app.ui.runtime.dialog", "app.chat.gpu_runtime",
    )  # fmt: skip
    code = "import sys, app.application; print([n for n in sys.argv[1:] if n in sys.modules])"
    assert run(code, *late) == "[]"


@pytest.mark.parametrize("module", ["app.application", "app.ui.main_window", "app.__main__"])
def test_importing_the_window_imports_nothing_heavy(module: str) -> None:
    run(
        f"""
import sys
sys.argv = ["app", "--help"]  # ends ``python -m app`` before a window is made
try:
    import {module}
except SystemExit:
    pass
heavy = [name for name in {HEAVY!r} if name in sys.modules]
assert not heavy, heavy
"""
    )
