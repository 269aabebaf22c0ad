"""Work that threads take piece by piece as they come free, where there is enough of it.

Shares that are fixed beforehand end when the slowest thread does: another program had its core for
a moment, or its core is a slow one. With two threads that met after every operation of a prompt of
512 tokens, a seventh of the time was waiting. What an item is never depends on who takes it, so
results are the same bits.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from engine.kernels.cpu.pointers import inner, intrinsic, load_acquire, word_pointer

MOST_ITEMS = 1 << 32
"""More than any operation has; counts of one turn lie below those of the next."""


@intrinsic
def add_one(_typing: Any, _address: Any) -> Any:
    """Add 1 to an int64 that all threads add to: what it was."""

    def write(_context: Any, build: Any, _signature: Any, values: Any) -> Any:
        one = ir.Constant(ir.IntType(64), 1)
        return build.atomic_rmw("add", word_pointer(build, values[0]), one, "acq_rel")

    return types.int64(types.int64), write


@intrinsic
def replace_if(_typing: Any, _address: Any, _old: Any, _new: Any) -> Any:
    """Replace an int64 if it is still ``old``: whether it was."""

    def write(_context: Any, build: Any, _signature: Any, values: Any) -> Any:
        pointer = word_pointer(build, values[0])
        pair = build.cmpxchg(pointer, values[1], values[2], "acq_rel", "acquire")
        return build.extract_value(pair, 1)

    return types.boolean(types.int64, types.int64, types.int64), write


@inner
def claim(word: int, turn: int) -> Any:
    """The next item of an operation: 0, 1, 2, … over all threads.

    ``word`` is the address of the count, which nobody has to set back: a turn (the number of the
    run, ever larger) begins it anew.
    """
    first = turn * MOST_ITEMS
    seen = load_acquire(word)
    if seen < first:
        replace_if(word, seen, first)
    return add_one(word) - first
