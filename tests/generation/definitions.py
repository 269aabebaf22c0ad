"""The sampling steps by their definitions, in float64, as slowly as they are written down.

Each takes a list of logits (``-inf`` is gone) and gives one back.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence

INF = float("inf")


def softmax(logits: Sequence[float]) -> list[float]:
    top = max(logits)
    weights = [math.exp(x - top) for x in logits]
    return [w / sum(weights) for w in weights]


def by_rank(logits: Sequence[float]) -> list[int]:
    """Ids, best first; equals by id."""
    return sorted(range(len(logits)), key=lambda i: (-logits[i], i))


def only(kept: Collection[int], logits: Sequence[float]) -> list[float]:
    return [x if i in kept else -INF for i, x in enumerate(logits)]


def top_k(logits: Sequence[float], k: int) -> list[float]:
    return only(set(by_rank(logits)[:k]) if 0 < k < len(logits) else range(len(logits)), logits)


def top_p(logits: Sequence[float], p: float) -> list[float]:
    probabilities, kept, total = softmax(logits), [], 0.0
    for i in by_rank(logits):
        kept.append(i)
        total += probabilities[i]
        if total >= p:
            break
    return only(set(kept), logits)


def min_p(logits: Sequence[float], m: float) -> list[float]:
    p = softmax(logits)
    return only({i for i in range(len(p)) if p[i] >= m * max(p)}, logits)


def typical_p(logits: Sequence[float], share: float) -> list[float]:
    p = softmax(logits)
    entropy = -sum(x * math.log(x) for x in p if x > 0)
    alive = [i for i in range(len(p)) if p[i] > 0]
    kept, total = [], 0.0
    for i in sorted(alive, key=lambda i: (abs(-math.log(p[i]) - entropy), i)):
        kept.append(i)
        total += p[i]
        if total > share:
            break
    return only(set(kept), logits)


def top_n_sigma(logits: Sequence[float], n: float) -> list[float]:
    finite = [x for x in logits if math.isfinite(x)]
    mean = sum(finite) / len(finite)
    deviation = math.sqrt(sum((x - mean) ** 2 for x in finite) / len(finite))
    return only({i for i, x in enumerate(logits) if x >= max(logits) - n * deviation}, logits)


def xtc(logits: Sequence[float], threshold: float) -> list[float]:
    p = softmax(logits)
    above = [i for i in by_rank(logits) if p[i] >= threshold]
    dropped = set(above[:-1]) if len(above) >= 2 else set()
    return only({i for i in range(len(p)) if i not in dropped}, logits)


def repetition(logits: Sequence[float], penalty: float, window: Sequence[int]) -> list[float]:
    seen = set(window)
    return [
        x if i not in seen else (x / penalty if x > 0 else x * penalty)
        for i, x in enumerate(logits)
    ]


def frequency_and_presence(
    logits: Sequence[float], frequency: float, presence: float, generated: Sequence[int]
) -> list[float]:
    counts = Counter(generated)
    return [x - counts[i] * frequency - (counts[i] > 0) * presence for i, x in enumerate(logits)]


def dry(
    logits: Sequence[float],
    multiplier: float,
    base: float,
    allowed: int,
    breakers: Collection[int],
    ids: Sequence[int],
) -> list[float]:
    """For every token: the longest ending of ids that stood before it somewhere, cut at 50."""
    changed = list(logits)
    for token in range(len(logits)):
        longest = 0
        for place in range(1, len(ids)):
            if ids[place] != token or token in breakers:
                continue
            n = 0
            while (
                n < 50
                and place - 1 - n >= 0
                and ids[place - 1 - n] == ids[len(ids) - 1 - n]
                and ids[place - 1 - n] not in breakers
            ):
                n += 1
            longest = max(longest, n)
        if longest >= allowed:
            changed[token] -= multiplier * base ** (longest - allowed)
    return changed
