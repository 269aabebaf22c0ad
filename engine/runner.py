"""One step on a model: the scheduler's shares become a ``Batch``, the batch becomes logits."""

from __future__ import annotations

from itertools import chain

import numpy as np
import torch
from numpy.typing import NDArray

from engine.device import out_of_memory_named
from engine.families.model import Model
from engine.generation.scheduler import Share, Step
from engine.kernels.batch import Batch, Span
from engine.kernels.interface import CachePool


class ModelRunner:
    """A model with its cache.

    Args:
        model: computes.
        cache: its pages.
        device: where the batch's tensors go.
    """

    def __init__(self, model: Model, cache: CachePool, device: torch.device) -> None:
        self._model = model
        self._cache = cache
        self._device = device

    def run(self, step: Step) -> NDArray[np.float32]:
        """Copy the step's pages, then compute its tokens.

        Returns:
            float32 [wanted of all shares, vocabulary], in the order of the shares.

        Raises:
            EngineError: OUT_OF_MEMORY.
        """
        for copy in step.copies:
            self._cache.copy_page(copy.source, copy.target, copy.group)
        if not step.shares:
            return np.empty((0, self._model.vocabulary), dtype=np.float32)
        with out_of_memory_named(self._device), torch.inference_mode():
            logits = self._model.forward(self._batch(step.shares), self._cache)
        rows: NDArray[np.float32] = logits.cpu().numpy()
        return rows

    def _batch(self, shares: tuple[Share, ...]) -> Batch:
        spans: list[Span] = []
        wanted: list[int] = []
        first = 0
        for share in shares:
            tokens = len(share.ids)
            pages, *windows = (table.pages for table in share.sequence.tables)
            ids_before = share.sequence.ids
            spans.append(Span(first, tokens, share.start, pages, ids_before, tuple(windows)))
            first += tokens
            wanted.extend(range(first - share.wanted, first))
        positions = chain.from_iterable(
            range(share.start, share.start + len(share.ids)) for share in shares
        )
        ids = chain.from_iterable(share.ids for share in shares)
        return Batch(
            ids=self._tensor(list(ids)),
            positions=self._tensor(list(positions)),
            spans=tuple(spans),
            logit_rows=self._tensor(wanted),
        )

    def _tensor(self, values: list[int]) -> torch.Tensor:
        return torch.tensor(values, dtype=torch.int64, device=self._device)
