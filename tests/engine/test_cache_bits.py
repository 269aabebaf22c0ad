"""An 8-bit KV cache changes what a model says by a measured little (case E26)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.contract import Load, LoadSettings, NoticeKind
from engine.generation.pages import PageTable
from engine.generation.scheduler import Sequence, Share, Step
from engine.library.identify import identify
from engine.loading import load_model
from engine.runner import ModelRunner

TEXT = (
    "The harbour lay still in the morning, and the first boats came back with the tide. "
    "An old man mended his nets on the stones, counting the knots under his breath, while "
    "gulls argued over what the night had left behind. Nobody hurried. The bell of the church "
    "struck seven, then the baker opened his shutters, and the smell of bread went down the lane."
)


def log_probabilities(path: Path, bits: int) -> NDArray[np.float64]:
    """Of every next token of the text, float64 [tokens, vocabulary]."""
    loading = load_model(Load(1, path, LoadSettings(context=256, cache_bits=bits)), identify(path))
    try:
        while True:
            next(loading)
    except StopIteration as end:
        loaded = end.value
    assert NoticeKind.CACHE_INEXACT not in [notice.kind for notice in loaded.notices]
    ids = loaded.text.raw(TEXT)
    runner = ModelRunner(loaded.model, loaded.cache, loaded.kernels.device)
    tables = [PageTable(list(range(count))) for count in loaded.cache.pages]
    sequence = Sequence(ids, len(ids), tables=tables)
    half = len(ids) // 2  # the second half reads the first one out of the cache
    steps = [
        Share(sequence, ids[:half], 0, half),
        Share(sequence, ids[half:], half, len(ids) - half),
    ]
    rows = np.concatenate([runner.run(Step((share,), ())) for share in steps]).astype(np.float64)
    loaded.close()
    rows -= rows.max(axis=1, keepdims=True)
    result: NDArray[np.float64] = rows - np.log(np.exp(rows).sum(axis=1, keepdims=True))
    return result


def divergence(path: Path) -> float:
    """Mean KL divergence of the 8-bit cache from the 16-bit one, in nats a token."""
    whole, short = log_probabilities(path, 16), log_probabilities(path, 8)
    return float((np.exp(whole) * (whole - short)).sum(axis=1).mean())


def test_E26_llama_with_an_8_bit_cache(starter_model: Path) -> None:
    assert 0 < divergence(starter_model) < 0.01  # measured: 0.0049


def test_E26_gemma_with_an_8_bit_cache(gemma_model: Path) -> None:
    assert 0 < divergence(gemma_model) < 0.01  # measured: 0.0062
