"""Qwen 1.5 / 2 MoE (A2.7B, 57B-A14B) and Qwen 3 MoE (30B-A3B, 235B-A22B; arXiv 2505.09388).

Many small experts in place of the feed-forward. Qwen 2 adds a shared expert that every token takes,
weighed by a gate of its own; Qwen 3 drops it, and the biases, and normalises heads.
"""

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
from engine.layers.feed_forward import FeedForward

SHARED = {
    "ffn_gate_inp_shexp": "mlp.shared_expert_gate",
    "ffn_gate_shexp": "mlp.shared_expert.gate_proj",
    "ffn_up_shexp": "mlp.shared_expert.up_proj",
    "ffn_down_shexp": "mlp.shared_expert.down_proj",
}
QWEN2_GGUF = GgufLayout({**LAYER_NAMES, **GGUF_EXPERTS, **SHARED}, keys=GGUF_EXPERT_KEYS)
# llama.cpp's code always makes Qwen 3's weights add up to one
QWEN3_GGUF = GgufLayout(
    {**LAYER_NAMES, **GGUF_EXPERTS},
    keys=GGUF_EXPERT_KEYS,
    more=lambda config: {"norm_topk_prob": True},
)


def build_qwen2(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build Qwen 2 MoE; ``context`` is the longest sequence that will be run."""
    parts = Parts(config, weights, Sizes.of(config))
    rotary, windows = parts.rotary(context), _windows(parts)
    bias = config.flag("qkv_bias", True)

    def block(layer: int) -> Block:
        at = f"model.layers.{layer}"
        window = windows[layer]
        attention = parts.attention(f"{at}.self_attn", layer, rotary, bias=bias, window=window)
        return parts.pre_norm(at, attention, _feed_forward(parts, at, layer, has_shared=True))

    return parts.decoder(block)


def build_qwen3(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build Qwen 3 MoE; ``context`` is the longest sequence that will be run."""
    parts = Parts(config, weights, Sizes.of(config))
    rotary, windows = parts.rotary(context), _windows(parts)
    bias = config.flag("attention_bias", False)

    def block(layer: int) -> Block:
        at = f"model.layers.{layer}"
        attention = parts.attention(
            f"{at}.self_attn",
            layer,
            rotary,
            bias=bias,
            out_bias=bias,
            window=windows[layer],
            norms=parts.head_norms(f"{at}.self_attn"),
        )
        return parts.pre_norm(at, attention, _feed_forward(parts, at, layer, has_shared=False))

    return parts.decoder(block)


def _windows(parts: Parts) -> list[int | None]:
    layers = parts.sizes.layers
    if not parts.config.flag("use_sliding_window", False):
        return [None] * layers
    return windows_of(parts.config, layers, lambda layer: True)


def _feed_forward(parts: Parts, at: str, layer: int, has_shared: bool) -> FeedForward:
    """Experts in most layers; some may be plain (``mlp_only_layers``, ``decoder_sparse_step``)."""
    config = parts.config
    plain = config.numbers("mlp_only_layers") if "mlp_only_layers" in config else []
    if layer in plain or (layer + 1) % config.count("decoder_sparse_step", 1):
        return parts.gated(f"{at}.mlp", parts.activation())
    count = config.count("num_experts" if "num_experts" in config else "num_local_experts")
    sizes = ExpertSizes(count, config.count("moe_intermediate_size"))
    routing = routing_of(parts, count, config.flag("norm_topk_prob", False))
    if not has_shared:
        return mixture(parts, f"{at}.mlp", sizes, routing)
    wide = config.count("shared_expert_intermediate_size")
    return mixture(
        parts,
        f"{at}.mlp",
        sizes,
        routing,
        shared=parts.gated(f"{at}.mlp.shared_expert", parts.activation(), intermediate=wide),
        shared_gate=f"{at}.mlp.shared_expert_gate.weight",
    )
