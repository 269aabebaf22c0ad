"""Traces of tokens that no model drew: plausible, the same every time, and true to the contract."""

from __future__ import annotations

import math
import zlib

from engine.contract import (
    Candidate,
    PromptToken,
    SamplerStep,
    Sampling,
    StepTrace,
    TokenChoice,
    TokenTrace,
)

VOCABULARY = 49_152
_OTHERS = (" something", " perhaps", " 也许", "\n", " the")
_PROMPT = (
    ("<|im_start|>", True), ("user", False), ("\n", False), ("When", False), (" do", False),
    (" my", False), (" savings", False), (" double", False), ("?", False), ("<|im_end|>", True),
    ("\n", False),
)  # fmt: skip


def prompt_tokens(count: int) -> tuple[PromptToken, ...]:
    """A prompt of so many tokens."""
    pieces = (_PROMPT[place % len(_PROMPT)] for place in range(count))
    return tuple(
        PromptToken(place, text.encode(), is_control)
        for place, (text, is_control) in enumerate(pieces)
    )


def traced(text: str, number: int) -> TokenChoice:
    """The trace of one piece of a scripted reply, the ``number``-th; its id is 99 + number."""
    sure = 0.05 + 0.95 * (zlib.crc32(text.encode()) % 1000) / 1000
    rest = (1 - sure) * 0.9
    shares = [sure, *(rest * 0.55**place for place in range(1, len(_OTHERS) + 1))]
    texts = [text, *_OTHERS]
    ids = [99 + number, *range(1, len(_OTHERS) + 1)]
    kept = [share if place < 3 else 0.0 for place, share in enumerate(shares)]
    after = [share / sum(kept) for share in kept]
    candidates = tuple(
        Candidate(id, piece.encode(), 20 + math.log(share))
        for id, piece, share in zip(ids, texts, shares, strict=True)
    )
    steps = (
        StepTrace(SamplerStep.SCORES, 0.0, VOCABULARY, tuple(shares)),
        StepTrace(SamplerStep.TOP_K, 40.0, 40, tuple(shares)),
        StepTrace(SamplerStep.TOP_P, 0.95, 3, tuple(after)),
        StepTrace(SamplerStep.TEMPERATURE, 0.8, 3, tuple(after)),
    )
    logprob = math.log(sure)
    trace = TokenTrace(candidates, steps, min(after[0], 0.31))
    return TokenChoice(ids[0], text, logprob, (), trace)


def weighed(sampling: Sampling | None) -> TokenChoice:
    """A next word of always the same scores, by the temperature and the top-k of a sampling."""
    texts, scores = (" sound", " smell", " quiet", " chance", " excuse"), (5.0, 4.6, 4.0, 3.7, 3.3)
    wanted = sampling or Sampling()
    candidates = tuple(
        Candidate(9 + place, text.encode(), score)
        for place, (text, score) in enumerate(zip(texts, scores, strict=True))
    )
    left = wanted.top_k or len(texts)
    shares = [math.exp(score / (wanted.temperature or 1.0)) for score in scores[:left]]
    after = tuple(share / sum(shares) for share in shares) + (0.0,) * (len(texts) - len(shares))
    steps = (
        StepTrace(SamplerStep.SCORES, 0.0, VOCABULARY, _shares(scores)),
        StepTrace(SamplerStep.TOP_K, float(wanted.top_k), left, after),
    )
    return TokenChoice(9, texts[0], -0.7, (), TokenTrace(candidates, steps, 0.3))


def _shares(scores: tuple[float, ...]) -> tuple[float, ...]:
    whole = sum(map(math.exp, scores))
    return tuple(math.exp(score) / whole for score in scores)
