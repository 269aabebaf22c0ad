"""How long the window stands still when much comes at once: long code, tables, lines, replies.

Each case is opened as a chat, then done what people do with it. A stand is the time between two
turns of the event loop, the call that shows the text included; beside it the time that the window's
own thread worked, which other programs cannot stretch.

Run: ``python tests/bench/at_once.py [CASE …]``, without a screen.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from app.chat.turn import Turn, TurnState
from app.language import Language
from app.ui.theme import Theme
from app.ui.transcript import Transcript
from app.ui.transcript.code import CodeFrame
from engine.contract import Channel, Role
from tests.bench.transcript_texts import _NOW, a_question, a_reply, code_of, path_of, text_of

_AFTER_S = 1.5  # that the event loop is watched after a step
_ROW = "| {n} | a name of two words | {n}.25 | some **words** and `code` |\n"


def rows_of(count: int) -> str:
    """Return a table of so many rows."""
    body = "".join(_ROW.format(n=n) for n in range(count))
    return "| Number | Name | Price | Notes |\n|---|---|---:|---|\n" + body


class Stands:
    """Watches the event loop of one transcript."""

    def __init__(self, app: QApplication, theme: Theme) -> None:
        self._app = app
        self.transcript = Transcript(theme, Language("en"))
        self.transcript.resize(1016, 700)
        self.transcript.show()
        self.transcript.show_path(path_of(10, first=10**6))
        for _ in range(50):
            app.processEvents()
            time.sleep(0.005)

    def step(self, name: str, act: Callable[[], object]) -> None:
        """Do something and print the longest stand of the window while it settles."""
        wall = cpu = 0.0
        begin = time.perf_counter()
        first = True
        while first or time.perf_counter() - begin < _AFTER_S:
            start, worked = time.perf_counter(), time.thread_time()
            if first:
                act()
                first = False
            self._app.processEvents()
            wall = max(wall, time.perf_counter() - start)
            cpu = max(cpu, time.thread_time() - worked)
            time.sleep(0.001)
        print(f"| {name} | {wall * 1e3:.0f} ms | {cpu * 1e3:.0f} ms |", flush=True)

    def reply(self, number: int, text: str) -> None:
        """Open a chat that ends with a reply."""
        turn = Turn(
            number, 2, number - 1, Role.ASSISTANT, text, "", TurnState.COMPLETE, _NOW, "SmolLM2"
        )
        self.transcript.show_path([a_question(number - 1), turn])

    def change(self, number: int, text: str) -> None:
        """Show another text of a reply, as after an edit."""
        self.transcript.change_turn(
            Turn(number, 2, number - 1, Role.ASSISTANT, text, "", TurnState.COMPLETE, _NOW)
        )

    def question(self, number: int, text: str) -> None:
        """Open a chat that is one question."""
        self.transcript.show_path(
            [Turn(number, 2, None, Role.USER, text, "", TurnState.COMPLETE, _NOW)]
        )

    def begin_stream(self, number: int) -> None:
        """Open a chat whose reply is being written."""
        turn = a_reply(number, 0, TurnState.STREAMING)
        self.transcript.show_path([a_question(number - 1), turn])

    def burst(self, number: int, text: str) -> None:
        """Let much of a reply come at once."""
        self.transcript.push_text(number, Channel.ANSWER, text)

    def unfold(self) -> None:
        """Open the code that is folded."""
        for frame in self.transcript.findChildren(CodeFrame):
            frame.unfold()

    def wrap(self) -> None:
        """Break the long lines of all code."""
        for frame in self.transcript.findChildren(CodeFrame):
            frame._wrap.click()


def code_case(stands: Stands, lines: int) -> None:
    """Code of many lines: opened, unfolded, wrapped, scrolled, edited in, come in a burst."""
    code = code_of(lines)
    bar = stands.transcript.verticalScrollBar()
    stands.step(f"{lines:,} lines of code, opened", lambda: stands.reply(102, code))
    stands.step("… unfolded", stands.unfold)
    stands.step("… its end", lambda: bar.setValue(bar.maximum()))
    stands.step("… wrapped", stands.wrap)
    stands.reply(104, "Before.")
    stands.step("… edited in", lambda: stands.change(104, "Before.\n\n" + code))
    stands.begin_stream(106)
    stands.step("… in a burst", lambda: stands.burst(106, code[:-4]))
    stands.step("… ended", lambda: stands.change(106, code))


def table_case(stands: Stands, rows: int) -> None:
    """A table of many rows: opened, scrolled, come in a burst."""
    table, bar = rows_of(rows), stands.transcript.verticalScrollBar()
    stands.step(f"a table of {rows:,} rows, opened", lambda: stands.reply(202, table))
    stands.step("… its middle", lambda: bar.setValue(bar.maximum() // 2))
    stands.step("… its beginning", lambda: bar.setValue(0))
    stands.begin_stream(206)
    stands.step("… in a burst", lambda: stands.burst(206, table))


def line_case(stands: Stands, size: int) -> None:
    """One very long line: in code, in words, without a space, typed, come in a burst."""
    words = ("words and more words in a line " * (size // 31 + 1))[:size]
    code = "```json\n[" + "123456, " * (size // 8) + "]\n```\n"
    stands.step("a line of 1 MB in code, opened", lambda: stands.reply(302, code))
    stands.step("… of words", lambda: stands.reply(304, words))
    stands.step("… without a space", lambda: stands.reply(306, "x" * size))
    stands.step("… of Chinese", lambda: stands.reply(308, "汉字" * (size // 6)))
    stands.step("… as a question", lambda: stands.question(310, words))
    stands.begin_stream(312)
    stands.step("… in a burst", lambda: stands.burst(312, words))


def text_case(stands: Stands, size: int) -> None:
    """A reply of many characters: opened, scrolled, come in a burst, ended."""
    text, bar = text_of(size), stands.transcript.verticalScrollBar()
    stands.step(f"a reply of {size:,} characters, opened", lambda: stands.reply(402, text))
    stands.step("… its middle", lambda: bar.setValue(bar.maximum() // 2))
    stands.begin_stream(406)
    stands.step("… in a burst", lambda: stands.burst(406, text))
    stands.step("… ended", lambda: stands.change(406, text))


CASES: dict[str, Callable[[Stands], None]] = {
    "code": lambda stands: code_case(stands, 3_000),
    "more": lambda stands: code_case(stands, 10_000),
    "table": lambda stands: table_case(stands, 1_000),
    "line": lambda stands: line_case(stands, 1_000_000),
    "text": lambda stands: text_case(stands, 100_000),
}


def main(names: list[str]) -> int:
    """Print a table of the cases that are named, or of all."""
    app = QApplication(sys.argv[:1])
    theme = Theme("light")
    theme.prepare(app)
    theme.apply(app)
    print("| what | longest stand | of it, the window's thread |\n| --- | --- | --- |")
    for name in names or CASES:
        stands = Stands(app, theme)
        CASES[name](stands)
        stands.transcript.close()
        stands.transcript.deleteLater()
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    given = parser.parse_args()
    if unknown := set(given.cases) - set(CASES):
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    sys.exit(main(given.cases))
