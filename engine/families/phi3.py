"""Phi-3, Phi-3.5, Phi-4 (arXiv 2404.14219, 2412.08905): Llama's shape, its projections fused.

One projection holds the rows of queries, keys and values, one those of gate and up. Longer variants
stretch their positions by LongRoPE, Phi-4-mini turns three quarters of each head.
"""

from __future__ import annotations

from engine.families.config import Config
from engine.families.gguf import LAYER_NAMES, GgufLayout
from engine.families.parts import Parts
from engine.families.sizes import Sizes
from engine.families.weights_in import WeightsIn
from engine.families.windows import windows_of
from engine.layers.block import Block
from engine.layers.decoder import Decoder

GGUF = GgufLayout({**LAYER_NAMES, "attn_qkv": "self_attn.qkv_proj", "ffn_up": "mlp.gate_up_proj"})
DEFAULTS = {"original_max_position_embeddings": 4096, "max_position_embeddings": 4096}


def build(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build the model; ``context`` is the longest sequence that will be run."""
    config = config.with_defaults(DEFAULTS)
    parts = Parts(config, weights, Sizes.of(config))
    rotary, activation = parts.rotary(context), parts.activation()
    windows = windows_of(config, parts.sizes.layers, lambda layer: True)

    def block(layer: int) -> Block:
        at = f"model.layers.{layer}"
        attention = parts.attention(
            f"{at}.self_attn", layer, rotary, fused="qkv_proj", window=windows[layer]
        )
        feed_forward = parts.gated(f"{at}.mlp", activation, fused="gate_up_proj")
        return parts.pre_norm(at, attention, feed_forward)

    return parts.decoder(block)
