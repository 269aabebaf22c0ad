"""How smooth the window is while a long reply streams into the transcript.

A timer beats every 5 ms on the window's thread; the time between two beats is what a user feels.
On a busy machine the wall clock counts the others too, so the process's own time is shown beside.

Run: python tests/bench/transcript_streaming.py [tokens per second] [characters]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import psutil
from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtWidgets import QApplication

from app.chat.turn import Turn, TurnState
from app.language import Language
from app.ui.theme import Theme
from app.ui.transcript import Transcript
from engine.contract import Channel
from tests.bench.transcript_texts import a_question, a_reply, code_of, text_of

_TOKEN = 4  # characters


class Beats:
    """Gaps between the beats of a timer in milliseconds: wall clock and the process's own time."""

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.cpu: list[float] = []
        self._last = time.perf_counter(), time.process_time()
        self.timer = QTimer()
        self.timer.setTimerType(Qt.TimerType.PreciseTimer)
        self.timer.timeout.connect(self._on_beat)
        self.timer.start(5)

    def _on_beat(self) -> None:
        now = time.perf_counter(), time.process_time()
        self.wall.append((now[0] - self._last[0]) * 1e3)
        self.cpu.append((now[1] - self._last[1]) * 1e3)
        self._last = now


def line(name: str, values: list[float]) -> str:
    """Return the spread of some gaps."""
    values = sorted(values)
    under = sum(v < 33 for v in values) / len(values) * 100
    p = [values[int(len(values) * q)] for q in (0.5, 0.99, 0.999)]
    return f"  {name}: median {p[0]:.1f}, 99 % {p[1]:.1f}, 99.9 % {p[2]:.1f} ms, {under:.2f} % < 33"


def stream(name: str, text: str, rate: float) -> None:
    """Stream a text and print how smooth that was."""
    theme = Theme("light")
    theme.apply(QApplication.instance())
    transcript = Transcript(theme, Language("en"))
    transcript.resize(1016, 700)
    transcript.show()
    reply: Turn = a_reply(2, 0, TurnState.STREAMING)
    transcript.show_path([a_question(1), reply])
    loop, sent, began = QEventLoop(), 0, time.perf_counter()
    memory = psutil.Process().memory_info().rss

    def feed() -> None:
        nonlocal sent
        due = min(len(text), int((time.perf_counter() - began) * rate * _TOKEN))
        if due > sent:
            transcript.push_text(2, Channel.ANSWER, text[sent:due])
            sent = due
        if sent >= len(text):
            loop.quit()

    feeder = QTimer()
    feeder.timeout.connect(feed)
    feeder.start(8)
    beats, start = Beats(), time.process_time()
    loop.exec()
    streamed = time.process_time() - start
    beats.timer.stop()
    begin = time.process_time()
    transcript.flush()
    transcript.change_turn(
        Turn(2, 1, 1, reply.role, text, "", TurnState.COMPLETE, reply.created, reply.model)
    )
    QApplication.processEvents()
    end = time.process_time() - begin
    grown = (psutil.Process().memory_info().rss - memory) / 1e6
    print(f"{name}: {len(text)} characters in {time.perf_counter() - began:.1f} s,", end=" ")
    print(f"{streamed:.1f} s of this process; end {end * 1e3:.0f} ms; {grown:.0f} MB")
    print(line("wall", beats.wall))
    print(line("process", beats.cpu))
    transcript.close()
    transcript.deleteLater()


def main(rate: float, size: int) -> None:
    """Stream a long reply, a long code block, one long paragraph, a long table and a long list."""
    app = QApplication([])
    row, item = "| one | 2 | three words here |\n", "- item **{n}** with some words in it\n"
    rows = "| a | b | c |\n|---|---|---|\n" + row * (size // len(row))
    items = "".join(item.format(n=n) for n in range(size // len(item)))
    stream("warm-up", text_of(3_000), rate)
    stream("prose, lists, code, tables", text_of(size), rate)
    stream("one code block", code_of(size // 38), rate)
    stream("one paragraph", ("words and more words in a line " * (size // 31 + 1))[:size], rate)
    stream("one table", rows, rate)
    stream("one list", items, rate)
    app.quit()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rate", type=float, nargs="?", default=300, help="tokens a second")
    parser.add_argument("characters", type=int, nargs="?", default=100_000)
    given = parser.parse_args()
    main(given.rate, given.characters)
