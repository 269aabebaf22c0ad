"""What the window's process takes of a core while a reply streams, by thread and by part.

    python tests/bench/window_time.py [--rate 230] [--tokens 2000] [--text prose] [--rounds 3]

Processor time, not wall clock, so another program beside it disturbs little. The window is the
real one over a scripted engine in a process of its own (``scripted_process.py``), which writes at a
fixed rate; what is counted lies between the first half second of a reply and its last. Parts
are taken from functions of the window: time in a part inside another is the inner one's. What is
left of the window's thread is painting, and Qt. With ``QT_QPA_PLATFORM=xcb`` the X server's
time stands beside it: what is painted there is paid there.
"""

from __future__ import annotations

import argparse
import functools
import os
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from unittest import mock

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import psutil
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.chat.answering import Answering
from app.chat.model_session import ModelPhase
from app.rendering.stream import BlockStream
from app.ui.chats_on_screen import ChatsOnScreen
from app.ui.pace import Pace
from app.ui.transcript.column import Column
from app.ui.transcript.view import TurnView

_LEAST = 0.05  # ms a second: less is not told
_LEAD_MS = 600  # of a reply that are not counted: the turns are made there
_ENGINE = Path(__file__).with_name("scripted_process.py")
_PARTS = {
    "reading events": (Answering, ("on_received", "_save_pieces")),
    "figures": (ChatsOnScreen, ("_on_metrics_changed",)),
    "reading Markdown": (BlockStream, ("read_on",)),
    "setting text": (Column, ("set_blocks",)),
    "placing": (TurnView, ("arrange", "extend")),
    "moving": (TurnView, ("_move_to",)),
    "the rest of a layout": (Pace, ("_on_time",)),
}


class Account:
    """Seconds of this thread by part; of nested parts the inner one counts."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.calls: Counter[str] = Counter()
        self._inner = [0.0]

    def watch(self, part: str, owner: type, name: str) -> None:
        """Count the time in a function of a class for ``part``."""
        function: Callable[..., object] = getattr(owner, name)

        @functools.wraps(function)
        def timed(*arguments: object, **named: object) -> object:
            begin = time.thread_time()
            self._inner.append(0.0)
            try:
                return function(*arguments, **named)
            finally:
                spent = time.thread_time() - begin
                self.seconds[part] += spent - self._inner.pop()
                self._inner[-1] += spent
                self.calls[part] += 1

        setattr(owner, name, timed)


def thread_seconds() -> dict[str, float]:
    """Return what each thread of this process has run, by its Python name."""
    names = {thread.native_id: thread.name for thread in threading.enumerate()}
    found: dict[str, float] = defaultdict(float)
    for task in Path("/proc/self/task").iterdir():
        found[names.get(int(task.name), "not Python's")] += (
            int((task / "schedstat").read_text().split()[0]) / 1e9
        )
    return found


def x_server() -> psutil.Process | None:
    """Return the X server that this process paints into, None offscreen."""
    if os.environ["QT_QPA_PLATFORM"] != "xcb":
        return None
    display = os.environ["DISPLAY"].split(".")[0]
    servers = psutil.process_iter(["name", "cmdline"])
    return next(
        p for p in servers if display in (p.info["cmdline"] or ()) and "X" in p.info["name"]
    )


def stream(program: Application, lasts_s: float, account: Account) -> dict[str, float]:
    """Ask once; return milliseconds a second of streaming by thread and by part."""
    program.chats_on_screen.new()
    session = program.window.parts.chat.session
    assert session is not None
    server, figures = x_server(), {}

    def now() -> dict[str, float]:
        x = sum(server.cpu_times()[:2]) if server is not None else 0.0
        threads = {f"thread {name}": s for name, s in thread_seconds().items()}
        parts = {f"part {name}": s for name, s in account.seconds.items()}
        calls = {f"calls {name}": n / 1e3 for name, n in account.calls.items()}
        own = {"process": time.process_time(), "X": x, "passed": time.perf_counter()}
        return threads | parts | calls | own

    begin: dict[str, float] = {}
    ended = QEventLoop()
    QTimer.singleShot(_LEAD_MS, lambda: begin.update(now()))
    QTimer.singleShot(round(1000 * lasts_s) - 200, lambda: figures.update(now()))
    session.state_changed.connect(lambda *_: session.state.busy or ended.quit())
    session.send("Write a long story about a lighthouse.")
    ended.exec()
    passed = figures["passed"] - begin["passed"]
    QTest.qWait(300)
    return {k: 1000 * (v - begin.get(k, 0.0)) / passed for k, v in figures.items()}


def main() -> int:
    """Measure some replies, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=float, default=230)
    parser.add_argument("--tokens", type=int, default=2000)
    parser.add_argument("--text", default="prose")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    account = Account()
    for part, (owner, names) in _PARTS.items():
        for name in names:
            account.watch(part, owner, name)
    engine = [sys.executable, str(_ENGINE), str(options.rate), str(options.tokens), options.text]
    with tempfile.TemporaryDirectory() as home:
        os.environ["INKSTONE_HOME"] = home
        app = QApplication([])
        with mock.patch("engine.service.process_host.program", return_value=engine):
            program = Application(app, model=_ENGINE)
            program.start()
            while program.model.state.phase is not ModelPhase.READY:
                QTest.qWait(20)
            QTest.qWait(2500)  # what waits for the first picture is done
            lasts = options.tokens / options.rate
            rounds = [stream(program, lasts, account) for _ in range(options.rounds)]
            program.window.close()
            program.close()
    for name in sorted({name for each in rounds for name in each}):
        values = [each.get(name, 0.0) for each in rounds]
        middle, span = statistics.median(values), f"{min(values):.2f} to {max(values):.2f}"
        if middle >= _LEAST:
            print(f"{name:40} {middle:7.2f}   ({span})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
