"""How a byte-level vocabulary cuts text before its merges apply: one row per GGUF ``pre`` name.

The patterns are the published definitions of the tokenizers themselves (their ``tokenizer.json``),
under the names that llama.cpp gives them in ``tokenizer.ggml.pre``. Several patterns are applied
one after the other, each to the pieces that the one before left.
"""

from __future__ import annotations

_CONTRACTIONS = r"'s|'t|'re|'ve|'m|'ll|'d"
_SPACES = r"\s+(?!\S)|\s+"
_LINES = r"\s*[\r\n]+"

GPT2 = rf"{_CONTRACTIONS}| ?\p{{L}}+| ?\p{{N}}+| ?[^\s\p{{L}}\p{{N}}]+|\s+(?!\S)|\s+"


def _words(digits: str, letters: str = r"\p{L}", tail: str = "") -> str:
    """The family of splits that began with GPT-4's: words, ``digits``, signs, lines, spaces."""
    return (
        rf"(?i:{_CONTRACTIONS})|[^\r\n\p{{L}}\p{{N}}]?{letters}+|{digits}"
        rf"| ?[^\s{letters.strip('[]')}\p{{N}}]+[\r\n{tail}]*|{_LINES}|{_SPACES}"
    )


LLAMA3 = _words(r"\p{N}{1,3}")
QWEN2 = _words(r"\p{N}")

_SPLITS: dict[str, tuple[str, ...]] = {
    "gpt-2": (GPT2,),
    "smollm": (r"\p{N}", GPT2),
    "llama-bpe": (LLAMA3,),
    "qwen2": (QWEN2,),
}


def split_patterns(pre: str) -> tuple[str, ...]:
    """The patterns of a ``pre`` name, GPT-2's for one that is not known."""
    return _SPLITS.get(pre, (GPT2,))
