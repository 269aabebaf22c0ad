"""Mixtral (arXiv 2401.04088): Llama's shape, two of eight experts for each token."""

from __future__ import annotations

from engine.families.config import Config
from engine.families.gguf import LAYER_NAMES, GgufLayout
from engine.families.mixture import (
    GGUF_EXPERT_KEYS,
    GGUF_EXPERTS,
    ExpertSizes,
    mixture,
    routing_of,
)
from engine.families.parts import Parts
from engine.families.sizes import Sizes
from engine.families.weights_in import WeightsIn
from engine.families.windows import windows_of
from engine.layers.block import Block
from engine.layers.decoder import Decoder

GGUF = GgufLayout(
    {**LAYER_NAMES, **GGUF_EXPERTS},
    interleaved=("self_attn.q_proj", "self_attn.k_proj"),
    keys=GGUF_EXPERT_KEYS,
)
DEFAULTS = {"rope_theta": 1000000.0}


def build(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build the model; ``context`` is the longest sequence that will be run."""
    config = config.with_defaults(DEFAULTS)
    parts = Parts(config, weights, Sizes.of(config))
    rotary = parts.rotary(context)
    key = "num_local_experts" if "num_local_experts" in config else "num_experts"
    sizes = ExpertSizes(config.count(key), parts.sizes.intermediate)
    routing = routing_of(parts, sizes.count, normalise=True)
    windows = windows_of(config, parts.sizes.layers, lambda layer: True)

    def block(layer: int) -> Block:
        at = f"model.layers.{layer}"
        attention = parts.attention(f"{at}.self_attn", layer, rotary, window=windows[layer])
        hubs = f"{at}.block_sparse_moe"
        where = hubs if weights.has(f"{hubs}.gate.weight") else f"{at}.mlp"
        experts = mixture(parts, where, sizes, routing, names=("w1", "w3", "w2"))
        return parts.pre_norm(at, attention, experts)

    return parts.decoder(block)
