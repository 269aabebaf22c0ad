"""GGUF metadata of small vocabularies, as a converter would write it."""

from __future__ import annotations

import json
from typing import Any

import tokenizers

from engine.text.scored_vocabulary import TokenType


def byte_level_metadata(backend: tokenizers.Tokenizer, pre: str, **keys: Any) -> dict[str, Any]:
    """The metadata of a byte-level BPE: added tokens are control or user-defined."""
    model = json.loads(backend.to_str())["model"]
    added = backend.get_added_tokens_decoder()
    texts = [backend.id_to_token(id) for id in range(backend.get_vocab_size())]
    kinds = {True: TokenType.CONTROL, False: TokenType.USER_DEFINED}
    types = [
        int(kinds[added[id].special]) if id in added else int(TokenType.NORMAL)
        for id in range(len(texts))
    ]
    return {
        "general.architecture": "llama",
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": pre,
        "tokenizer.ggml.tokens": texts,
        "tokenizer.ggml.token_type": types,
        "tokenizer.ggml.merges": [" ".join(merge) for merge in model["merges"]],
        **{f"tokenizer.ggml.{key}": value for key, value in keys.items()},
    }


def scored_metadata(
    model: str, texts: list[str], scores: list[float], types: list[int], **keys: Any
) -> dict[str, Any]:
    """The metadata of a vocabulary with scores."""
    return {
        "general.architecture": "llama",
        "tokenizer.ggml.model": model,
        "tokenizer.ggml.tokens": texts,
        "tokenizer.ggml.scores": scores,
        "tokenizer.ggml.token_type": types,
        **{f"tokenizer.ggml.{key}": value for key, value in keys.items()},
    }
