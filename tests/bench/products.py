"""What a row times a packed weight costs: ``python tests/bench/products.py``.

For each form of weight the gigabytes of weights a second that one thread multiplies by one row: out
of its second-level cache, where only arithmetic counts, and out of memory, with one thread and with
two. Beside it what plain reading gives. Decode can be no faster than the smaller of the two.
The median of rounds in turn, by the clock; use it on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from engine.kernels.bandwidth import measure_read_bandwidth
from engine.kernels.cpu.kernels import CpuKernels
from engine.kernels.cpu.matrix_tables import Needs, Prepared, working_bytes
from engine.kernels.cpu.products import prepare, product
from engine.kernels.cpu.step_runner import StepState
from engine.kernels.cpu.tables import BARRIER_IF_SHARED, NO_BARRIER, PREPARE, PRODUCT, fill
from engine.kernels.cpu.threads import Instruction, Program
from engine.kernels.cpu.weights import packed_here
from engine.weights import Grouped4, Grouped8, Weight

COLUMNS = 2048
SMALL, LARGE = 128, 131_072  # rows: some 100 to 300 kB, and 150 to 300 MB
ROUNDS = 9


def four(rows: int, *, minimum: bool) -> Weight:
    """Random 4-bit codes in groups of 32."""
    codes = torch.randint(0, 256, (rows, COLUMNS // 2), dtype=torch.uint8)
    scale = torch.rand(rows, COLUMNS // 32).half() * 0.01
    return Grouped4(codes, scale, -scale if minimum else None, 32)


def eight(rows: int) -> Weight:
    """Random 8-bit codes in groups of 32."""
    codes = torch.randint(-127, 128, (rows, COLUMNS), dtype=torch.int8)
    return Grouped8(codes, torch.rand(rows, COLUMNS // 32).half() * 0.01, 32)


FORMS: dict[str, Callable[[int], Weight]] = {
    "4 bit": lambda rows: four(rows, minimum=False),
    "4 bit with minimum": lambda rows: four(rows, minimum=True),
    "8 bit": eight,
}


def rate(kernels: CpuKernels, weight: Weight, repeats: int, threads: int) -> float:
    """Bytes of a weight a second, multiplied ``repeats`` times by one row in one program."""
    held = packed_here(kernels.pack(weight))
    x, y = torch.randn(1, COLUMNS), torch.empty(1, held.shape[0])
    needs = Needs.of([held], precise=False)
    memory = torch.empty(
        needs.rows(1, kernels.threads.count) * (needs.block_step + needs.word_step) + 64,
        dtype=torch.uint8,
    )
    into = Prepared(needs, memory.data_ptr(), 0, memory.data_ptr())
    source = into.source(int(held.table["kind"][0]), private=True)
    before = fill(
        PREPARE,
        into.preparing(kernels.library) | {"x": x.data_ptr(), "x_step": 0, "columns": COLUMNS},
    )
    figures = source | {
        "matrix": held.table.ctypes.data, "start": 0, "y": y.data_ptr(), "y_step": 0
    }  # fmt: skip
    table = fill(PRODUCT, figures)
    instructions: list[Instruction] = [(prepare, before.ctypes.data, BARRIER_IF_SHARED)]
    instructions += [(product, table.ctypes.data, NO_BARRIER)] * repeats
    program, state = Program(instructions), StepState(kernels.threads.count)
    state.need_scratch(working_bytes(held) + 8192)
    state.table["rows"] = 1
    kernels.threads.run(program, state.table, threads)
    took = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        kernels.threads.run(program, state.table, threads)
        took.append(time.perf_counter() - begin)
    return weight.nbytes * repeats / statistics.median(took)


def main() -> None:
    """Print the table."""
    kernels = CpuKernels(2)
    try:
        one, two = measure_read_bandwidth(1) / 1e9, measure_read_bandwidth(2) / 1e9
        print("GB/s of weights | 2nd-level cache, 1 thread | memory, 1 thread | memory, 2 threads")
        print("--- | --- | --- | ---")
        print(f"plain reading | | {one:.1f} | {two:.1f}")
        for name, make in FORMS.items():
            small, large = make(SMALL), make(LARGE)
            cells = (
                rate(kernels, small, 300, 1), rate(kernels, large, 2, 1), rate(kernels, large, 2, 2)
            )  # fmt: skip
            print(" | ".join([name, *(f"{cell / 1e9:.1f}" for cell in cells)]))
    finally:
        kernels.close()


if __name__ == "__main__":
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    main()
