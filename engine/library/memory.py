"""How much memory a model needs, before anything is loaded."""

from __future__ import annotations

from dataclasses import dataclass

from engine.contract import ModelFacts
from engine.library.held import SAFETENSORS, held_size


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


# Peak resident size less weights and cache (tests/bench/fit.py; Linux, Python 3.11). What grows
# with the vocabulary are its strings and tables, rows of logits, and the embedding while it is
# laid out; that of a folder is read by the tokenizers library, which keeps tables of its own.
_LIBRARIES = 388 << 20  # torch, numba, transformers and the interpreter
_PER_TOKEN, _PER_HUB_TOKEN = 210, 570  # bytes for each entry of the vocabulary

_SPARE_TOKENS = 4096  # beyond a full context: a second conversation does not push the first out
_STEP = 512  # tokens that the longest step adds before anything is given back
_ENDED_TURNS = 4096  # tokens around the ends of earlier turns, to go on from there


def window_tokens(window: int) -> int:
    """Tokens that the cache has room for in layers that look back ``window`` tokens.

    A running conversation's window and its step, and at least one window of an ended turn.
    """
    return window + _STEP + max(window, _ENDED_TURNS)


def memory_needed(facts: ModelFacts, context: int, cache_bits: int = 16) -> MemoryNeed:
    """Weights, KV cache for ``context`` tokens, and what running takes besides.

    cache = 2 x layers x KV heads x head size x bytes x context (LOOK.md); 8-bit values carry a
    float16 scale for each 32 of them. Layers with a sliding window stop growing at
    ``window_tokens``.
    """
    whole, sliding = _bytes_per_token(facts, cache_bits)
    cache = round(whole * context + sliding * min(context, window_tokens(facts.window)))
    workspace = _workspace(facts.vocabulary, facts.format)
    return MemoryNeed(facts.weight_bytes or facts.size_bytes, cache, workspace)


def _workspace(vocabulary: int, form: str) -> int:
    each = _PER_HUB_TOKEN if form == SAFETENSORS else _PER_TOKEN
    return _LIBRARIES + vocabulary * each


def spare_tokens(context: int, affordable: int) -> int:
    """Tokens that the cache holds beyond a context, where so many can be afforded in all."""
    return min(context, _SPARE_TOKENS, max(affordable - context, 0))


def memory_taken(facts: ModelFacts, context: int, free: int, cache_bits: int = 16) -> MemoryNeed:
    """What a load takes where so many bytes are free: the need, and the spare cache as it fits.

    The whole cache counts, for it fills up: at once where the system gives memory in pieces of
    2 MiB, of which each layer's keys and values begin one, else with the conversations.
    """
    return memory_needed(facts, context + spare_of(facts, context, free, cache_bits), cache_bits)


def spare_of(facts: ModelFacts, context: int, free: int, cache_bits: int = 16) -> int:
    """Tokens of spare cache that a load takes where so many bytes are free."""
    least = memory_needed(facts, context, cache_bits)
    affordable = cache_tokens(facts, free - least.weights - least.workspace, cache_bits)
    return spare_tokens(context, affordable)


def memory_of_shape(
    size: int, label: str, cache_bytes_per_token: int, context: int, vocabulary: int
) -> MemoryNeed:
    """What a model will take whose files are not here yet; every layer keeps the whole context.

    Args:
        size: bytes of its files.
        label: of its quantization, see ``held_size``.
        cache_bytes_per_token: over all layers.
        context: tokens.
        vocabulary: tokens.
    """
    workspace = _workspace(vocabulary, label)
    return MemoryNeed(held_size(size, label), cache_bytes_per_token * context, workspace)


def cache_tokens(facts: ModelFacts, size: int, cache_bits: int = 16) -> int:
    """The longest context whose KV cache takes at most ``size`` bytes."""
    whole, sliding = _bytes_per_token(facts, cache_bits)
    room = window_tokens(facts.window)
    if size <= (whole + sliding) * room:
        return int(size / max(whole + sliding, 1.0))
    return int((size - sliding * room) / max(whole, 1.0))


def _bytes_per_token(facts: ModelFacts, cache_bits: int) -> tuple[float, float]:
    """Of the layers that keep everything, and of those with a window."""
    share = 1.0 if cache_bits == 16 else (cache_bits + 0.5) / 16
    sliding = facts.window_bytes_per_token
    return (facts.cache_bytes_per_token - sliding) * share, sliding * share
