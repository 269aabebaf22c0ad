"""What the open window costs the model: decode with the reply on screen against decode without.

    python tests/bench/window_tax.py MODEL [--rounds 20] [--tokens 800]

The same model, question, seed and number of tokens, in an order that chance draws for each round:
asked in the real window (offscreen), which streams, highlights, saves and counts; asked of the
same engine past the window, which stands still and drops what it says; and asked of a second
engine without a window. Two engines with the same file differ by some percent for as long as they
live (where their memory lies), so the window is held against its own engine, and the second one
tells how large that difference is. Each engine is a process of its own. Rates are the engine's
own figures of decode alone; a ratio stands with the standard error of its mean.
The frames are the beats of a 5 ms timer on the window's thread while a reply streams.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer, Signal
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.chat.model_session import ModelPhase
from app.chat.options import ChatOptions
from app.engine_bridge import EngineBridge
from engine.contract import (
    Event,
    Failed,
    Finished,
    Generate,
    GenerateSettings,
    Load,
    LoadSettings,
    Message,
    Role,
    Sampling,
)
from engine.service import EngineService

_QUESTION = "Write a long story about a lighthouse, with a table of its ships and some Python code."
_FRAME_MS = 33
_REST_MS = 150  # between two replies: what the window does after the first is not the second's


class Headless:
    """An engine whose events are read and dropped."""

    def __init__(self, model: Path) -> None:
        self._ended = threading.Event()
        self._end: Finished | None = None
        self._request = 0
        self._service = EngineService(self._on_event)
        self._wait(lambda request: Load(request, model, LoadSettings()))

    def rate(self, settings: GenerateSettings) -> float:
        """Ask, and return decode's tokens a second."""
        messages = (Message(Role.USER, _QUESTION),)
        end = self._wait(lambda request: Generate(request, messages, settings))
        return end.timings.tokens_per_second or 0.0

    def close(self) -> None:
        """End the engine."""
        self._service.close()

    def _wait(self, command):
        self._request += 1
        self._ended.clear()
        self._service.submit(command(self._request))
        self._ended.wait()
        if self._end is None:
            sys.exit("the engine failed")
        return self._end

    def _on_event(self, event: Event) -> None:
        if isinstance(event, Finished | Failed):
            self._end = event if isinstance(event, Finished) else None
            self._ended.set()


class Past(QObject):
    """The window's own engine, asked as another program would, so that the window does nothing."""

    _ended = Signal()

    def __init__(self, bridge: EngineBridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._end: Finished | None = None
        self._request = 0
        bridge.share(self._hear)

    def rate(self, settings: GenerateSettings) -> float:
        """Ask, and return decode's tokens a second."""
        loop = QEventLoop()
        self._ended.connect(loop.quit)
        self._request -= 1
        messages = (Message(Role.USER, _QUESTION),)
        self._bridge.submit(Generate(self._request, messages, settings))
        loop.exec()
        if self._end is None:
            sys.exit("the engine failed")
        return self._end.timings.tokens_per_second or 0.0

    def _hear(self, event: Event) -> None:
        if isinstance(event, Finished | Failed):
            self._end = event if isinstance(event, Finished) else None
            self._ended.emit()


class Windowed:
    """The real window with its own engine."""

    def __init__(self, app: QApplication, model: Path) -> None:
        self.gaps_ms: list[float] = []
        self.own_s = self.passed_s = 0.0
        self.beats = False  # they cost some time themselves
        self._last = 0.0
        self._program = Application(app, model=model)
        self._program.start()
        while self._program.model.state.phase is not ModelPhase.READY:
            QTest.qWait(20)
        self.past = Past(self._program.bridge)
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_beat)

    def rate(self, settings: GenerateSettings) -> float:
        """Ask in a new chat, and return decode's tokens a second."""
        program = self._program
        program.chats_on_screen.new()
        session = program.window.parts.chat.session
        assert session is not None
        session.set_options(ChatOptions(sampling=settings.sampling, max_tokens=settings.max_tokens))
        self._last = time.perf_counter()
        own, began = time.process_time(), self._last
        if self.beats:
            self._timer.start(5)
        ended = QEventLoop()
        session.state_changed.connect(lambda *_: session.state.busy or ended.quit())
        session.send(_QUESTION)
        ended.exec()
        self._timer.stop()
        self.own_s += time.process_time() - own
        self.passed_s += time.perf_counter() - began
        figures = session.path()[-1].figures
        return (figures.tokens_per_second if figures else None) or 0.0

    def close(self) -> None:
        """Close the window."""
        self._program.window.close()
        self._program.close()

    def _on_beat(self) -> None:
        now = time.perf_counter()
        self.gaps_ms.append((now - self._last) * 1e3)
        self._last = now


def ratio_line(name: str, above: list[float], below: list[float]) -> str:
    """Return a line with the mean of ratios, its standard error and their median."""
    ratios = [a / b for a, b in zip(above, below, strict=True)]
    error = statistics.stdev(ratios) / math.sqrt(len(ratios)) if len(ratios) > 1 else math.nan
    mean, median = statistics.mean(ratios), statistics.median(ratios)
    return f"{name}: {mean:.3f} ± {error:.3f}, median {median:.3f}"


def main() -> int:
    """Measure in turn and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--tokens", type=int, default=800)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["INKSTONE_HOME"] = home
        app = QApplication([])
        windowed = Windowed(app, options.model.resolve())
        headless = Headless(options.model.resolve())
        sides = {"window": windowed.rate, "past": windowed.past.rate, "second": headless.rate}
        rates: dict[str, list[float]] = {side: [] for side in sides}
        for number in range(options.rounds + 1):
            sampling = Sampling(seed=number, min_tokens=options.tokens)
            settings = GenerateSettings(sampling, max_tokens=options.tokens)
            if number == 1:  # all is warm
                windowed.own_s = windowed.passed_s = 0.0
            for side in random.sample(list(sides), len(sides)):
                rate = sides[side](settings)
                if number:
                    rates[side].append(rate)
                QTest.qWait(_REST_MS)
        used = windowed.own_s / windowed.passed_s
        windowed.beats = True
        windowed.rate(settings)
        windowed.close()
        headless.close()
    frames = sorted(windowed.gaps_ms)
    smooth = sum(gap < _FRAME_MS for gap in frames) / len(frames)
    window, past, second = (statistics.median(rates[side]) for side in sides)
    print(f"decode {window:.1f} tok/s in the window, {past:.1f} past it, {second:.1f} elsewhere")
    print(ratio_line("in the window against past it", rates["window"], rates["past"]))
    print(ratio_line("a second engine against past it", rates["second"], rates["past"]))
    print(f"window's process: {100 * used:.1f} % of a core, beginning and end of a reply included")
    print(f"frames under {_FRAME_MS} ms: {100 * smooth:.2f} %, longest {frames[-1]:.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
