"""Experts from a checkpoint, in the ways that they are stored.

Hugging Face's files hold each expert's matrices alone (``experts.3.gate_proj.weight``), llama.cpp's
one stack for each of the three (``experts.gate_proj.weight``, [experts, rows, columns]).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.families.parts import Parts
from engine.families.weights_in import Rows
from engine.layers.experts import Experts, Router, Routing
from engine.layers.feed_forward import Activation, FeedForward, GatedFeedForward
from engine.layers.linear import Linear

GATED = ("gate_proj", "up_proj", "down_proj")
# llama.cpp's names of a layer's experts -> ours
GGUF_EXPERTS = {
    "ffn_gate_inp": "mlp.gate",
    "ffn_gate_exps": "mlp.experts.gate_proj",
    "ffn_up_exps": "mlp.experts.up_proj",
    "ffn_down_exps": "mlp.experts.down_proj",
}
GGUF_EXPERT_KEYS = {
    "expert_count": "num_experts",
    "expert_used_count": "num_experts_per_tok",
    "expert_feed_forward_length": "moe_intermediate_size",
    "expert_shared_feed_forward_length": "shared_expert_intermediate_size",
}


@dataclass(frozen=True, slots=True)
class ExpertSizes:
    """How many experts, and how wide each is."""

    count: int
    intermediate: int


def mixture(
    parts: Parts,
    at: str,
    sizes: ExpertSizes,
    routing: Routing,
    *,
    names: tuple[str, str, str] = GATED,
    shared: FeedForward | None = None,
    shared_gate: str | None = None,
    correction: str | None = None,
) -> Experts:
    """A mixture of gated experts under ``at``, its router at ``gate``.

    Args:
        parts: of the model.
        at: prefix of the names, without the last dot.
        sizes: of the experts.
        routing: how a token chooses.
        names: of each expert's gate, up and down.
        shared: the expert that every token takes.
        shared_gate: full name of the weights on it.
        correction: full name of the choice's correction.
    """
    weights, hidden = parts.weights, parts.sizes.hidden
    router = Router(
        weight=weights.tensor(f"{at}.gate.weight", sizes.count, hidden),
        bias=None,
        correction=None if correction is None else weights.tensor(correction, sizes.count),
        routing=routing,
    )
    gate = None
    if shared_gate is not None:
        flat = len(weights.shape_of(shared_gate)) == 1  # llama.cpp drops dimensions of one
        gate = weights.tensor(shared_gate, *((hidden,) if flat else (1, hidden))).view(1, hidden)
    experts = _experts(parts, f"{at}.experts", sizes, names)
    return Experts(weights.kernels, router, experts, shared, gate)


def routing_of(parts: Parts, count: int, normalise: bool) -> Routing:
    """The plain rule: the best experts by softmax, no more than there are."""
    chosen = parts.config.count("num_experts_per_tok")
    if chosen > count:
        raise parts.config.invalid(f"num_experts_per_tok: {chosen} of {count}")
    return Routing(chosen, normalise=normalise)


def _experts(
    parts: Parts, at: str, sizes: ExpertSizes, names: Sequence[str]
) -> tuple[FeedForward, ...]:
    activation = parts.activation()
    if parts.weights.has(f"{at}.gate_proj.weight"):
        return _stacked(parts, at, sizes, activation)
    gate, up, down = names
    return tuple(
        parts.gated(
            f"{at}.{expert}",
            activation,
            intermediate=sizes.intermediate,
            names=(gate, up, down),
        )
        for expert in range(sizes.count)
    )


def _stacked(
    parts: Parts, at: str, sizes: ExpertSizes, activation: Activation
) -> tuple[FeedForward, ...]:
    weights, kernels = parts.weights, parts.weights.kernels
    hidden, wide = parts.sizes.hidden, sizes.intermediate
    gate_up = [Rows(f"{at}.{name}.weight", wide) for name in GATED[:2]]
    ups = weights.stacked(gate_up, sizes.count, hidden)
    downs = weights.stacked([Rows(f"{at}.down_proj.weight", hidden)], sizes.count, wide)
    return tuple(
        GatedFeedForward(Linear(kernels, up), Linear(kernels, down), activation)
        for up, down in zip(ups, downs, strict=True)
    )
