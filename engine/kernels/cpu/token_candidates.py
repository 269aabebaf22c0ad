"""The best of a vocabulary without sorting it: the maxima of blocks of 64 say where they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray

from engine.kernels.cpu.pointers import as_pointer, bits_to_float, inner

BLOCK = 64

_HIGHEST, _LOWEST = 0x7F800000, 0x807FFFFF - 2**32
"""The infinities as ``ordered`` gives them: what lies beyond is not a number."""


@inner
def tokens(address: int, count: int) -> Any:
    """The int32 array at an address."""
    return carray(as_pointer(address), (count,), np.int32)


@inner
def ordered(bits: Any) -> Any:
    """A float32's bits as an integer that grows with it; loops of integers are vectorized."""
    return bits ^ ((bits >> np.int32(31)) & np.int32(0x7FFFFFFF))


@inner
def block_maxima(at: int, count: int, maxima: Any) -> Any:
    """The largest of each block of 64 and of all; NaN where there is one."""
    largest, least = np.int32(-(2**31)), np.int32(2**31 - 1)
    for block in range(maxima.size):
        first = block * BLOCK
        bits = carray(as_pointer(at + first * 4), (min(BLOCK, count - first),), np.int32)
        most = np.int32(-(2**31))
        for i in range(bits.size):
            value = ordered(bits[i])
            most, least = max(most, value), min(least, value)
        maxima[block] = bits_to_float(ordered(most))
        largest = max(largest, most)
    is_wrong = least < np.int32(_LOWEST) or largest > np.int32(_HIGHEST)
    return np.float32(np.nan) if is_wrong else bits_to_float(ordered(largest))


@inner
def sort_few(x: Any, ids: Any, count: int) -> None:
    """Sort the first ``count`` best first, equal ones as they stand: by insertion."""
    for i in range(1, count):
        logit, token, place = x[i], ids[i], i
        while place > 0 and x[place - 1] < logit:
            x[place], ids[place] = x[place - 1], ids[place - 1]
            place -= 1
        x[place], ids[place] = logit, token


@inner
def keep_best(logits: Any, maxima: Any, most: int, x: Any, ids: Any) -> int:
    """The ``most`` best in order; a block whose best is not better than the last is not read."""
    count = 0
    for block in range(maxima.size):
        if count == most and maxima[block] <= x[count - 1]:
            continue
        for i in range(block * BLOCK, min(logits.size, block * BLOCK + BLOCK)):
            if count == most and logits[i] <= x[count - 1]:
                continue
            count = min(count + 1, most)
            place = count - 1
            while place > 0 and x[place - 1] < logits[i]:
                x[place], ids[place] = x[place - 1], ids[place - 1]
                place -= 1
            x[place], ids[place] = logits[i], i
    return count


@inner
def keep_above(logits: Any, maxima: Any, least: Any, x: Any, ids: Any) -> int:
    """Those of at least ``least``, in order of ids."""
    count = 0
    for block in range(maxima.size):
        if maxima[block] >= least:
            for i in range(block * BLOCK, min(logits.size, block * BLOCK + BLOCK)):
                if logits[i] >= least:
                    x[count], ids[count] = logits[i], i
                    count += 1
    return count


@inner
def keep_from(x: Any, ids: Any, count: int, least: Any) -> int:
    """Those of the first ``count`` of at least ``least``, in place."""
    kept = 0
    for i in range(count):
        if x[i] >= least:
            x[kept], ids[kept] = x[i], ids[i]
            kept += 1
    return kept
