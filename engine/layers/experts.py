"""Mixture of experts: a router chooses a few feed-forwards for each token, and only they run.

Tokens are sorted by expert, so that each chosen expert sees all its tokens at once, as one matrix:
the work grows with the experts that are active, not with those that exist. Kernels that can take
all experts of a layer at once (``kernels.plan.ExpertMixer``) do; elsewhere they run one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.kernels.interface import Kernels
from engine.kernels.plan import ExpertMixer, MixturePlan, RoutingPlan
from engine.layers.feed_forward import FeedForward, UnknownPart, feed_forward_plan


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

    def plan(self) -> RoutingPlan:
        """The same figures for the kernels."""
        return RoutingPlan(
            chosen=self.chosen,
            sigmoid=self.scoring is Scoring.SIGMOID,
            normalise=self.normalise,
            scale=self.scale,
            groups=self.groups,
            groups_chosen=self.groups_chosen,
            group_members=self.group_members,
        )


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


class Experts:
    """The chosen experts' outputs by their weights, and the shared expert's.

    Args:
        kernels: what may take all experts at once.
        router: chooses.
        experts: all of them.
        shared: sees every token; None in most families.
        shared_gate: float32 [1, hidden]: its sigmoid weighs the shared expert, or None.

    Attributes:
        plan: the same for the kernels; None where an expert has no description.
    """

    def __init__(
        self,
        kernels: Kernels,
        router: Router,
        experts: tuple[FeedForward, ...],
        shared: FeedForward | None = None,
        shared_gate: Tensor | None = None,
    ) -> None:
        self.router = router
        self.experts = experts
        self.shared = shared
        self.shared_gate = shared_gate
        self.plan = self._plan()
        self._mixer = kernels if isinstance(kernels, ExpertMixer) else None

    def __call__(self, x: Tensor) -> Tensor:
        """[tokens, hidden] -> float32 [tokens, hidden]."""
        picks, weights = self.taken(x)
        if self._mixer is not None and self.plan is not None and len(x):
            mixed = self._mixer.mix(x, self.plan, picks, weights)
            if mixed is not None:
                return mixed
        return self.one_by_one(x, picks, weights)

    def one_by_one(self, x: Tensor, picks: Tensor, weights: Tensor) -> Tensor:
        """Each expert's rows as one matrix: what ``ExpertMixer.mix`` must equal."""
        every = self.experts if self.shared is None else (*self.experts, self.shared)
        flat = picks.flatten()
        order = flat.argsort(stable=True)
        tokens = order // picks.shape[1]
        sizes = flat.bincount(minlength=len(every)).tolist()
        out = torch.zeros(x.shape, dtype=torch.float32, device=x.device)
        first = 0
        for expert, size in zip(every, sizes, strict=True):
            if size:
                rows = slice(first, first + size)
                y = expert(x[tokens[rows]]).float()
                weight = weights.flatten()[order[rows]].unsqueeze(1)
                out.index_add_(0, tokens[rows], y * weight)
                first += size
        return out

    def taken(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The chosen experts and, as the last one, the shared expert, with their weights."""
        picks, weights = self.router(x)
        if self.shared is None:
            return picks, weights
        if self.shared_gate is None:
            share = torch.ones(len(x), 1, device=weights.device)
        else:
            share = torch.sigmoid(F.linear(x.float(), self.shared_gate))
        last = torch.full((len(x), 1), len(self.experts), device=picks.device)
        return torch.cat((picks, last), dim=1), torch.cat((weights, share), dim=1)

    def _plan(self) -> MixturePlan | None:
        try:
            return MixturePlan(
                router=self.router.weight,
                bias=self.router.bias,
                correction=self.router.correction,
                routing=self.router.routing.plan(),
                experts=tuple(feed_forward_plan(expert) for expert in self.experts),
                shared=None if self.shared is None else feed_forward_plan(self.shared),
                shared_gate=self.shared_gate,
            )
        except UnknownPart:
            return None


def _within_groups(scores: Tensor, rule: Routing) -> Tensor:
    """Scores of experts outside the best groups set to minus infinity."""
    grouped = scores.unflatten(-1, (rule.groups, -1))  # type: ignore[no-untyped-call]
    worth = grouped.topk(rule.group_members, dim=-1).values.sum(-1)
    best = worth.topk(rule.groups_chosen, dim=-1).indices
    outside = torch.ones_like(worth, dtype=torch.bool).scatter_(-1, best, value=False)
    masked: Tensor = grouped.masked_fill(outside.unsqueeze(-1), -torch.inf).flatten(-2)
    return masked
