"""gpt-oss (arXiv 2508.10925): experts with biases and a clamped gate, attention sinks.

Each head gives part of its attention to nothing, by a learned score; every other layer slides over
128 tokens. Gate and up rows alternate in the checkpoint and are put one after the other here.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from engine.families.config import Config
from engine.families.gguf import LAYER_NAMES, GgufLayout
from engine.families.mixture import (
    GATED,
    GGUF_EXPERT_KEYS,
    GGUF_EXPERTS,
    ExpertSizes,
    routing_of,
)
from engine.families.parts import Parts
from engine.families.sizes import Sizes
from engine.families.weights_in import Rows, WeightsIn
from engine.families.windows import windows_of
from engine.kernels.interface import Packed
from engine.layers.block import Block
from engine.layers.decoder import Decoder
from engine.layers.experts import Experts, Router
from engine.layers.feed_forward import ClampedFeedForward
from engine.layers.linear import Linear


def _untruncated(config: Config) -> dict[str, Any]:
    """YaRN's bounds are not rounded to whole pairs, which no metadata key says."""
    scaling = config.section("rope_scaling")
    return {} if scaling is None else {"rope_scaling": {**scaling.values(), "truncate": False}}


GGUF = GgufLayout(
    {
        **LAYER_NAMES,
        **GGUF_EXPERTS,
        "ffn_gate_inp": "mlp.router",
        "post_attention_norm": "post_attention_layernorm",
        "attn_sinks": "self_attn.sinks",
    },
    keys={**GGUF_EXPERT_KEYS, "expert_feed_forward_length": "intermediate_size"},
    more=_untruncated,
)
DEFAULTS = {"head_dim": 64, "sliding_window": 128, "rms_norm_eps": 1e-5, "rope_theta": 150000.0}


def build(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build the model; ``context`` is the longest sequence that will be run."""
    config = config.with_defaults(DEFAULTS)
    parts = Parts(config, weights, Sizes.of(config))
    rotary = parts.rotary(context)
    bias = config.flag("attention_bias", True)
    windows = windows_of(config, parts.sizes.layers, lambda layer: layer % 2 == 0)

    def block(layer: int) -> Block:
        at = f"model.layers.{layer}"
        attention = parts.attention(
            f"{at}.self_attn",
            layer,
            rotary,
            bias=bias,
            out_bias=bias,
            window=windows[layer],
            sinks=weights.tensor(_first_of(weights, f"{at}.self_attn.sinks"), parts.sizes.heads),
        )
        return parts.pre_norm(at, attention, _experts(parts, f"{at}.mlp"))

    return parts.decoder(block)


def _first_of(weights: WeightsIn, name: str) -> str:
    """llama.cpp adds ``.weight`` to every tensor's name."""
    return f"{name}.weight" if weights.has(f"{name}.weight") else name


def _experts(parts: Parts, at: str) -> Experts:
    weights, config, hidden = parts.weights, parts.config, parts.sizes.hidden
    count = config.count("num_local_experts" if "num_local_experts" in config else "num_experts")
    sizes = ExpertSizes(count, parts.sizes.intermediate)
    router = Router(
        weight=weights.tensor(f"{at}.router.weight", count, hidden),
        bias=weights.tensor(f"{at}.router.bias", count),
        correction=None,
        routing=routing_of(parts, count, normalise=True),
    )
    split = weights.has(f"{at}.experts.gate_proj.weight")
    read = _from_three_stacks if split else _from_two_stacks
    ups, up_bias, downs, down_bias = read(parts, f"{at}.experts", sizes)
    alpha, limit = config.number("swiglu_alpha", 1.702), config.number("swiglu_limit", 7.0)
    experts = tuple(
        ClampedFeedForward(
            gate_up=Linear(weights.kernels, ups[i], up_bias[i]),
            down=Linear(weights.kernels, downs[i], down_bias[i]),
            alpha=alpha,
            limit=limit,
        )
        for i in range(count)
    )
    return Experts(weights.kernels, router, experts)


Stacks = tuple[list[tuple[Packed, ...]], Tensor, list[tuple[Packed, ...]], Tensor]


def _from_two_stacks(parts: Parts, at: str, sizes: ExpertSizes) -> Stacks:
    """Hugging Face's layout: gate and up rows alternate, plain matrices lie transposed."""
    weights, hidden, wide = parts.weights, parts.sizes.hidden, sizes.intermediate
    turns = torch.cat((torch.arange(0, 2 * wide, 2), torch.arange(1, 2 * wide, 2)))
    gate_up, down = f"{at}.gate_up_proj", f"{at}.down_proj"
    # what MXFP4 blocks are read into is not transposed
    transposed = weights.shape_of(gate_up) == (sizes.count, hidden, 2 * wide)
    ups = weights.stacked([Rows(gate_up, 2 * wide, turns)], sizes.count, hidden, transposed)
    downs = weights.stacked([Rows(down, hidden)], sizes.count, wide, transposed)
    bias = weights.tensor(f"{gate_up}_bias", sizes.count, 2 * wide)
    ordered = bias[:, turns.to(bias.device)]
    return ups, ordered, downs, weights.tensor(f"{down}_bias", sizes.count, hidden)


def _from_three_stacks(parts: Parts, at: str, sizes: ExpertSizes) -> Stacks:
    """llama.cpp's layout: gate, up and down alone, each [experts, rows, columns]."""
    weights, hidden, wide = parts.weights, parts.sizes.hidden, sizes.intermediate
    gate, up, down = (f"{at}.{name}" for name in GATED)
    both = [Rows(f"{gate}.weight", wide), Rows(f"{up}.weight", wide)]
    ups = weights.stacked(both, sizes.count, hidden)
    downs = weights.stacked([Rows(f"{down}.weight", hidden)], sizes.count, wide)
    biases = [weights.tensor(f"{name}.bias", sizes.count, wide) for name in (gate, up)]
    down_bias = weights.tensor(f"{down}.bias", sizes.count, hidden)
    return ups, torch.cat(biases, dim=1), downs, down_bias
