"""What a token costs besides the model's step: ``python tests/bench/token_gap.py [MODEL]``.

The engine writes hot replies as ``bench`` does; every part of the way from one step's end to the
next step's start is timed by wrapping it here. What is told are sums divided by tokens: a burst of
steps crosses Python once. ``--top-k`` and the others measure another chain of the sampler,
``--singles`` steps without bursts. The parts are parts of one another where they are indented.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from engine.cli_options import model_path
from engine.contract import Complete, Finished, GenerateSettings, Load, LoadSettings, Sampling
from engine.engine import Engine

STEP = "      the step itself"


class Times:
    """Microseconds of each call of what is watched."""

    def __init__(self) -> None:
        self.taken: dict[str, list[float]] = defaultdict(list)

    def watch(self, owner: Any, name: str, label: str) -> None:
        """Time every call of ``owner.name``."""
        inner: Callable[..., Any] = getattr(owner, name)
        taken = self.taken[label]

        def timed(*given: Any, **named: Any) -> Any:
            begin = time.perf_counter_ns()
            try:
                return inner(*given, **named)
            finally:
                taken.append((time.perf_counter_ns() - begin) / 1e3)

        setattr(owner, name, timed)


def watch_parts(times: Times) -> None:
    """Wrap every part; imported late, because the engine brings torch itself."""
    from engine.bursts import Bursts
    from engine.generation.sampler import Sampler
    from engine.generation.scheduler import Scheduler
    from engine.kernels.cpu.step_runner import CompiledStep
    from engine.kernels.cpu.step_tables import StepState
    from engine.kernels.cpu.threads import Threads
    from engine.replies import Replies
    from engine.reply import Reply
    from engine.runner import ModelRunner
    from engine.text.reply_stream import ReplyStream

    times.watch(Replies, "_step", "a whole step of all replies")
    times.watch(Replies, "_guess", "  guesses")
    times.watch(Scheduler, "schedule", "  schedule")
    times.watch(ModelRunner, "run", "  the model")
    times.watch(ModelRunner, "_batch", "    batch")
    times.watch(CompiledStep, "forward", "    forward")
    times.watch(Bursts, "draw", "  bursts")
    times.watch(CompiledStep, "burst", "    their steps with draws")
    times.watch(StepState, "set_batch", "      tables of the batch")
    times.watch(Threads, "run", STEP)
    times.watch(Replies, "_postprocess", "  postprocess")
    times.watch(Sampler, "draw", "    sampler")
    times.watch(Reply, "accept", "    accept")
    times.watch(ReplyStream, "push", "      spelling")
    times.watch(Scheduler, "computed", "    computed")
    times.watch(Reply, "stepped", "    figures")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", default="starter")
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--temperature", type=float, default=1.5)
    parser.add_argument("--singles", action="store_true")
    parser.add_argument("--top-k", type=int, default=0)
    parser.add_argument("--top-p", type=float, default=1.0)
    parser.add_argument("--min-p", type=float, default=0.0)
    given = parser.parse_args()
    engine, times = Engine(), Times()
    settings = LoadSettings(context=2048, threads=given.threads)
    for _ in engine.run(Load(1, model_path(given.model), settings), lambda: False):
        pass
    watch_parts(times)
    if given.singles:
        from engine.kernels.cpu.step_runner import CompiledStep

        CompiledStep.longest_burst = lambda *_: 1  # type: ignore[method-assign]
    passed_s, tokens = 0.0, 0
    for number in range(given.rounds):
        sampling = Sampling(
            temperature=given.temperature, top_k=given.top_k, top_p=given.top_p,
            min_p=given.min_p, min_tokens=given.tokens, seed=number,
        )  # fmt: skip
        asked = Complete(
            2 + number,
            f"Story number {number}:",
            GenerateSettings(sampling, max_tokens=given.tokens),
        )
        *_, end = engine.run(asked, lambda: False)
        if isinstance(end, Finished):
            passed_s, tokens = passed_s + end.timings.decode_s, tokens + given.tokens
    token, step = 1e6 * passed_s / tokens, sum(times.taken[STEP]) / tokens
    print(
        f"{1e6 / token:.1f} tokens/s; a token {token:.0f} µs, {token - step:.0f} besides the step"
    )
    print("| part | µs a token | times |\n| --- | --- | --- |")
    for label, taken in times.taken.items():
        print(f"| {label} | {sum(taken) / tokens:.0f} | {len(taken)} |")
    engine.close()


if __name__ == "__main__":
    main()
