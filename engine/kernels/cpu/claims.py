"""Work that threads take piece by piece as they come free, where there is enough of it.

Shares that are fixed beforehand end when the slowest thread does: another program had its core for
a moment, or its core is a slow one. With two threads that met after every operation of a prompt of
512 tokens, a seventh of the time was waiting. What an item is never depends on who takes it, so
results are the same bits.

Where weights stream by, a thread should stay in its stream: there every thread has its share, which
it takes in ever smaller parts, and who is done with his own takes the next part of another's.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from engine.kernels.cpu.arithmetic import share
from engine.kernels.cpu.pointers import inner, intrinsic, load_acquire, numbers, word_pointer

LINE = 128
"""Bytes between the words of two threads: no two in the same (or a paired) cache line."""
MOST_PARTS = 1 << 8
"""More than a share is ever taken in: halves, and halves of them."""
HELPED = 3
"""So many threads' shares one thread looks at besides its own: with many threads every look at
somebody else's word would cost as much again as the barrier after it."""
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


@inner
def begin_shares(queues: int, thread: int, number: int) -> None:
    """Say which operation a thread now runs, by a number that is larger each time.

    ``queues``: for every thread a ``LINE`` with the count of the parts that are taken of its share
    and, its own, the number.
    """
    numbers(queues + thread * LINE, 2)[1] = number


@inner
def part_of(size: int, number: int, least: int) -> tuple[int, int]:
    """First and end of a part of a share: half, half of the rest, … and what is no longer worth it.

    Both are ``size`` where there are no more parts.
    """
    left, end = size, size
    for _ in range(number):
        left = left // 2 if left >= 2 * least else 0
    if left >= 2 * least:
        end = size - left // 2
    return size - left, end


@inner
def take_part(word: int, first: int, size: int, least: int) -> tuple[int, int]:
    """The next part of somebody's share: first and end, which are the same if none is left.

    ``word`` is the address of its count, which belongs to an earlier operation as long as it is
    below ``first``, and to a later one from ``first + MOST_PARTS`` on: then all was taken.
    """
    while True:
        seen = load_acquire(word)
        count = max(seen, first)
        begin, end = part_of(size, min(count - first, MOST_PARTS), least)
        if begin == end or replace_if(word, seen, count + 1):
            return begin, end


@inner
def next_part(queues: int, thread: int, threads: int, items: int, least: int) -> tuple[int, int]:
    """First and end of what this thread does next of ``items``; the same if all is taken.

    Args:
        queues: of the step.
        thread: takes of its own share while there is any, then of the next threads'.
        threads: that share the items.
        items: of the operation.
        least: items that are taken together at least.
    """
    first = numbers(queues + thread * LINE, 2)[1] * MOST_PARTS
    for other in range(min(threads, 1 + HELPED)):
        owner = (thread + other) % threads
        low, high = share(items, owner, threads)
        begin, end = take_part(queues + owner * LINE, first, high - low, least)
        if begin < end:
            return low + begin, low + end
    return 0, 0
