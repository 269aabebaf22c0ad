"""Long text in the message box: ``python tests/bench/message_box.py [LINES]``, without a screen.

Pastes lines of code into the box of the real window over a scripted engine, then types, moves the
cursor, selects and undoes. A figure is the time until the event loop is idle again, the picture
included.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.application import Application, Outside
from engine.service import EngineService
from tests.doubles.engines import ScriptedRunner

_KEYS = 60


def _timed(deed: Callable[[], object]) -> float:
    begin = time.perf_counter()
    deed()
    QApplication.processEvents()
    return 1000 * (time.perf_counter() - begin)


def main() -> int:
    """Print a line for each kind of deed: median and worst, in milliseconds."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("lines", type=int, nargs="?", default=20_000)
    lines = parser.parse_args().lines
    with tempfile.TemporaryDirectory() as home:
        os.environ["INKSTONE_HOME"] = home
        app = QApplication(sys.argv[:1])
        program = Application(app, Outside(lambda sink: EngineService(sink, ScriptedRunner)))
        program.start()
        QTest.qWait(300)
        program.window.show_page("chat")
        field = program.window.parts.chat.box.field
        data = QMimeData()
        data.setText("".join(f"    value_{k} = compute({k})  # line {k}\n" for k in range(lines)))
        print(f"{lines} lines, {len(data.text()):,} characters")
        print(f"paste  {_timed(lambda: field.insertFromMimeData(data)):.1f} ms")
        key = Qt.Key
        for name, press in {
            "type at the end": lambda: QTest.keyClick(field, key.Key_A),
            "cursor up": lambda: QTest.keyClick(field, key.Key_Up),
            "page up": lambda: QTest.keyClick(field, key.Key_PageUp),
            "type inside": lambda: QTest.keyClick(field, key.Key_B),
            "new line inside": lambda: QTest.keyClick(
                field, key.Key_Return, Qt.KeyboardModifier.ShiftModifier
            ),
            "undo": field.undo,
            "to the start": lambda: QTest.keyClick(
                field, key.Key_Home, Qt.KeyboardModifier.ControlModifier
            ),
        }.items():
            times = [_timed(press) for _ in range(_KEYS)]
            print(
                f"{name:16} median {statistics.median(times):5.1f} ms, worst {max(times):5.1f} ms"
            )
        QTest.qWait(1500)  # the draft is saved and counted meanwhile
        print(f"after the pause  {_timed(lambda: QTest.keyClick(field, key.Key_C)):.1f} ms")
        program.window.close()
        program.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
