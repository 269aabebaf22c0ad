"""The engine: one model at a time, loaded, asked and freed by commands. The composition root.

This module imports neither torch nor a tokenizer: they are loaded by the first ``Load`` (see
``startup``), on the thread that drives the engine.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Iterator
from time import perf_counter
from typing import Protocol

from engine.contract import (
    Command,
    Complete,
    CountTokens,
    EngineError,
    Event,
    FaultKind,
    Finished,
    FinishReason,
    Generate,
    Inspect,
    Load,
    Loaded,
    ReadPrompt,
    RenderPrompt,
    Unload,
)
from engine.library.identify import identify
from engine.startup import load_libraries


class Answers(Protocol):
    """A model that is ready: one of ours, or a server's."""

    def describe(self, request: int, load_s: float) -> Loaded:
        """The event that says what was loaded."""
        ...

    def answer(
        self, command: Generate | Complete, cancelled: Callable[[], bool]
    ) -> Iterator[Event | None]:
        """Reply to a conversation, or continue a text."""
        ...

    def count(self, command: CountTokens) -> Iterator[Event]:
        """Count the tokens of a conversation."""
        ...

    def inspect(self, command: Inspect, cancelled: Callable[[], bool]) -> Iterator[Event | None]:
        """Compute the figures of a reply once more."""
        ...

    def read_prompt(self, command: ReadPrompt) -> Iterator[Event]:
        """Tell a stretch of a prompt."""
        ...

    def render(self, command: RenderPrompt) -> Iterator[Event]:
        """Make a prompt to be looked at."""
        ...

    def close(self) -> None:
        """Free the model."""
        ...


Loader = Callable[[Load], Generator[Event, None, Answers]]


def load_from_files(command: Load) -> Generator[Event, None, Answers]:
    """Look at the files, load the engine's libraries if they are not yet, and then the model.

    The files come first: what is wrong with them is known in milliseconds, the libraries take
    seconds. A server is asked without any of them.
    """
    facts = identify(command.path)
    if facts.server:
        from engine.remote.answering import connect  # noqa: PLC0415 (libraries that few need)

        return (yield from connect(command, facts))
    yield from load_libraries(command.request)
    from engine.answering import Answering  # noqa: PLC0415 (seconds; see startup)
    from engine.loading import load_model  # noqa: PLC0415

    return Answering((yield from load_model(command, facts)))


class Engine:
    """A ``CommandRunner`` with at most one model.

    Args:
        load: how a model comes about; tests give their own.
    """

    def __init__(self, load: Loader = load_from_files) -> None:
        self._load_model = load
        self._answering: Answers | None = None

    def run(self, command: Command, cancelled: Callable[[], bool]) -> Iterator[Event | None]:
        """Yield a command's events; see ``CommandRunner``.

        Raises:
            EngineError: NO_MODEL, and every fault of loading and answering.
        """
        match command:
            case Load():
                yield from self._load(command, cancelled)
            case Unload():
                self.close()
                yield Finished(command.request, FinishReason.DONE)
            case CountTokens():
                yield from self._loaded().count(command)
            case Generate() | Complete():
                yield from self._loaded().answer(command, cancelled)
            case Inspect():
                yield from self._loaded().inspect(command, cancelled)
            case ReadPrompt():
                yield from self._loaded().read_prompt(command)
            case RenderPrompt():
                yield from self._loaded().render(command)

    def close(self) -> None:
        """Free the model and its memory."""
        if self._answering is not None:
            self._answering.close()
            self._answering = None
            gc.collect()  # tokenizers and templates are full of cycles

    def _loaded(self) -> Answers:
        if self._answering is None:
            raise EngineError(FaultKind.NO_MODEL)
        return self._answering

    def _load(self, command: Load, cancelled: Callable[[], bool]) -> Iterator[Event]:
        begin = perf_counter()
        self.close()
        loading = self._load_model(command)
        try:
            while True:
                if cancelled():
                    loading.close()
                    yield Finished(command.request, FinishReason.CANCELLED)
                    return
                yield next(loading)
        except StopIteration as end:
            self._answering = end.value
        yield self._loaded().describe(command.request, perf_counter() - begin)
        yield Finished(command.request, FinishReason.DONE)
