"""How like its source a smaller copy speaks: both read the same text, token by token."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.library.copy_facts import LOWEST_DRIFT

_STEPS = 18  # of the divergence's logarithm


@dataclass(frozen=True, slots=True)
class Likeness:
    """What was found over a text.

    Attributes:
        tokens: that were predicted.
        divergence: mean KL divergence from the source to the copy, in nats a token.
        half_below, most_below: the median of it, and what 99 of 100 tokens stay below.
        same_top: share of the tokens for which both find the same one the likeliest.
        perplexity, source_perplexity: of the copy and of the source.
        drift: tokens by their divergence, in equal steps of its logarithm from 1e-5 to 1; what lies
            outside counts with the first and the last.
    """

    tokens: int
    divergence: float
    half_below: float
    most_below: float
    same_top: float
    perplexity: float
    source_perplexity: float
    drift: tuple[int, ...] = ()


class Comparison:
    """Gathers ``Likeness``, some tokens at a time."""

    def __init__(self) -> None:
        self._divergences: list[Tensor] = []
        self._ours = self._theirs = 0.0
        self._same = 0

    def add(self, theirs: Tensor, ours: Tensor, targets: Tensor) -> None:
        """Add what source and copy say: logits [tokens, vocabulary] that predict ``targets``."""
        exact, found = theirs.float().log_softmax(-1), ours.float().log_softmax(-1)
        each = F.kl_div(found, exact, reduction="none", log_target=True).sum(-1)
        self._divergences.append(each.clamp(min=0))
        self._ours += float(F.nll_loss(found, targets, reduction="sum"))
        self._theirs += float(F.nll_loss(exact, targets, reduction="sum"))
        self._same += int((found.argmax(-1) == exact.argmax(-1)).sum())

    def likeness(self) -> Likeness:
        """Of all tokens that were added; there must be some."""
        each = torch.cat(self._divergences)
        tokens = len(each)
        loss = torch.tensor([self._ours, self._theirs], dtype=torch.float64) / tokens
        ours, theirs = loss.exp().tolist()
        return Likeness(
            tokens,
            float(each.mean()),
            float(each.quantile(0.5)),
            float(each.quantile(0.99)),
            self._same / tokens,
            ours,
            theirs,
            _steps(each),
        )


def _steps(divergences: Tensor) -> tuple[int, ...]:
    share = 1 - divergences.clamp(10.0**LOWEST_DRIFT, 1).log10() / LOWEST_DRIFT
    step = (share * _STEPS).long().clamp(max=_STEPS - 1)
    return tuple(step.bincount(minlength=_STEPS).tolist())
