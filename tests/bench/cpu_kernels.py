"""Our CPU kernels against llama.cpp on the same file, in one process, round after round.

    python tests/bench/cpu_kernels.py MODEL.gguf [--peer SITE_PACKAGES] [--threads 2] [--rounds 5]

``--peer`` is the site-packages folder that holds llama-cpp-python. The runs alternate, so that
other load on the machine meets both; what counts are the medians of the rounds' ratios. With one
thread the clock is the thread's own processor time, which other programs cannot stretch.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch

from engine.families.registry import build
from engine.kernels.batch import Batch, Span
from engine.kernels.cpu.kernels import CpuKernels
from engine.storage.open import open_checkpoint

PAGE = 32
CONTEXT = 1024


class Ours:
    """A model on the CPU kernels."""

    def __init__(self, path: Path, threads: int) -> None:
        self.kernels = CpuKernels(threads)
        self.model = build(open_checkpoint(path), self.kernels, lambda done, total: None, CONTEXT)
        self.cache = self.kernels.make_cache(self.model.cache_layers, CONTEXT // PAGE, PAGE, 16)

    def step(self, tokens: int, start: int) -> None:
        """Run so many tokens after the first ``start``."""
        span = Span(0, tokens, start, tuple(range(-(-(start + tokens) // PAGE))))
        ids, positions = torch.full((tokens,), 5), torch.arange(start, start + tokens)
        self.model.forward(Batch(ids, positions, (span,), torch.tensor([tokens - 1])), self.cache)


class Peer:
    """The same file in llama.cpp."""

    def __init__(self, path: Path, threads: int, site_packages: str) -> None:
        sys.path.append(site_packages)
        import llama_cpp

        self.api: Any = llama_cpp
        self.api.llama_backend_init()
        model = self.api.llama_model_default_params()
        context = self.api.llama_context_default_params()
        context.n_ctx, context.n_batch, context.n_ubatch = CONTEXT, 512, 512
        context.n_threads = context.n_threads_batch = threads
        held = self.api.llama_model_load_from_file(str(path).encode(), model)
        self.context = self.api.llama_init_from_model(held, context)

    def step(self, tokens: int, start: int) -> None:
        """Run so many tokens after the first ``start``; 0 empties the cache first."""
        if start == 0:
            self.api.llama_memory_clear(self.api.llama_get_memory(self.context), True)
        ids = (self.api.llama_token * tokens)(*[5] * tokens)
        self.api.llama_decode(self.context, self.api.llama_batch_get_one(ids, tokens))
        self.api.llama_get_logits_ith(self.context, -1)


def rates(
    runner: Ours | Peer, prompt: int, tokens: int, clock: Callable[[], float]
) -> tuple[float, float]:
    """Tokens a second: (prefill, decode)."""
    begin = clock()
    runner.step(prompt, 0)
    middle = clock()
    for number in range(tokens):
        runner.step(1, prompt + number)
    return prompt / (middle - begin), tokens / (clock() - middle)


def main() -> None:
    """Measure and print one line for each of prefill and decode."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("--peer")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--prompt", type=int, default=256)
    parser.add_argument("--tokens", type=int, default=32)
    given = parser.parse_args()
    torch.set_num_threads(1)
    clock = time.thread_time if given.threads == 1 else time.perf_counter
    ours = Ours(given.model, given.threads)
    peer = Peer(given.model, given.threads, given.peer) if given.peer else None
    rates(ours, given.prompt, 2, clock)
    rounds = []
    for _ in range(given.rounds):
        mine = rates(ours, given.prompt, given.tokens, clock)
        rounds.append((mine, rates(peer, given.prompt, given.tokens, clock) if peer else None))
    for index, name in enumerate(("prefill", "decode")):
        mine = statistics.median(pair[0][index] for pair in rounds)
        line = f"{name}: {mine:.1f} tokens/s"
        theirs = [(pair[0][index], pair[1][index]) for pair in rounds if pair[1] is not None]
        if theirs:
            other = statistics.median(value for _, value in theirs)
            ratio = statistics.median(own / value for own, value in theirs)
            line += f", llama.cpp {other:.1f}, ratio {ratio:.2f}"
        print(line)
    ours.kernels.close()


if __name__ == "__main__":
    main()
