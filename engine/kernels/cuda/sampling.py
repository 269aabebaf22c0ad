"""Drawing tokens on the device: the sampler's plain steps, for all rows of a batch at once.

The same definitions as ``engine.generation`` in the same order, and the same uniform number draws
the same token: top-k, top-p, min-p, temperature, or the temperature first. Everything is tensors,
so a recording serves every setting.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from engine.kernels.drawing import DrawRule

NUMBERS = 7
"""Rows of the tensor of rules."""


def rule_numbers(rules: Sequence[DrawRule], uniforms: Sequence[float]) -> list[list[float]]:
    """What ``draw`` reads: NUMBERS lists with one number a sequence; steps that are off are far."""
    return [
        [max(rule.temperature, 0.0) for rule in rules],
        [rule.top_k if rule.top_k > 0 else math.inf for rule in rules],
        [rule.top_p if rule.top_p < 1 else math.inf for rule in rules],
        [math.log(rule.min_p) if rule.min_p > 0 else -math.inf for rule in rules],
        [float(rule.temperature_first) for rule in rules],
        [rule.size for rule in rules],
        list(uniforms),
    ]


def draw(logits: Tensor, numbers: Tensor) -> Tensor:
    """A token for each row.

    Args:
        logits: float32 [rows, vocabulary].
        numbers: float64 [NUMBERS, rows], see ``rule_numbers``.

    Returns:
        int64 [rows]; -1 where the logits are no numbers.
    """
    temperature, top_k, top_p, min_p, heat_first, size, uniform = numbers.unsqueeze(-1).unbind(0)
    place = torch.arange(logits.shape[1], device=logits.device)
    known = logits.masked_fill(place >= size, -torch.inf)
    best = known.argmax(-1)
    is_greedy = temperature == 0
    factor = torch.where(is_greedy, 1.0, 1 / temperature).float()
    is_hot = heat_first != 0
    scores, ids = torch.where(is_hot, known * factor, known).sort(
        stable=True, dim=-1, descending=True
    )
    scores = scores.masked_fill(place >= top_k, -torch.inf)
    scores = _within_share(scores, top_p, place)
    least = scores[:, :1] + min_p.float()
    scores = scores.masked_fill(scores < least, -torch.inf)
    scores = torch.where(is_hot, scores, scores * factor)
    weights = (scores - scores[:, :1]).exp().double()
    sums = weights.cumsum(-1)
    reached = sums < uniform * sums[:, -1:]
    last = (weights > 0).sum(-1) - 1
    drawn = ids.gather(1, torch.minimum(reached.sum(-1), last).clamp_min(0).unsqueeze(1)).squeeze(1)
    token = torch.where(is_greedy.squeeze(1), best, drawn)
    return torch.where(known.amax(-1).isfinite(), token, -1)


def _within_share(scores: Tensor, share: Tensor, place: Tensor) -> Tensor:
    """The fewest best whose probabilities add up to ``share``; at least one."""
    weights = (scores - scores[:, :1]).exp().double()
    sums = weights.cumsum(-1)
    before = sums - weights
    outside = (before >= share * sums[:, -1:]) & (place > 0)
    return scores.masked_fill(outside, -torch.inf)
