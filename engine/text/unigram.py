"""Unigram vocabularies for the ``tokenizers`` library, with the control pieces out of reach.

A Unigram model finds the best path through all its pieces, control pieces included: typed text
``</s>`` would become the end of the text. Their strings are therefore replaced by private-use
characters that no text is searched for; ids stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Container, Sequence

import tokenizers
from tokenizers import models

_PLANE = 0x100000  # private use plane 16; normalizers leave it alone


def unigram_model(
    pieces: Sequence[tuple[str, float]],
    control: Container[int],
    unknown: int | None,
    *,
    byte_fallback: bool,
) -> models.Unigram:
    """A Unigram model that can only produce pieces outside ``control``."""
    reachable = [
        (f"\\U{chr(_PLANE + id % 0xFFF0)}{id}", score) if id in control else (text, score)
        for id, (text, score) in enumerate(pieces)
    ]
    return models.Unigram(reachable, unk_id=unknown, byte_fallback=byte_fallback)


def hide_control(backend: tokenizers.Tokenizer, control: Container[int]) -> tokenizers.Tokenizer:
    """A tokenizer like ``backend`` whose Unigram model cannot produce control pieces."""
    spec = json.loads(backend.model.__getstate__())
    changed = tokenizers.Tokenizer(
        unigram_model(
            [(text, score) for text, score in spec["vocab"]],
            control,
            spec.get("unk_id"),
            byte_fallback=bool(spec.get("byte_fallback")),
        )
    )
    if backend.normalizer is not None:
        changed.normalizer = backend.normalizer
    if backend.pre_tokenizer is not None:
        changed.pre_tokenizer = backend.pre_tokenizer
    added = backend.get_added_tokens_decoder()
    changed.add_tokens([token for id, token in added.items() if id not in control])
    return changed
