"""Mixture of experts: a router chooses a few feed-forwards for each token, and only they run.

Tokens are sorted by expert, so that each chosen expert sees all its tokens at once, as one matrix:
the work grows with the experts that are active, not with those that exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.layers.feed_forward import FeedForward


class Scoring(StrEnum):
    """How a router's logits become scores."""

    SOFTMAX = "softmax"
    SIGMOID = "sigmoid"


@dataclass(frozen=True, slots=True)
class Routing:
    """How many experts a token takes, and which.

    Attributes:
        chosen: experts a token.
        scoring: of the router's logits.
        normalise: the weights of the chosen add up to one.
        scale: factor on the weights.
        groups: experts stand in so many groups of equal size, of which only ``groups_chosen`` take
            part (DeepSeek-V2, section 2.1.2).
        groups_chosen: groups a token.
        group_members: a group is worth the sum of so many of its best scores.
    """

    chosen: int
    scoring: Scoring = Scoring.SOFTMAX
    normalise: bool = True
    scale: float = 1.0
    groups: int = 1
    groups_chosen: int = 1
    group_members: int = 1


@dataclass(frozen=True, slots=True)
class Router:
    """Chooses experts, in float32.

    Attributes:
        weight: float32 [experts, hidden].
        bias: float32 [experts], on the logits, or None.
        correction: float32 [experts], on the scores while choosing, not on the weights
            (DeepSeek-V3, section 2.1.2), or None.
        routing: the rule.
    """

    weight: Tensor
    bias: Tensor | None
    correction: Tensor | None
    routing: Routing

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Experts of each token, int64 [tokens, chosen], and their weights, float32."""
        logits = F.linear(x.float(), self.weight, self.bias)
        rule = self.routing
        scores = logits.softmax(-1) if rule.scoring is Scoring.SOFTMAX else logits.sigmoid()
        candidates = scores if self.correction is None else scores + self.correction
        if rule.groups > 1:
            candidates = _within_groups(candidates, rule)
        experts = candidates.topk(rule.chosen, dim=-1).indices
        weights = scores.gather(-1, experts)
        if rule.normalise:
            weights = weights / (weights.sum(-1, keepdim=True) + 1e-20)
        return experts, weights * rule.scale


@dataclass(frozen=True, slots=True)
class Experts:
    """The chosen experts' outputs by their weights, and the shared expert's.

    Attributes:
        router: chooses.
        experts: all of them.
        shared: sees every token; None in most families.
        shared_gate: float32 [1, hidden]: its sigmoid weighs the shared expert, or None.
    """

    router: Router
    experts: tuple[FeedForward, ...]
    shared: FeedForward | None = None
    shared_gate: Tensor | None = None

    def __call__(self, x: Tensor) -> Tensor:
        """[tokens, hidden] -> float32 [tokens, hidden]."""
        chosen, weights = self.router(x)
        flat = chosen.flatten()
        order = flat.argsort(stable=True)
        tokens = order // chosen.shape[1]
        sizes = flat.bincount(minlength=len(self.experts)).tolist()
        out = torch.zeros(x.shape, dtype=torch.float32, device=x.device)
        first = 0
        for expert, size in zip(self.experts, sizes, strict=True):
            if size:
                rows = slice(first, first + size)
                y = expert(x[tokens[rows]]).float()
                weight = weights.flatten()[order[rows]].unsqueeze(1)
                out.index_add_(0, tokens[rows], y * weight)
                first += size
        return out if self.shared is None else out + self._shared(x, self.shared)

    def _shared(self, x: Tensor, shared: FeedForward) -> Tensor:
        y = shared(x).float()
        if self.shared_gate is None:
            return y
        return torch.sigmoid(F.linear(x.float(), self.shared_gate)) * y


def _within_groups(scores: Tensor, rule: Routing) -> Tensor:
    """Scores of experts outside the best groups set to minus infinity."""
    grouped = scores.unflatten(-1, (rule.groups, -1))  # type: ignore[no-untyped-call]
    worth = grouped.topk(rule.group_members, dim=-1).values.sum(-1)
    best = worth.topk(rule.groups_chosen, dim=-1).indices
    outside = torch.ones_like(worth, dtype=torch.bool).scatter_(-1, best, value=False)
    masked: Tensor = grouped.masked_fill(outside.unsqueeze(-1), -torch.inf).flatten(-2)
    return masked
