"""Decoder-only models in transformers' code: GPT-2, BLOOM, Falcon, GPT-NeoX, Mamba, RWKV, …."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.contract.faults import Notice
from engine.families.compatible.pasts import Ids, Past, Pasts
from engine.kernels.batch import Batch, Span
from engine.kernels.interface import CachePool, CacheShape

# what transformers' models call the object that remembers, newest name first
STATE_NAMES = ("cache", "past_key_values", "cache_params", "state")


class CausalModel:
    """One of transformers' causal models behind our ``Model`` interface.

    Args:
        module: the model, in evaluation mode.
        context_length: tokens that it was made for.
        notices: that it runs in compatibility mode, and why.
    """

    def __init__(self, module: Any, context_length: int, notices: tuple[Notice, ...]) -> None:
        self._module = module
        self._device: torch.device = module.device
        parameters = inspect.signature(module.forward).parameters
        self._state_name = state_name(module)
        self._picks_rows = "logits_to_keep" in parameters
        self._is_recurrent = is_recurrent(module)
        self._pasts = Pasts(cropped)
        self.vocabulary = int(module.get_output_embeddings().weight.shape[0])
        self.context_length = context_length
        self.cache_layers: tuple[CacheShape, ...] = ()  # transformers keeps its own
        self.weight_bytes = sum(x.nbytes for x in module.parameters())
        self.notices = notices

    @torch.inference_mode()
    def forward(self, batch: Batch, cache: CachePool) -> Tensor:
        """Run one step; see ``Model``."""
        return span_by_span(batch, self._span)

    def _span(self, span: Span, ids: Ids, wanted: list[int]) -> Tensor:
        """Logits of one sequence's wanted rows: float32 [wanted, vocabulary]."""
        positions = [span.start + row for row in wanted]
        if self._is_recurrent:
            return self._recur(span, ids, positions)
        past = self._pasts.take(ids[: span.start])
        logits = self._feed(past, ids, positions)
        self._pasts.put(past)
        return logits

    def _recur(self, span: Span, ids: Ids, positions: list[int]) -> Tensor:
        """As ``_span``, for a state that cannot go back.

        transformers takes many tokens at once only into an empty state, so a prompt waits until
        its logits are wanted and is then fed whole. A copy of the state before its last token is
        kept: from there the same prompt is answered again.
        """
        if not positions:
            return torch.empty(0, self.vocabulary, device=self._device)
        past = self._pasts.take(ids[: span.start])
        if past.length and 4 * (len(ids) - past.length) > len(ids):
            self._pasts.put(past)  # most of it is new: from the beginning at once, it is sooner
            past = Past(ids[:0], None)
        logits = []
        if past.length == 0 and len(ids) > 1:
            most = ids[:-1]
            logits.append(self._feed(past, most, [at for at in positions if at < len(most)]))
            self._pasts.snapshot(past)
        for end in range(past.length + 1, len(ids) + 1):
            logits.append(self._feed(past, ids[:end], [at for at in positions if at == end - 1]))
        self._pasts.put(past)
        return torch.cat(logits)

    def _feed(
        self, past: Past, ids: np.ndarray[Any, np.dtype[np.int64]], rows: list[int]
    ) -> Tensor:
        """Bring ``past`` up to ``ids``; logits of ``rows``, which are positions in ``ids``."""
        new = torch.from_numpy(ids[past.length :].copy()).unsqueeze(0).to(self._device)
        local = [row - past.length for row in rows]
        options: dict[str, Any] = {self._state_name: past.state, "use_cache": True}
        if self._picks_rows:
            options["logits_to_keep"] = torch.tensor(local or [0], device=self._device)
        out = self._module(input_ids=new, **options)
        past.state, past.ids = out[self._state_name], ids
        logits: Tensor = out.logits[0].float()
        if not rows:
            return logits[:0]
        return logits if self._picks_rows else logits[local]


def is_recurrent(module: Any) -> bool:
    """Whether the model's state folds the past together, in any of its layers."""
    kinds = set(getattr(module.config, "layer_types", None) or ())
    folded = kinds - {"full_attention", "sliding_attention", "chunked_attention"}
    return bool(module._is_stateful or folded)


def state_name(module: Any) -> str:
    """What this model calls the object that remembers."""
    parameters = inspect.signature(module.forward).parameters
    return next(name for name in STATE_NAMES if name in parameters)


def span_by_span(batch: Batch, run: Callable[[Span, Ids, list[int]], Tensor]) -> Tensor:
    """The batch's logits from ``run``, in the order they are wanted.

    ``run`` takes a span, all ids of its sequence up to its end, and which of its rows are wanted.
    """
    wanted, new = batch.logit_rows.tolist(), batch.ids.cpu().numpy()
    logits: list[Tensor] = []
    order: list[int] = []
    for span in batch.spans:
        rows = [row for row in wanted if span.first <= row < span.first + span.tokens]
        known = np.asarray(span.ids[: span.start], dtype=np.int64)
        if len(known) < span.start:
            raise ValueError(f"a span at {span.start} with only {len(known)} ids before it")
        ids = np.concatenate((known, new[span.first : span.first + span.tokens]))
        logits.append(run(span, ids, [row - span.first for row in rows]))
        order += rows
    joined = torch.cat(logits)
    return joined if order == wanted else joined[[order.index(row) for row in wanted]]


def cropped(state: Any, tokens: int) -> Any | None:
    """A copy of transformers' cache without its last tokens; None where it cannot go back."""
    from transformers.cache_utils import Cache  # noqa: PLC0415 - seconds, and only where needed

    if not isinstance(state, Cache) or not state.is_croppable:
        return None
    shorter = copy.deepcopy(state)
    shorter.crop(-tokens)
    return shorter
