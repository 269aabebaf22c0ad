"""Decode's share of plain reading: ``python tests/bench/reading_share.py MODEL.gguf``.

Bursts of tokens, drawn as a reply's are, in turn with plain reading of memory by the same threads.
Memory of some machines changes its speed by half within seconds, so a burst counts only between two
readings that agree, and is compared with these; told are medians for slow and for fast moments.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
import torch
from growth import Model
from step_profile import Always, step_of, weights_of

from engine.kernels.bandwidth import PlainReading
from engine.kernels.cpu.kernels import STEP_OPERATIONS
from engine.kernels.cpu.step_runner import CompiledStep
from engine.kernels.drawing import Burst, DrawRule

START, CONTEXT = 128, 2048
AGREE = 0.05
"""Two readings around a burst differ by at most this share of them."""
APART = 0.15
"""Moments whose readings are further apart than this are told apart."""


class Bursts:
    """A model's replies, some tokens at a time."""

    def __init__(self, step: CompiledStep, model: Model, tokens: int) -> None:
        self._step, self._model, self._tokens = step, model, tokens
        self._rule = DrawRule(0.8, 40, 0.95, 0.0, False, step._vocabulary)
        self._random = np.random.default_rng(1)
        names = {made.address: made.name for made in STEP_OPERATIONS}
        self.weights = sum(
            weights_of(names.get(int(made), "other"), int(arguments))[1]
            for made, arguments, _ in step._program.table
        )

    def seconds(self) -> float:
        """A token's, on average."""
        pages = tuple(range(self._model.pages))
        uniforms = tuple(1 - self._random.random(self._tokens))
        burst = Burst(5, START, (pages,), self._rule, uniforms, (), 0)
        begin = time.perf_counter()
        self._step.burst(burst, self._model.cache)
        return (time.perf_counter() - begin) / self._tokens


def moments(readings: list[float]) -> list[list[int]]:
    """Which readings belong together: split where the next larger one is far away."""
    order = sorted(range(len(readings)), key=lambda number: readings[number])
    groups: list[list[int]] = []
    for number in order:
        if groups and readings[number] < (1 + APART) * readings[groups[-1][-1]]:
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--rounds", type=int, default=120)
    parser.add_argument("--tokens", type=int, default=5, help="of a burst")
    given = parser.parse_args()
    if not given.model.is_file():
        parser.error(f"{given.model} is not a file")
    torch.set_num_threads(1)
    model = Model(given.model, Always.count, CONTEXT, 16)
    step = step_of(model.model)
    step._choice = Always()
    bursts, reading = Bursts(step, model, given.tokens), PlainReading(model.kernels.threads)
    for _ in range(3):
        bursts.seconds()
    pairs = []
    for _ in range(given.rounds):
        before, took, after = reading.rate(), bursts.seconds(), reading.rate()
        if abs(before - after) < AGREE * before:
            pairs.append((took, (before + after) / 2))
    print(f"{len(pairs)} of {given.rounds} bursts between readings that agree")
    for group in moments([rate for _, rate in pairs]):
        took = statistics.median(pairs[number][0] for number in group)
        plain = statistics.median(pairs[number][1] for number in group)
        share = statistics.median(
            bursts.weights / pairs[number][0] / pairs[number][1] for number in group
        )
        print(
            f"{len(group)} at {plain / 1e9:.1f} GB/s of plain reading: "
            f"{1e3 * took:.2f} ms a token, weights at {100 * share:.1f} % of it"
        )
    model.kernels.close()


if __name__ == "__main__":
    main()
