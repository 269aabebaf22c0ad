"""How a reply is shown: as Markdown on a terminal, and as it is everywhere else."""

from __future__ import annotations

import sys
from typing import Protocol

from rich.console import Console

from engine.contract import Channel, TextDelta
from engine.terminal.harmless import harmless
from engine.terminal.markdown import MarkdownOnScreen


class ReplyShown(Protocol):
    """Takes the pieces of one reply after the other."""

    def show(self, delta: TextDelta) -> None:
        """Show a piece at once."""
        ...

    def end(self) -> None:
        """The reply has ended."""
        ...


def reply_screen(*, is_plain: bool) -> ReplyShown:
    """Return what suits standard output.

    Args:
        is_plain: whether Markdown's source is wanted on a terminal too.
    """
    if is_plain or not sys.stdout.isatty():
        return PlainReply()
    console = Console(file=sys.stdout, highlight=False)
    return PlainReply() if console.is_dumb_terminal else RichReply(console)


class PlainReply:
    """Text as it comes: a pipe gets every character, a terminal none that it would obey."""

    def __init__(self) -> None:
        self._channel: Channel | None = None
        self._is_terminal = sys.stdout.isatty()

    def show(self, delta: TextDelta) -> None:
        """Print a piece at once."""
        if self._channel is not None and delta.channel is not self._channel:
            sys.stdout.write("\n")
        self._channel = delta.channel
        sys.stdout.write(harmless(delta.text) if self._is_terminal else delta.text)
        sys.stdout.flush()

    def end(self) -> None:
        """End the reply's last line."""
        if self._channel is not None:
            sys.stdout.write("\n")
            sys.stdout.flush()
        self._channel = None


class RichReply:
    """Answers as Markdown; reasoning and calls as they are, dimmed.

    Args:
        console: the terminal.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._markdown = MarkdownOnScreen(console)
        self._channel: Channel | None = None

    def show(self, delta: TextDelta) -> None:
        """Show a piece at once."""
        if delta.channel is not self._channel:
            self.end()
            self._channel = delta.channel
        if delta.channel is Channel.ANSWER:
            self._markdown.push(delta.text)
        else:
            self._console.out(harmless(delta.text), style="dim", end="", highlight=False)

    def end(self) -> None:
        """End what is open."""
        if self._channel is Channel.ANSWER:
            self._markdown.end()
        elif self._channel is not None:
            self._console.print()
        self._channel = None
