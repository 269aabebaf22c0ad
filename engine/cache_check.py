"""Whether a model bears an 8-bit KV cache: measured on itself, before anybody talks with it.

Most models lose nothing that could be noticed. Some have keys with a few enormous columns (trained
biases of Qwen2.5), and one scale for a token's whole head then leaves nothing of the others. No
table of names could tell which: the model reads a short text with either cache instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Protocol

import torch
from torch import Tensor

from engine.contract import Notice, NoticeKind
from engine.families.model import Model
from engine.generation.pages import PageTable
from engine.generation.scheduler import Sequence, Share, Step
from engine.kernels.interface import CachePool, CacheShape
from engine.runner import ModelRunner

TEXT = (
    "The harbour lay still in the morning, and the first boats came back with the tide. An old man "
    "mended his nets on the stones, counting the knots under his breath, while gulls argued over "
    "what the night had left behind. Nobody hurried."
)

MOST_DIVERGENCE = 0.05
"""Nats a token, about ten times what the models lose that bear it."""

_PAGE, _MOST_TOKENS, _COMPARED, _AT_ONCE = 32, 96, 24, 4


class Allocates(Protocol):
    """What makes a model's cache, on one device or several."""

    def make_cache(
        self, layers: tuple[CacheShape, ...], pages: int, page_size: int, bits: int
    ) -> CachePool:
        """See ``Kernels.make_cache``."""
        ...


def cache_divergence(
    model: Model, memory: Allocates, device: torch.device, ids: list[int]
) -> float:
    """The KL divergence of an 8-bit cache from the 16-bit one, in nats a token.

    Args:
        model: reads the ids once with each cache.
        memory: allocates the caches.
        device: where a step begins.
        ids: a text; the last tokens are compared.
    """
    ids = ids[:_MOST_TOKENS]
    compared = min(len(ids), _COMPARED)
    exact, rounded = (_logits(model, memory, device, ids, compared, bits) for bits in (16, 8))
    return sum(_divergence(*pair) for pair in zip(exact, rounded, strict=True)) / compared


def _logits(
    model: Model, memory: Allocates, device: torch.device, ids: list[int], wanted: int, bits: int
) -> Iterator[Tensor]:
    """[vocabulary] of each of the last tokens."""
    pages = list(range(math.ceil(len(ids) / _PAGE)))
    cache = memory.make_cache(model.cache_layers, len(pages), _PAGE, bits)
    runner = ModelRunner(model, cache, device)
    sequence = Sequence(ids, len(ids), tables=[PageTable(pages) for _ in cache.windows])
    ends = [*range(len(ids) - wanted, len(ids), _AT_ONCE), len(ids)]
    for first, end in pairwise([0, *ends]):
        rows = 0 if end == ends[0] else end - first
        if end > first:
            step = Step((Share(sequence, ids[first:end], first, rows),), ())
            yield from torch.from_numpy(runner.run(step))


def _divergence(exact: Tensor, rounded: Tensor) -> float:
    """Of one token: of all at once Gemma's 262,144 would take 300 MB, more than its weights."""
    exact, rounded = (logits.double().log_softmax(-1) for logits in (exact, rounded))
    return float((exact.exp() * (exact - rounded)).sum())


def cache_notices(
    model: Model, memory: Allocates, device: torch.device, ids: list[int]
) -> tuple[Notice, ...]:
    """CACHE_INEXACT for a model that an 8-bit cache would change; nothing for all others."""
    if not model.cache_layers:
        return ()  # it keeps no pages: transformers' own cache stays exact
    divergence = cache_divergence(model, memory, device, ids)
    if divergence <= MOST_DIVERGENCE:
        return ()
    return (Notice(NoticeKind.CACHE_INEXACT, {"divergence": round(divergence, 2)}),)
