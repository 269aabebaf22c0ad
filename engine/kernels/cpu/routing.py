"""Which experts a token takes, and which tokens an expert gets: float32, as the layers define it.

The router is never quantized and never sees quantized activations: two experts may be worth nearly
the same, and a rounded score would choose the other one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray

from engine.kernels.cpu.arithmetic import exponential, share
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.matrices import step_at
from engine.kernels.cpu.pointers import as_pointer, bits_to_float, floats, inner, numbers
from engine.kernels.cpu.tables import MIXTURE, PRIVATE_ROWS, ROUTE

SMALLEST_SUM = np.float32(1e-20)
"""Added to the sum of the chosen weights before dividing by it."""


@inner
def logistic(x: Any) -> Any:
    """``1 / (1 + exp(-x))``."""
    return np.float32(1) / (np.float32(1) + exponential(-x))


@inner
def dot_product(a: Any, b: Any) -> Any:
    """The sum of products of two float32 arrays."""
    total = np.float32(0)
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@operation
def route_logits(arguments: int, state: int, thread: int, threads: int) -> None:
    """The router's logits for this thread's share of (row, expert) pairs."""
    a = carray(as_pointer(arguments), (1,), ROUTE)[0]
    step = step_at(state)
    x = a.x + thread * a.private if step.rows <= PRIVATE_ROWS else a.x
    every = a.experts + (1 if a.shared_gate else 0)
    first, end = share(step.rows * every, thread, threads)
    logits = floats(a.logits, step.rows * every)
    for number in range(first, end):
        row, expert = number // every, number % every
        w = a.router + expert * a.columns * 4
        if expert == a.experts:
            w = a.shared_gate
        value = dot_product(floats(x + row * a.x_step, a.columns), floats(w, a.columns))
        if a.bias and expert < a.experts:
            value += floats(a.bias, a.experts)[expert]
        logits[number] = value


@inner
def to_scores(logits: Any, scores: Any, sigmoid: int) -> None:
    """Softmax or sigmoid of one row."""
    if sigmoid:
        for i in range(scores.size):
            scores[i] = logistic(logits[i])
        return
    most = logits[0]
    for i in range(scores.size):
        most = max(most, logits[i])
    total = np.float32(0)
    for i in range(scores.size):
        scores[i] = exponential(logits[i] - most)
        total += scores[i]
    for i in range(scores.size):
        scores[i] /= total


@inner
def best_left(worth: Any, taken: Any) -> int:
    """Index of the largest that is not taken, the first of equals; it is taken then."""
    best = -1
    for i in range(worth.size):
        if taken[i] == np.float32(0) and (best < 0 or worth[i] > worth[best]):
            best = i
    taken[best] = np.float32(1)
    return best


@inner
def within_groups(a: Any, candidates: Any, taken: Any, worth: Any) -> None:
    """Take all experts outside the best groups out of the choice (DeepSeek-V2, section 2.1.2)."""
    size = a.experts // a.groups
    for group in range(a.groups):
        total = np.float32(0)
        for i in range(size):
            taken[i] = np.float32(0)
        for _ in range(a.group_members):
            total += candidates[group * size + best_left(
                candidates[group * size : (group + 1) * size], taken[:size]
            )]  # fmt: skip
        worth[group] = total
    for i in range(a.experts):
        taken[i] = np.float32(1)
    chosen = worth[a.groups : 2 * a.groups]
    for group in range(a.groups):
        chosen[group] = np.float32(0)
    for _ in range(a.groups_chosen):
        group = best_left(worth[: a.groups], chosen)
        for i in range(size):
            taken[group * size + i] = np.float32(0)


@operation
def choose_experts(arguments: int, state: int, thread: int, threads: int) -> None:
    """Experts and weights for this thread's share of the rows."""
    a = carray(as_pointer(arguments), (1,), ROUTE)[0]
    step = step_at(state)
    every = a.experts + (1 if a.shared_gate else 0)
    along = a.chosen + a.shared
    work = a.work + thread * 5 * a.experts * 4
    scores = floats(work, a.experts)
    candidates = floats(work + a.experts * 4, a.experts)
    taken = floats(work + 2 * a.experts * 4, a.experts)
    worth = floats(work + 3 * a.experts * 4, 2 * a.experts)
    first, end = share(step.rows, thread, threads)
    for row in range(first, end):
        logits = floats(a.logits + row * every * 4, every)
        picks = numbers(a.picks + row * along * 8, along)
        weights = floats(a.weights + row * along * 4, along)
        to_scores(logits, scores, a.sigmoid)
        for i in range(a.experts):
            candidates[i] = scores[i]
            taken[i] = np.float32(0)
        if a.correction:
            added = floats(a.correction, a.experts)
            for i in range(a.experts):
                candidates[i] += added[i]
        if a.groups > 1:
            within_groups(a, candidates, taken, worth)
        total = np.float32(0)
        for slot in range(a.chosen):
            picks[slot] = best_left(candidates, taken)
            weights[slot] = scores[picks[slot]]
            total += weights[slot]
        factor = bits_to_float(np.int32(a.scale_bits))
        if a.normalise:
            factor /= total + SMALLEST_SUM
        for slot in range(a.chosen):
            weights[slot] *= factor
        if a.shared:
            picks[a.chosen] = a.experts
            weights[a.chosen] = np.float32(1)
            if a.shared_gate:
                weights[a.chosen] = logistic(logits[a.experts])


@operation
def sort_by_expert(arguments: int, state: int, thread: int, threads: int) -> None:
    """Count the rows of each expert and lay them side by side, in the rows' order; clear y."""
    a = carray(as_pointer(arguments), (1,), MIXTURE)[0]
    step = step_at(state)
    if a.clear:
        begin, end = share(step.rows, thread, threads)
        for row in range(begin, end):
            y = floats(a.y + row * a.y_step, a.outputs)
            for k in range(a.outputs):
                y[k] = np.float32(0)
    if thread:
        return
    pairs = step.rows * a.taken
    picks, weights = numbers(a.picks, pairs), floats(a.weights, pairs)
    first, order = numbers(a.first, a.count + 2), numbers(a.order, pairs)
    along = floats(a.sorted, pairs)
    for expert in range(a.count + 2):
        first[expert] = 0
    for pair in range(pairs):
        first[picks[pair] + 2] += 1
    for expert in range(1, a.count + 1):
        first[expert + 1] += first[expert]
    for pair in range(pairs):
        place = first[picks[pair] + 1]
        first[picks[pair] + 1] = place + 1
        order[place] = pair // a.taken
        along[place] = weights[pair]
