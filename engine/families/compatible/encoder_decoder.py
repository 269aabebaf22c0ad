"""Encoder-decoders in transformers' code: T5, BART and their kin.

The prompt goes to the encoder, the reply is what the decoder says. Our interface knows one row of
ids for each sequence; where the prompt ends is seen from what is asked for: tokens whose logits
nobody wants are prompt, and the first wanted row is its last. From then on each new id is the
decoder's, as long as every one of them is asked about. Anything else begins a new prompt, which is
all that was said so far: a second turn reads the whole conversation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.contract.faults import Notice
from engine.families.compatible.causal import cropped, span_by_span, state_name
from engine.families.compatible.pasts import Ids, Past, Pasts
from engine.kernels.batch import Batch, Span
from engine.kernels.interface import CachePool, CacheShape


@dataclass(slots=True)
class Replying:
    """An encoded prompt and the decoder's cache over it.

    Attributes:
        encoded: the encoder's output.
        cache: the decoder's, or None before its first token.
        replied: tokens of the reply that the decoder has seen.
    """

    encoded: Any
    cache: Any = None
    replied: int = 0


class EncoderDecoderModel:
    """One of transformers' sequence-to-sequence models behind our ``Model`` interface.

    Args:
        module: the model, in evaluation mode.
        context_length: tokens of prompt and reply together.
        notices: that it runs in compatibility mode, and why.
    """

    def __init__(self, module: Any, context_length: int, notices: tuple[Notice, ...]) -> None:
        self._module = module
        self._device: torch.device = module.device
        self._state_name = state_name(module)
        self._opening = opening_ids(module)
        self._positions = getattr(module.config, "max_position_embeddings", None)
        self._pasts = Pasts(_cropped)
        self.vocabulary = int(module.get_output_embeddings().weight.shape[0])
        self.context_length = context_length
        self.cache_layers: tuple[CacheShape, ...] = ()
        self.weight_bytes = sum(x.nbytes for x in module.parameters())
        self.notices = notices

    @torch.inference_mode()
    def forward(self, batch: Batch, cache: CachePool) -> Tensor:
        """Run one step; see ``Model``."""
        return span_by_span(batch, self._span)

    def _span(self, span: Span, ids: Ids, rows: list[int]) -> Tensor:
        """Logits of one sequence's wanted rows: float32 [wanted, vocabulary]."""
        if not rows:
            return torch.empty(0, self.vocabulary, device=self._device)
        end = span.start + span.tokens
        past = self._pasts.take(ids[: span.start])
        replies = past.state is not None and past.length == span.start
        if not (replies and len(rows) == span.tokens):
            first = span.start + rows[0] + 1
            past = Past(ids[:first], Replying(self._encode(ids[:first])))
            logits = [self._decode(past, self._opening)[-1:]]
        else:
            logits = []
        if past.length < end:
            logits.append(self._decode(past, ids[past.length :]))
            past.state.replied += end - past.length
            past.ids = ids
        self._pasts.put(past)
        return torch.cat(logits)

    def _encode(self, prompt: Ids) -> Any:
        """The encoder's output for a prompt, which ends with the end-of-text id.

        A prompt that takes all positions that were learned has no room for that id.
        """
        end = self._module.config.eos_token_id
        closing = end[0] if isinstance(end, list) else end
        ids = prompt.tolist()
        is_full = self._positions is not None and len(ids) >= self._positions
        if closing is not None and ids[-1] != closing and not is_full:
            ids = [*ids, closing]
        encoder = self._module.get_encoder()
        return encoder(input_ids=torch.tensor([ids], device=self._device))

    def _decode(self, past: Past, ids: Ids) -> Tensor:
        """Feed ids to the decoder: float32 [ids, vocabulary]."""
        new = torch.from_numpy(np.asarray(ids, np.int64).copy()).unsqueeze(0).to(self._device)
        state = past.state
        out = self._module(
            encoder_outputs=state.encoded,
            decoder_input_ids=new,
            use_cache=True,
            **{self._state_name: state.cache},
        )
        state.cache = out[self._state_name]
        logits: Tensor = out.logits[0].float()
        return logits


def opening_ids(module: Any) -> Ids:
    """What the decoder is given before its first own token: its start, and a forced first token."""
    settings = module.generation_config
    start = settings.decoder_start_token_id
    if start is None:
        start = module.config.decoder_start_token_id
    start = start[0] if isinstance(start, list) else start
    forced = settings.forced_bos_token_id
    ids = [start] if forced is None else [start, forced]
    return np.asarray(ids, dtype=np.int64)


def _cropped(state: Replying, tokens: int) -> Replying | None:
    """A reply can be taken back, its prompt cannot: the encoder saw it whole."""
    if tokens > state.replied:
        return None
    cache = cropped(state.cache, tokens)
    return None if cache is None else Replying(state.encoded, cache, state.replied - tokens)
