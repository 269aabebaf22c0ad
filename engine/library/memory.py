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


# Peak resident size less weights and cache, measured on two cores (Linux, Python 3.11): 357 MiB
# with SmolLM2-135M (49,152 tokens), 536 MiB with Gemma-3-270M (262,144). The difference is the
# vocabulary's: its strings and tables, rows of logits, and the embedding while it is laid out.
_LIBRARIES = 330 << 20  # torch, numba, transformers and the interpreter
_PER_TOKEN = 850  # bytes for each entry of the vocabulary


def memory_needed(facts: ModelFacts, context: int, cache_bits: int = 16) -> MemoryNeed:
    """Weights, KV cache for ``context`` tokens, and what running takes besides.

    cache = 2 x layers x KV heads x head size x bytes x context (LOOK.md); 8-bit values carry a
    float16 scale for each 32 of them. The cache is counted for layers kept in full: one that
    releases what is behind its window needs less.
    """
    share = 1.0 if cache_bits == 16 else (cache_bits + 0.5) / 16
    cache = round(facts.cache_bytes_per_token * context * share)
    workspace = _LIBRARIES + facts.vocabulary * _PER_TOKEN
    return MemoryNeed(facts.weight_bytes or facts.size_bytes, cache, workspace)
