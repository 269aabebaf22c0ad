"""How long the window's thread stands still while the model loads, answers and serves.

    python tests/bench/heartbeat.py MODEL [--question TEXT] [--clients 16]

With ``--clients``, so many other programs ask the window's local server at once, three streamed
replies each, from a process of their own.

A timer in the GUI thread ticks every 2 ms; the longest gap between two ticks in each phase is how
long a click would have waited. Also: the process's CPU time when the window is on screen, and
whether torch was loaded by then. Offscreen; a home of its own; prints a table and a JSON line.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
TICK_MS = 2
PHASES = ("opening", "loading", "answering", "idle", "serving")
_CLIENTS = """
import json, sys, threading, urllib.request
address, key, clients = sys.argv[1], sys.argv[2], int(sys.argv[3])
def ask(client):
    for turn in range(3):
        asked = [{"role": "user", "content": f"Tell me about {client} and {turn}."}]
        body = {"messages": asked, "max_tokens": 40, "stream": True}
        headers = {"Authorization": "Bearer " + key, "Content-Type": "application/json"}
        request = urllib.request.Request(
            address + "/chat/completions", json.dumps(body).encode(), headers
        )
        urllib.request.urlopen(request, timeout=300).read()
threads = [threading.Thread(target=ask, args=(client,)) for client in range(clients)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""


def main() -> int:
    """Open the window on a model, ask one question, report, close."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--question", default="Write two sentences about rain.")
    parser.add_argument("--clients", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["INKSTONE_HOME"] = home
        model = options.model.resolve()
        report = Heartbeat(model, options.question, options.clients).measure()
    for phase in PHASES:
        gaps = report["gaps_ms"][phase]
        print(f"{phase:>10}: longest {gaps['longest']:6.1f} ms, over 50 ms: {gaps['over_50']}")
    print(json.dumps(report))
    return 0


class Heartbeat:
    """The application with a ticking timer beside it."""

    def __init__(self, model: Path, question: str, clients: int) -> None:
        from PySide6.QtCore import Qt, QTimer
        from PySide6.QtWidgets import QApplication

        from app.application import Application

        self.question = question
        self.clients = clients
        self.starting = False
        self.asking: subprocess.Popen[bytes] | None = None
        self.app = QApplication([])
        self.program = Application(self.app, model=model)
        self.phase = "opening"
        self.gaps: dict[str, list[float]] = {phase: [] for phase in PHASES}
        self.last = time.perf_counter()
        self.timer = QTimer()
        self.timer.setTimerType(Qt.TimerType.PreciseTimer)
        self.timer.timeout.connect(self._tick)

    def measure(self) -> dict[str, object]:
        """Run through the phases until the reply is over and a quiet second has passed."""
        self.program.start()
        self.app.processEvents()
        shown = {"cpu_s": time.process_time(), "torch": "torch" in sys.modules}
        self.last = time.perf_counter()
        self.timer.start(TICK_MS)
        self.app.exec()
        self.program.close()
        gaps = {
            phase: {
                "longest": max(g, default=0.0) * 1e3,
                "over_50": sum(x > 0.05 for x in g),
                "ticks": len(g),
            }
            for phase, g in self.gaps.items()
        }
        return {"window_on_screen": shown, "gaps_ms": gaps}

    def _tick(self) -> None:
        now = time.perf_counter()
        self.gaps[self.phase].append(now - self.last)
        self._advance()
        self.last = time.perf_counter()

    def _advance(self) -> None:
        from app.chat.model_session import ModelPhase

        page = self.program.window.parts.chat
        phase = self.program.model.state.phase
        if self.phase == "opening" and phase is ModelPhase.LOADING:
            self.phase = "loading"
        elif self.phase == "loading" and phase is ModelPhase.READY:
            self.phase = "answering"
            page.session.send(self.question)
        elif self.phase == "loading" and phase is ModelPhase.FAILED:
            sys.exit(f"the model failed: {self.program.model.state.fault}")
        elif self.phase == "answering" and len(page.session.path()) == 2:
            if not page.session.state.busy:
                self.phase = "idle"
                self.ended = time.perf_counter()
        elif self.phase == "idle" and time.perf_counter() - self.ended > 1:
            self._serve()
        elif self.phase == "serving" and self.asking is not None and self.asking.poll() is not None:
            self.app.quit()

    def _serve(self) -> None:
        """Start the server, then the clients when it listens; without clients, end."""
        serving = self.program.serving
        if not self.clients:
            self.app.quit()
        elif not serving.state.address:
            if not self.starting:
                self.program.window.show_page("server")
                self.program.settings.change(server_port=0)
                serving.start()
            self.starting = True
        else:
            self.phase = "serving"
            asked = (serving.state.address, serving.key, str(self.clients))
            self.asking = subprocess.Popen([sys.executable, "-c", _CLIENTS, *asked])


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    sys.exit(main())
