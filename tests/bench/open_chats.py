"""Whether memory stays flat while one long chat after the other is opened, and while code streams.

Each chat has code of 3,000 lines, a table of 1,000 rows, formulas and a reply of 100,000
characters; it is opened at its end, scrolled through, its code unfolded. What grows from chat to
chat after the first ones is a leak.

Run: ``python tests/bench/open_chats.py [CHATS]``, without a screen.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
import tracemalloc
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import psutil
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from app.chat.turn import Turn, TurnState
from app.ui.theme import Theme
from app.ui.transcript import Transcript
from engine.contract import Channel, Role
from tests.bench.at_once import Stands, rows_of
from tests.bench.transcript_texts import _NOW, a_question, code_of, text_of

_FORMULAS = "".join(f"$$\n\\frac{{{n}}}{{x}}\n$$\n\n" for n in range(20))


def settle(app: QApplication, seconds: float) -> None:
    """Let the window do what it does by itself."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        app.processEvents()
        time.sleep(0.002)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def chat(number: int) -> list[Turn]:
    """Return the turns of a chat; no two are alike."""
    texts = [code_of(3_000), rows_of(1_000), _FORMULAS, text_of(100_000)]
    turns: list[Turn] = []
    for text in texts:
        first = 100 * number + len(turns)
        turns.append(a_question(first))
        said = f"Chat {number}\n\n{text}"
        turns.append(
            Turn(first + 1, number, first, Role.ASSISTANT, said, "", TurnState.COMPLETE, _NOW)
        )
    return turns


def go_through(app: QApplication, stands: Stands, number: int) -> None:
    """Open a chat, unfold what is folded, and scroll through it."""
    transcript: Transcript = stands.transcript
    transcript.show_path(chat(number))
    settle(app, 0.6)
    bar = transcript.verticalScrollBar()
    for share in (0.8, 0.5, 0.2, 0.0):
        bar.setValue(round(bar.maximum() * share))
        settle(app, 0.1)
    stands.unfold()
    settle(app, 0.6)


def main(count: int) -> int:
    """Print memory after each fifth chat, then while 3,000 lines of code stream."""
    app = QApplication(sys.argv[:1])
    theme = Theme("light")
    theme.prepare(app)
    theme.apply(app)
    stands, process = Stands(app, theme), psutil.Process()
    print("| chats opened | memory | objects of Python |\n| --- | --- | --- |")
    tracemalloc.start()
    for number in range(1, count + 1):
        go_through(app, stands, number)
        if number % 5 == 0 or number == 1:
            gc.collect()
            rss, held = process.memory_info().rss / 1e6, tracemalloc.get_traced_memory()[0] / 1e6
            print(f"| {number} | {rss:.0f} MB | {held:.0f} MB |", flush=True)
    tracemalloc.stop()
    number = 100 * (count + 1)
    stands.begin_stream(number)
    code, before = code_of(3_000), process.memory_info().rss
    for start in range(0, len(code), 400):
        stands.transcript.push_text(number, Channel.ANSWER, code[start : start + 400])
        stands.transcript.flush()
        app.processEvents()
    settle(app, 1.0)
    print(f"3,000 lines of code streamed: {(process.memory_info().rss - before) / 1e6:+.0f} MB")
    stands.transcript.close()
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("chats", type=int, nargs="?", default=30)
    sys.exit(main(parser.parse_args().chats))
