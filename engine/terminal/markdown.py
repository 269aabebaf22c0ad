"""Markdown on a terminal while it comes.

Blocks that are finished are printed once and belong to the terminal: they scroll away with it, can
be selected, and are never touched again. Only the last, open block is drawn again and again, in
place, some times a second, and no more of it than fits on the screen: what has scrolled off a
terminal cannot be written over, so a taller block would leave its copies behind. When it ends it is
printed whole.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.live import Live
from rich.markdown import CodeBlock, Markdown
from rich.segment import Segment
from rich.syntax import Syntax

from engine.terminal.harmless import harmless

_FRAME_S = 0.08
_SHARE = 4  # a frame is followed by so many times its own cost without one
_CODE_THEME = "ansi_dark"  # the terminal's own colours, so that it suits light and dark ones


class MarkdownOnScreen:
    """Takes a reply in pieces and shows it.

    Args:
        console: the screen.
        clock: seconds that only grow.
    """

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console, self._clock = console, clock
        # HTML is text here, as it is to the reader of a terminal; rich would leave it out
        parser = MarkdownIt("commonmark", {"html": False})
        self._parser = parser.enable(["table", "strikethrough"])
        self._live: Live | None = None
        self._tail = ""  # what is not printed yet
        self._due = float("-inf")
        self._is_begun = False

    def push(self, text: str) -> None:
        """Show a piece more."""
        self._tail += harmless(text)
        closed = self._closed() if "\n" in text else 0
        if closed:
            block, self._tail = self._tail[:closed], self._tail[closed:]
            self._update()
            self._print(block)
        elif self._clock() >= self._due:
            self._update()
            self._refresh()

    def end(self) -> None:
        """Print what is left, and leave the screen as it is."""
        rest, self._tail = self._tail, ""
        if self._live is not None:
            self._live.update("")
            self._live.stop()
            self._live = None
        if rest.strip():
            self._print(rest)
        self._is_begun = False

    def _closed(self) -> int:
        """How many characters of the tail are blocks that nothing more can change.

        Judged by whole lines, for a line's first characters may look like another block: "2" like
        a paragraph behind a list that "2. " goes on with.
        """
        whole = self._tail[: self._tail.rfind("\n") + 1]
        blocks = [t for t in self._parser.parse(whole) if t.level == 0 and t.map]
        starts = [token.map[0] for token in blocks if token.map and token.nesting >= 0]
        if len(starts) < 2:
            return 0
        return sum(len(line) + 1 for line in whole.split("\n")[: starts[-1]])

    def _update(self) -> None:
        """Let the open block be what is drawn from the next frame on."""
        if self._live is None:
            self._live = Live(
                console=self._console,
                auto_refresh=False,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
        self._live.update(self._below(self._tail))

    def _refresh(self) -> None:
        if self._live is not None:
            began = self._clock()
            self._live.refresh()
            ended = self._clock()
            self._due = ended + max(_FRAME_S, _SHARE * (ended - began))

    def _below(self, source: str) -> RenderableType:
        made = self._made(source)
        return _LastLines(made, blank_first=self._is_begun) if source.strip() else ""

    def _print(self, source: str) -> None:
        if self._is_begun:
            self._console.print()
        self._console.print(self._made(source))
        self._is_begun = True

    def _made(self, source: str) -> Markdown:
        made = _Markdown("", code_theme=_CODE_THEME, hyperlinks=False)
        made.parsed = self._parser.parse(source)
        return made


class _Code(CodeBlock):
    """Code, set in by two columns: rich pads it with lines as well."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        yield Syntax(code, self.lexer_name, theme=self.theme, word_wrap=True, padding=(0, 2))


class _Markdown(Markdown):
    """Markdown with code of this kind."""

    elements: ClassVar = {**Markdown.elements, "fence": _Code, "code_block": _Code}


class _LastLines:
    """The end of something, as much as fits on the screen beside the cursor's line."""

    def __init__(self, inner: RenderableType, *, blank_first: bool) -> None:
        self._inner, self._blank_first = inner, blank_first

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(self._inner, options, pad=False)
        if self._blank_first:
            lines = [[], *lines]
        for line in lines[-max(1, console.height - 2) :]:
            yield from line
            yield Segment.line()
