"""How much memory a model needs, before anything is loaded."""

from __future__ import annotations

from dataclasses import dataclass

from engine.contract import ModelFacts


@dataclass(frozen=True, slots=True)
class MemoryNeed:
    """Bytes that a model takes while it answers."""

    weights: int
    cache: int
    workspace: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.weights + self.cache + self.workspace


# torch, the tokenizer and the interpreter themselves
_LIBRARIES = 400 << 20
# float32 values a vocabulary entry: logits, their sorted copy, probabilities
_COPIES_OF_LOGITS = 4


def memory_needed(facts: ModelFacts, context: int, cache_bits: int = 16) -> MemoryNeed:
    """Weights, KV cache for ``context`` tokens, and what running takes besides.

    cache = 2 x layers x KV heads x head size x bytes x context (LOOK.md); 8-bit values carry a
    float16 scale for each 32 of them. The cache is counted for layers kept in full: one that
    releases what is behind its window needs less.
    """
    share = 1.0 if cache_bits == 16 else (cache_bits + 0.5) / 16
    cache = round(facts.cache_bytes_per_token * context * share)
    workspace = _LIBRARIES + facts.vocabulary * 4 * _COPIES_OF_LOGITS
    return MemoryNeed(facts.weight_bytes or facts.size_bytes, cache, workspace)
