"""The terminal: progress on its own line, text as it comes, and Ctrl-C as "stop this"."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Protocol, Self

from engine.cli_sizes import bytes_text
from engine.cli_words import notice_sentence
from engine.contract import (
    Command,
    CommandRunner,
    Event,
    Finished,
    FinishReason,
    Notice,
    Progress,
    Stage,
    Timings,
    Usage,
)
from engine.engine import Engine
from engine.safety.guard import Guarded

_STAGES = {
    Stage.STARTING: "Starting",
    Stage.CONNECTING: "Waiting for the server",
    Stage.READING: "Reading",
    Stage.COMPILING: "Preparing kernels",
    Stage.PREFILL: "Reading the prompt",
    Stage.DOWNLOADING: "Downloading",
    Stage.VERIFYING: "Verifying",
}
_IN_BYTES = frozenset({Stage.READING, Stage.DOWNLOADING, Stage.VERIFYING})


class Interrupts:
    """Ctrl-C as a wish to stop what runs; a second one before it is granted ends the program."""

    def __init__(self) -> None:
        self.wished = False

    def is_wished(self) -> bool:
        """Whether Ctrl-C was pressed since ``watch`` began."""
        return self.wished

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Take Ctrl-C for as long as something runs that can be stopped."""
        self.wished = False
        before = signal.signal(signal.SIGINT, self._on_interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _on_interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.wished:
            raise KeyboardInterrupt
        self.wished = True


class ProgressLine:
    """Progress on standard error: a line that is written over, or one line a stage in a file."""

    def __init__(self) -> None:
        self._stage: Stage | None = None
        self._is_terminal = sys.stderr.isatty()
        self._width = 0

    def show(self, progress: Progress) -> None:
        """Show how far a stage is."""
        if self._is_terminal:
            text = _progress_text(progress)
            sys.stderr.write("\r" + text.ljust(self._width))
            self._width = len(text)
        elif progress.stage is not self._stage:
            sys.stderr.write(_STAGES[progress.stage] + " …\n")
        self._stage = progress.stage
        sys.stderr.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._is_terminal and self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
        self._stage, self._width = None, 0


class ProgressShown(Protocol):
    """Where progress goes."""

    def show(self, progress: Progress) -> None:
        """Show how far a stage is."""
        ...

    def clear(self) -> None:
        """Take it away: something else is to be said."""
        ...


class EngineAtTerminal:
    """An engine driven by the calling thread; Ctrl-C cancels the command that runs.

    Args:
        shown: where progress goes; None is a line on standard error.
    """

    def __init__(self, shown: ProgressShown | None = None) -> None:
        self.engine: CommandRunner = Guarded(Engine())
        self.interrupts = Interrupts()
        self._shown = shown or ProgressLine()
        self._requests = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.engine.close()

    def next_request(self) -> int:
        """A request number of its own."""
        self._requests += 1
        return self._requests

    def run(self, command: Command) -> Iterator[Event]:
        """Everything that a command brings but prefill progress, which a line shows.

        Raises:
            EngineError: what the engine raises.
        """
        line = self._shown
        with self.interrupts.watch():
            for event in self.engine.run(command, self.interrupts.is_wished):
                if isinstance(event, Progress):
                    if event.stage is not Stage.PREFILL or event.total > 512:
                        line.show(event)
                elif event is not None:
                    line.clear()
                    yield event


def show_notices(notices: tuple[Notice, ...]) -> None:
    """Tell what must be told, on standard error."""
    for notice in notices:
        print(notice_sentence(notice), file=sys.stderr)


_CUT = {
    FinishReason.LENGTH: " (cut at the limit; --max-tokens raises it)",
    FinishReason.CONTEXT_FULL: " (the context is full)",
    FinishReason.CANCELLED: " (stopped)",
    FinishReason.CONTENT_FILTER: " (ended by a rule)",
}


def speed_line(end: Finished) -> str:
    """The figures of a reply in one line."""
    usage, timings = end.usage, end.timings
    cut = _CUT.get(end.reason, "")
    parts = [f"{usage.generated_tokens} tokens{cut}", *_speeds(timings)]
    if usage.prompt_tokens:  # a server may not tell
        parts.append(_prompt_text(usage))
    return "— " + " · ".join(parts)


def _speeds(timings: Timings) -> Iterator[str]:
    if timings.tokens_per_second is not None:
        yield f"{timings.tokens_per_second:.1f} tokens/s"
    yield f"first after {timings.time_to_first_token_s:.2f} s"


def _prompt_text(usage: Usage) -> str:
    reused = f", {usage.reused_tokens} of them reused" if usage.reused_tokens else ""
    return f"{usage.prompt_tokens} prompt tokens{reused}"


def _progress_text(progress: Progress) -> str:
    name = _STAGES[progress.stage]
    if not progress.total:
        return f"{name} …"
    share = f"{name} … {100 * progress.done // progress.total} %"
    if progress.stage in _IN_BYTES:
        done = bytes_text(progress.done, progress.total)
        return f"{share} ({done} of {bytes_text(progress.total)})"
    return share
