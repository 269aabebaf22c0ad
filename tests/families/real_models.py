"""Real models beside transformers on the same file, dequantized: text and probabilities.

A passage is fed in slices to both, so that no more than a slice's logits are held at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.families.registry import Model, build
from engine.kernels.interface import Kernels
from engine.quantizing import TEXTS
from engine.storage.open import open_checkpoint
from engine.text.model_text import ModelText, open_text
from tests.families.parity import PAGE, Sequences

PASSAGES = ("held_out_en.txt", "held_out_zh.txt")
"""A story in English and in Chinese, 1,500 and 1,000 (Gemma) or 2,400 (SmolLM2) tokens."""
PROMPT = "The lighthouse keeper wrote in his book every evening. That night he wrote:"
SLICE = 128


@dataclass(frozen=True, slots=True)
class Likeness:
    """How like transformers' a model's probabilities are, over all tokens of a text.

    Attributes:
        tokens: that were predicted.
        ours, theirs: mean negative log-likelihood, in nats.
        divergence: mean Kullback–Leibler divergence from theirs to ours, in nats.
        same_top: share of the tokens for which both find the same one the likeliest.
    """

    tokens: int
    ours: float
    theirs: float
    divergence: float
    same_top: float

    @property
    def perplexity_change(self) -> float:
        """Of ours over theirs, less one."""
        return float(torch.tensor(self.ours - self.theirs, dtype=torch.float64).expm1())


@dataclass(frozen=True, slots=True)
class Continuation:
    """A greedy continuation beside transformers'.

    Attributes:
        same: tokens up to the first that differs; all of them where none does.
        gap: between transformers' two best logits where the first differs; None where none does.
    """

    same: int
    gap: float | None


def passage(text: ModelText, name: str) -> list[int]:
    """A bundled text's ids, BOS first where the model wants one."""
    return text.raw((TEXTS / name).read_text("utf-8"))


def text_of(path: Path) -> ModelText:
    """A model's text side alone."""
    checkpoint = open_checkpoint(path)
    try:
        return open_text(path, checkpoint.metadata)
    finally:
        checkpoint.close()


def transformers_model(path: Path) -> Any:
    """transformers' model of a GGUF file, dequantized to float32."""
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, dtype=torch.float32
    ).eval()


def our_model(path: Path, kernels: Kernels) -> Model:
    """Our model of the file."""
    return build(open_checkpoint(path), kernels, lambda done, total: None)


class _Sums:
    """What ``Likeness`` is the mean of."""

    def __init__(self) -> None:
        self.ours = self.divergence = 0.0
        self.same = 0

    def add(self, logits: Tensor, want: Tensor, targets: Tensor) -> None:
        """Logits [tokens, vocabulary] that predict ``targets``; ``want`` are log-probabilities."""
        mine = F.log_softmax(logits[: len(targets)], dim=-1)
        self.ours += float(F.nll_loss(mine, targets, reduction="sum"))
        self.divergence += float(F.kl_div(mine, want, reduction="sum", log_target=True))
        self.same += int((mine.argmax(-1) == want.argmax(-1)).sum())


@torch.inference_mode()
def likeness(
    oracle: Any, models: Sequence[tuple[Model, Kernels]], texts: Sequence[Sequence[int]]
) -> list[Likeness]:
    """Of each model, over the texts one after the other, each from its own beginning."""
    from transformers import DynamicCache

    sums = [_Sums() for _ in models]
    theirs, tokens = 0.0, 0
    for ids in texts:
        room = (len(ids) // PAGE + 2) * PAGE
        runs = [Sequences(model, room=room, kernels=kernels) for model, kernels in models]
        past = DynamicCache(config=oracle.config)
        for at in range(0, len(ids), SLICE):
            some = list(ids[at : at + SLICE])
            found = oracle(torch.tensor([some]), cache=past, use_cache=True)
            targets = torch.tensor(list(ids[at + 1 : at + 1 + SLICE]))
            want = F.log_softmax(found.logits[0].float()[: len(targets)], dim=-1)
            theirs += float(F.nll_loss(want, targets, reduction="sum"))
            tokens += len(targets)
            for run, total in zip(runs, sums, strict=True):
                total.add(run.step(("a", some))[0], want, targets)
    return [
        Likeness(tokens, s.ours / tokens, theirs / tokens, s.divergence / tokens, s.same / tokens)
        for s in sums
    ]


@torch.inference_mode()
def continuation(
    oracle: Any, model: Model, kernels: Kernels, prompt: Sequence[int], count: int
) -> Continuation:
    """Our greedy continuation of a prompt, each token beside what transformers says there."""
    run = Sequences(model, room=1024, kernels=kernels)
    logits = run.feed("a", list(prompt), wanted=1)
    reply: list[int] = []
    while len(reply) < count:
        reply.append(int(logits[-1].argmax()))
        logits = run.feed("a", reply[-1:], wanted=1)
    found = oracle(torch.tensor([[*prompt, *reply]])).logits[0].float()
    want = found[len(prompt) - 1 : -1]
    differ = (want.argmax(-1) != torch.tensor(reply)).nonzero().flatten()
    if not len(differ):
        return Continuation(count, None)
    best = want[differ[0]].topk(2).values
    return Continuation(int(differ[0]), float(best[0] - best[1]))
