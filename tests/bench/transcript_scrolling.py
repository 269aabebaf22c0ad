"""How long a chat of many turns takes to open, what it costs in memory, and how it scrolls.

Run: python tests/bench/transcript_scrolling.py [turns]
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import psutil
from PySide6.QtWidgets import QApplication

from app.language import Language
from app.ui.theme import Theme
from app.ui.transcript import Transcript
from tests.bench.transcript_texts import a_reply, path_of


def main(count: int) -> None:
    app = QApplication([])
    theme = Theme("light")
    theme.apply(app)
    transcript = Transcript(theme, Language("en"))
    transcript.resize(1016, 700)
    transcript.show()
    transcript.show_path(path_of(4, first=10**6))  # fonts and icons are read once
    app.processEvents()
    turns = path_of(count)
    memory, start = psutil.Process().memory_info().rss, (time.perf_counter(), time.process_time())
    transcript.show_path(turns)
    app.processEvents()
    wall, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
    grown = (psutil.Process().memory_info().rss - memory) / 1e6
    print(f"open {count} turns: {wall * 1e3:.0f} ms, {cpu * 1e3:.0f} ms of this process")
    print(f"memory beside the turns: {grown:.0f} MB; alive: {len(transcript._alive)} turns")
    bar = transcript.verticalScrollBar()
    for name, step in (("up", -60), ("down", 60), ("pages up", -650)):
        frames = []
        for _ in range(300):
            begin = time.process_time()
            bar.setValue(bar.value() + step)
            app.processEvents()
            frames.append((time.process_time() - begin) * 1e3)
        frames.sort()
        p99 = frames[int(len(frames) * 0.99)]
        print(f"scroll {name}: median {statistics.median(frames):.1f} ms, 99 % {p99:.1f} ms")
    begin = time.process_time()
    transcript.bring_up(turns[count // 2].id)
    app.processEvents()
    print(f"jump to the middle: {(time.process_time() - begin) * 1e3:.0f} ms")
    begin = time.process_time()
    transcript.add_turn(a_reply(10**7, 5))
    transcript.go_to_end()
    app.processEvents()
    print(f"add a turn and go to the end: {(time.process_time() - begin) * 1e3:.0f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("turns", type=int, nargs="?", default=10_000)
    main(parser.parse_args().turns)
