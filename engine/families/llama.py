"""Llama (arXiv 2302.13971, 2407.21783) and its shape: Mistral, Yi, SmolLM, Vicuna, Falcon 3.

Pre-norm blocks of grouped-query attention and a SiLU-gated feed-forward, rotary positions on whole
heads. Mistral adds a sliding window to all layers.
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

# llama.cpp turns the pairs of this family interleaved and stores the rows so (E7)
GGUF = GgufLayout(names=LAYER_NAMES, interleaved=("self_attn.q_proj", "self_attn.k_proj"))


def build(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build the model; ``context`` is the longest sequence that will be run."""
    parts = Parts(config, weights, Sizes.of(config))
    rotary, activation = parts.rotary(context), parts.activation()
    bias, mlp_bias = config.flag("attention_bias", False), config.flag("mlp_bias", False)
    windows = windows_of(config, parts.sizes.layers, lambda layer: True)

    def block(layer: int) -> Block:
        at = f"model.layers.{layer}"
        window = windows[layer]
        attention = parts.attention(
            f"{at}.self_attn", layer, rotary, bias=bias, out_bias=bias, window=window
        )
        return parts.pre_norm(at, attention, parts.gated(f"{at}.mlp", activation, bias=mlp_bias))

    return parts.decoder(block)
