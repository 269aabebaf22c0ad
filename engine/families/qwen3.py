"""Qwen 3 (arXiv 2505.09388): Llama's shape with normalised query and key heads, no biases."""

from __future__ import annotations

from engine.families.config import Config
from engine.families.gguf import LAYER_NAMES, GgufLayout
from engine.families.parts import Parts
from engine.families.qwen2 import upper_windows
from engine.families.sizes import Sizes
from engine.families.weights_in import WeightsIn
from engine.layers.block import Block
from engine.layers.decoder import Decoder

GGUF = GgufLayout(names=LAYER_NAMES)
DEFAULTS = {"head_dim": 128}


def build(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build the model; ``context`` is the longest sequence that will be run."""
    config = config.with_defaults(DEFAULTS)
    parts = Parts(config, weights, Sizes.of(config))
    rotary, activation = parts.rotary(context), parts.activation()
    bias = config.flag("attention_bias", False)
    windows = upper_windows(config, parts.sizes.layers)

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
        return parts.pre_norm(at, attention, parts.gated(f"{at}.mlp", activation))

    return parts.decoder(block)
