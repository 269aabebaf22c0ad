"""An engine's process that writes a text at a fixed rate, for the benchmarks of the window.

``python tests/bench/scripted_process.py RATE TOKENS TEXT`` speaks as ``python -m engine.service``
does, with its own channels, threads and gathering; only the model is missing. TEXT is one of
``TEXTS``; each answer has TOKENS tokens, RATE a second.
"""

from __future__ import annotations

import itertools
import re
import runpy
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from engine.contract import (
    Channel,
    Command,
    Event,
    Finished,
    FinishReason,
    Generate,
    Metrics,
    Priority,
    TextDelta,
    Timings,
    Usage,
)
from tests.bench.transcript_texts import code_of, prose_of, text_of
from tests.doubles.engines import ScriptedRunner
from tests.doubles.scripts import CONTEXT, MEMORY

TEXTS: dict[str, Callable[[int], str]] = {
    "prose": prose_of,
    "mixed": text_of,
    "code": lambda size: code_of(size // 38),
}
_METRICS_S = 0.25  # as the engine tells its figures
_TOKEN = re.compile(r"\s*[^\s]{1,5}|\s+")


class Writing(ScriptedRunner):
    """A scripted engine that keeps to a rate however long a token takes."""

    def __init__(self, rate: float, tokens: int, text: str) -> None:
        super().__init__()
        self._rate, self._count = rate, tokens
        self._tokens = _TOKEN.findall(TEXTS[text](8 * tokens))[:tokens]

    def run(self, command: Command, cancelled: Callable[[], bool]) -> Iterator[Event | None]:
        """Answer; everything else is the script's."""
        if isinstance(command, Generate) and command.settings.priority is not Priority.BACKGROUND:
            return self._write(command.request, cancelled)
        return super().run(command, cancelled)

    def _write(self, request: int, cancelled: Callable[[], bool]) -> Iterator[Event]:
        begin = shown = time.perf_counter()
        metrics = Metrics(request, 0, self._rate, 0.02, 0, CONTEXT, MEMORY)
        for number, token in zip(itertools.count(1), self._tokens, strict=False):
            time.sleep(max(0.0, begin + number / self._rate - time.perf_counter()))
            if cancelled():
                break
            yield TextDelta(request, Channel.ANSWER, token)
            now = time.perf_counter()
            if now - shown >= _METRICS_S:
                shown = now
                speed = self._rate * (0.97 + 0.01 * (number % 7))  # another figure each time
                yield replace(
                    metrics, generated_tokens=number, tokens_per_second=speed, context_used=number
                )
        decode = time.perf_counter() - begin
        yield Finished(
            request,
            FinishReason.LENGTH,
            Usage(12, 0, number, context_used=number, context_size=CONTEXT),
            Timings(time_to_first_token_s=0.02, decode_s=decode, tokens_per_second=number / decode),
        )


def main() -> None:
    """Serve as the engine's process does."""
    rate, tokens, text = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    with mock.patch("engine.service.real_engine", partial(Writing, rate, tokens, text)):
        runpy.run_module("engine.service", run_name="__main__")


if __name__ == "__main__":
    main()
