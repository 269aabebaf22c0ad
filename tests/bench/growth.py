"""Decode deep in a context over decode at its start: ``python tests/bench/growth.py MODEL.gguf``.

Steps of one token after 128 and after ``--depth`` tokens, in turn, medians over the rounds; the
cache's content is not computed first, because it does not change what is read. Told beside it: what
the bytes alone would give, weights and cache over weights and a short cache.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch

from engine.families.registry import build
from engine.kernels.batch import Batch, Span
from engine.kernels.cpu.kernels import CpuKernels
from engine.storage.open import open_checkpoint

PAGE = 32
SHALLOW = 128


class Model:
    """A model on the CPU kernels with room for ``context`` tokens."""

    def __init__(self, path: Path, threads: int, context: int, bits: int) -> None:
        self.kernels = CpuKernels(threads)
        self.model = build(open_checkpoint(path), self.kernels, lambda done, total: None, context)
        self.pages = -(-context // PAGE)
        self.cache = self.kernels.make_cache(self.model.cache_layers, self.pages, PAGE, bits)
        self.context = context

    def seconds(self, start: int, tokens: int) -> float:
        """The time of so many single tokens after ``start``."""
        begin = time.perf_counter()
        for position in range(start, start + tokens):
            span = Span(0, 1, position, tuple(range(position // PAGE + 1)))
            ids, at = torch.full((1,), 5), torch.full((1,), position)
            self.model.forward(
                Batch(ids, at, (span,), torch.zeros(1, dtype=torch.long)), self.cache
            )
        return time.perf_counter() - begin


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--depth", type=int, default=8192)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--tokens", type=int, default=16)
    parser.add_argument("--cache-bits", type=int, default=16, choices=(8, 16))
    given = parser.parse_args()
    if not given.model.is_file():
        parser.error(f"{given.model} is not a file")
    torch.set_num_threads(1)
    room = given.depth + given.tokens
    model = Model(given.model, given.threads, room, given.cache_bits)
    model.seconds(0, 4)
    starts, depths = [], []
    for _ in range(given.rounds):
        starts.append(model.seconds(SHALLOW, given.tokens) / given.tokens)
        depths.append(model.seconds(given.depth, given.tokens) / given.tokens)
    start, deep = statistics.median(starts), statistics.median(depths)
    each = model.cache.nbytes / (model.pages * PAGE)
    weights = given.model.stat().st_size
    print(
        f"after {SHALLOW}: {1e3 * start:.1f} ms, after {given.depth}: {1e3 * deep:.1f} ms a token"
    )
    by_bytes = (weights + each * given.depth) / (weights + each * SHALLOW)
    print(f"ratio of rates {start / deep:.2f}; bytes alone {1 / by_bytes:.2f}")
    print(f"the cache is read at {each * (given.depth - SHALLOW) / (deep - start) / 1e9:.1f} GB/s")
    model.kernels.close()


if __name__ == "__main__":
    main()
