"""Markdown in pieces on a terminal whose screen and scrollback can be read (pyte)."""

from __future__ import annotations

import io
import random
import re

import pyte
import pytest
from rich.console import Console

from engine.terminal.markdown import MarkdownOnScreen

CODE = "\n".join(f"line_{number} = {number}" for number in range(60))
REPLY = f"""\
# A title

Some **bold** words, *others*, and `code`. A second sentence that is long enough to be wrapped on \
a narrow screen, so that its end stands on another line.

1. first

2. second
   goes on

3. third

| a | b |
| --- | --- |
| 冰 | ice |

```python
{CODE}
```

> A quotation.

The <end> & nothing more."""


class Terminal:
    """A screen of 40 by 12 with what has scrolled off above it."""

    def __init__(self) -> None:
        self.screen = pyte.HistoryScreen(40, 12, history=1000)
        self.screen.set_mode(pyte.modes.LNM)  # what the kernel's terminal does for a program
        self.stream = pyte.Stream(self.screen)
        self.written = io.StringIO()
        self.console = Console(
            file=self.written, force_terminal=True, width=40, height=12, color_system="standard"
        )
        self.now = 0.0
        self.shown = MarkdownOnScreen(self.console, lambda: self.now)

    def show(self) -> None:
        self.stream.feed(self.written.getvalue())
        self.written.seek(0)
        self.written.truncate()

    def push(self, piece: str) -> None:
        self.shown.push(piece)
        self.now += 0.2
        self.show()

    def end(self) -> list[str]:
        """Everything that a person can read now, from the first line to the last."""
        self.shown.end()
        self.show()
        above = [
            "".join(row[x].data for x in range(40)).rstrip() for row in self.screen.history.top
        ]
        return [*above, *(line.rstrip() for line in self.screen.display)]


def whole(text: str) -> list[str]:
    """What it is when it comes at once."""
    terminal = Terminal()
    terminal.push(text)
    return [line for line in terminal.end() if line]


@pytest.mark.parametrize("seed", range(4))
def test_a_reply_taller_than_the_screen_is_there_once_however_it_comes(seed: int) -> None:
    dice, terminal, place = random.Random(seed), Terminal(), 0
    while place < len(REPLY):
        length = dice.randrange(1, 30)
        terminal.push(REPLY[place : place + length])
        place += length
    lines = [line for line in terminal.end() if line]
    assert lines == whole(REPLY)
    numbers = [int(m[1]) for line in lines if (m := re.search(r"line_(\d+) =", line))]
    assert numbers == list(range(60))
    assert [line for line in lines if "<end> & nothing more." in line]


def test_what_comes_is_seen_before_its_block_ends() -> None:
    terminal = Terminal()
    terminal.push("Ice is ")
    assert terminal.screen.display[0].rstrip() == "Ice is"
    terminal.push("**lighter")
    terminal.push("**.")
    assert terminal.screen.display[0].rstrip() == "Ice is lighter."
    bold = [terminal.screen.buffer[0][column].bold for column in (0, 8)]
    assert bold == [False, True]


def test_an_open_block_taller_than_the_screen_shows_its_end_and_leaves_no_copies() -> None:
    terminal = Terminal()
    terminal.push("```\n")
    for number in range(40):
        terminal.push(f"row {number}\n")
    assert any("row 39" in line for line in terminal.screen.display)
    assert len(terminal.screen.history.top) == 0
    lines = [line.strip() for line in terminal.end()]
    assert [line for line in lines if line] == [f"row {number}" for number in range(40)]


def test_blocks_stand_apart_by_one_empty_line() -> None:
    terminal = Terminal()
    for piece in ("One.\n", "\nTwo.\n\n", "Three."):
        terminal.push(piece)
    assert terminal.end()[:5] == ["One.", "", "Two.", "", "Three."]


def test_frames_are_far_apart_but_nothing_waits_for_ever() -> None:
    terminal = Terminal()
    for letter in "slow":
        terminal.shown.push(letter)
    assert terminal.written.getvalue().count("slow") == 0  # the clock stands still
    assert [line for line in terminal.end() if line] == ["slow"]


def test_a_second_reply_begins_afresh() -> None:
    terminal = Terminal()
    terminal.push("One.")
    terminal.end()
    terminal.push("Two.")
    assert [line for line in terminal.end() if line] == ["One.", "Two."]
