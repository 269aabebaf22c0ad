"""Where a decode step's time goes: ``python tests/bench/step_profile.py MODEL.gguf``; a prompt's:
with ``--prompt 512``.

Every operation of the step is run by way of one that reads the processor's counter before and after
it, on every thread, so nothing else of the program changes. Told for each kind of operation are its
own time, how long the threads then waited for each other, and for products the gigabytes of weights
a second (of prompts the billions of multiplications); medians over the steps. Run it on a machine
that does nothing else.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from llvmlite import ir
from numba import types

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from growth import PAGE, Model

from engine.kernels.bandwidth import measure_read_bandwidth
from engine.kernels.batch import Batch, Span
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.kernels import STEP_OPERATIONS
from engine.kernels.cpu.pointers import call4, intrinsic, numbers
from engine.kernels.cpu.step_runner import CompiledStep
from engine.kernels.cpu.tables import GATED, MATRIX, PRODUCT
from engine.kernels.cpu.threads import Program

WORDS = 8  # of a table of ``timed``: the operation, its arguments, two readings for each thread
SHALLOW = 128


@intrinsic
def counter(_typing: Any) -> Any:
    """The processor's counter."""

    def write(_context: Any, build: Any, _signature: Any, _values: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [])
        name = "llvm.readcyclecounter"
        known = build.module.globals.get(name)
        return build.call(ir.Function(build.module, kind, name) if known is None else known, [])

    return types.int64(), write


@operation
def timed(arguments: int, state: int, thread: int, threads: int) -> None:
    """Run an operation between two readings."""
    table = numbers(arguments, 8)
    begin = counter()
    call4(table[0], table[1], state, thread, threads)
    table[2 + 2 * thread], table[3 + 2 * thread] = begin, counter()


def table_at(kind: Any, address: int) -> Any:
    """The table of numbers at an address."""
    pointer = (np.ctypeslib.ctypes.c_int64 * len(kind.names)).from_address(address)
    return np.frombuffer(pointer, kind)[0]


def weights_of(name: str, arguments: int) -> tuple[str, int, int]:
    """A name that tells products apart, the bytes of weights that are read, and how many weights.

    What only the last row is multiplied by counts as no weights: prompts hardly notice it.
    """
    if name == "product":
        a = table_at(PRODUCT, arguments)
        matrix = table_at(MATRIX, int(a["matrix"]))
        size = int(matrix["tiles"] * matrix["tile_bytes"])
        count = 0 if a["selected"] else int(matrix["outputs"] * matrix["depth"])
        return f"product to {matrix['outputs']}, {size / 2**20:.1f} MiB", size, count
    if name == "gated":
        a = table_at(GATED, arguments)
        matrices = [table_at(MATRIX, int(a[side])) for side in ("gate", "up") if a[side]]
        size = sum(2 * int(a["units"]) * int(matrix["tile_bytes"]) for matrix in matrices)
        count = sum(32 * int(a["units"]) * int(matrix["depth"]) for matrix in matrices)
        return f"gate and up, {size / 2**20:.1f} MiB", size, count
    return name, 0, 0


def step_of(model: Any) -> CompiledStep:
    """The compiled step that a model holds somewhere."""
    seen: set[int] = set()
    stack = [model]
    while stack:
        held = stack.pop()
        if isinstance(held, CompiledStep):
            return held
        if id(held) in seen:
            continue
        seen.add(id(held))
        stack += list(getattr(held, "__dict__", {}).values())
        stack += [getattr(held, name, None) for name in getattr(held, "__slots__", ())]
    raise LookupError("no compiled step")


class Always:
    """A choice of threads that never changes."""

    count = 2

    def begin(self) -> int:
        """The same for a prompt."""
        return self.count

    def took(self, *_figures: float) -> None:
        """What a step took does not matter."""


class Profile:
    """A step's program with readings."""

    def __init__(self, step: CompiledStep) -> None:
        program = step._program.table
        names = {made.address: made.name for made in STEP_OPERATIONS}
        self.tables = np.zeros((len(program), WORDS), np.int64)
        self.tables[:, :2] = program[:, :2]
        self.labels = [
            weights_of(names.get(int(made), "other"), int(arguments))
            for made, arguments, _ in program
        ]
        address = int(self.tables.ctypes.data)
        rows = [
            (timed, address + 8 * WORDS * number, int(row[2])) for number, row in enumerate(program)
        ]
        step._program = Program(rows)

    def readings(self) -> tuple[np.ndarray, np.ndarray]:
        """Counts of each operation, and until the next one began: [operations][threads]."""
        begin, end = self.tables[:, 2:6:2], self.tables[:, 3:6:2]
        after = np.zeros_like(begin)
        after[:-1] = begin[1:] - end[:-1]
        return end - begin, after


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--start", type=int, default=SHALLOW)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--prompt", type=int, help="tokens of a prompt to profile instead")
    given = parser.parse_args()
    if not given.model.is_file():
        parser.error(f"{given.model} is not a file")
    torch.set_num_threads(1)
    model = Model(given.model, 2, given.start + 1024, 16)
    if given.prompt:
        profile_prompt(model, given.prompt, given.steps)
        model.kernels.close()
        return
    before = measure_read_bandwidth(2)
    step = step_of(model.model)
    step._choice = Always()
    model.seconds(given.start, 16)
    plain = statistics.median(model.seconds(given.start, 1) for _ in range(given.steps))
    profile = Profile(step)
    model.seconds(given.start, 4)
    own, waits, took = [], [], []
    first, counts = time.perf_counter(), int(profile.tables[0, 2])
    for _ in range(given.steps):
        took.append(model.seconds(given.start, 1))
        ran, waited = profile.readings()
        own.append(ran)
        waits.append(waited)
    each = (int(profile.tables[0, 2]) - counts) / (time.perf_counter() - first)
    print_table(profile, np.median(own, 0) / each, np.median(waits, 0) / each)
    after = measure_read_bandwidth(2)
    size = sum(size for _, size, _ in profile.labels)
    print(
        f"a step {1e3 * plain:.2f} ms, with readings {1e3 * statistics.median(took):.2f}; "
        f"{size / 2**20:.0f} MiB of weights, {size / plain / 1e9:.1f} GB/s; "
        f"plain reading {before / 1e9:.1f} and {after / 1e9:.1f} GB/s"
    )
    model.kernels.close()


def profile_prompt(model: Model, tokens: int, steps: int) -> None:
    """Measure and print prompts of so many tokens."""
    step = step_of(model.model)
    step._row_threads = Always()
    pages = tuple(range(-(-tokens // PAGE)))
    span = Span(0, tokens, 0, pages)
    ids = torch.arange(tokens) * 37 % 1000 + 5
    batch = Batch(ids, torch.arange(tokens), (span,), torch.tensor([tokens - 1]))

    def seconds() -> float:
        begin = time.perf_counter()
        model.model.forward(batch, model.cache)
        return time.perf_counter() - begin

    seconds()
    plain = statistics.median(seconds() for _ in range(steps))
    profile = Profile(step)
    seconds()
    first, counts = time.perf_counter(), int(profile.tables[0, 2])
    own, waits = [], []
    for _ in range(steps):
        seconds()
        ran, waited = profile.readings()
        own.append(ran)
        waits.append(waited)
    each = (int(profile.tables[0, 2]) - counts) / (time.perf_counter() - first)
    print_table(profile, np.median(own, 0) / each, np.median(waits, 0) / each, tokens)
    print(f"{tokens} tokens in {1e3 * plain:.1f} ms: {tokens / plain:.0f} a second")


def print_table(profile: Profile, own: np.ndarray, waits: np.ndarray, rows: int = 0) -> None:
    """One line for each kind of operation; milliseconds are means of the two threads."""
    kinds: dict[str, list[int]] = defaultdict(list)
    for number, (label, *_) in enumerate(profile.labels):
        kinds[label].append(number)
    print(f"| operation | times | ms | then waiting, ms | {'GMAC/s' if rows else 'GB/s'} |")
    print("| --- | --- | --- | --- | --- |")
    for label, kind in kinds.items():
        spent, waited = own[kind].mean(1).sum(), waits[kind].mean(1).sum()
        size = sum(profile.labels[n][2] * rows if rows else profile.labels[n][1] for n in kind)
        rate = f"{size / spent / 1e9:.1f}" if size else ""
        print(f"| {label} | {len(kind)} | {1e3 * spent:.3f} | {1e3 * waited:.3f} | {rate} |")
    print(f"| all | {len(own)} | {1e3 * own.mean(1).sum():.3f} | {1e3 * waits.mean(1).sum():.3f} |")


if __name__ == "__main__":
    main()
