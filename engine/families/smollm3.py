"""SmolLM3 (Hugging Face): Llama's shape in which every fourth layer has no positions (NoPE)."""

from __future__ import annotations

from engine.families.config import Config
from engine.families.gguf import LAYER_NAMES, GgufLayout
from engine.families.parts import Parts
from engine.families.sizes import Sizes
from engine.families.weights_in import WeightsIn
from engine.families.windows import windows_of
from engine.layers.block import Block
from engine.layers.decoder import Decoder

GGUF = GgufLayout(LAYER_NAMES, interleaved=("self_attn.q_proj", "self_attn.k_proj"))
DEFAULTS = {"rope_theta": 2000000.0, "tie_word_embeddings": True}


def build(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build the model; ``context`` is the longest sequence that will be run."""
    config = config.with_defaults(DEFAULTS)
    parts = Parts(config, weights, Sizes.of(config))
    layers, activation = parts.sizes.layers, parts.activation()
    interval = config.count("no_rope_layer_interval", 4)
    turns = config.flags("no_rope_layers", layers)  # 1 where a layer has positions
    if turns is None:
        turns = [(layer + 1) % interval != 0 for layer in range(layers)]
    rotary = parts.rotary(context)
    windows: list[int | None] = [None] * layers
    if config.flag("use_sliding_window", False):
        windows = windows_of(config, layers, lambda layer: not turns[layer])
    bias, mlp_bias = config.flag("attention_bias", False), config.flag("mlp_bias", False)

    def block(layer: int) -> Block:
        at = f"model.layers.{layer}"
        attention = parts.attention(
            f"{at}.self_attn",
            layer,
            rotary if turns[layer] else None,
            bias=bias,
            out_bias=bias,
            window=windows[layer],
        )
        return parts.pre_norm(at, attention, parts.gated(f"{at}.mlp", activation, bias=mlp_bias))

    return parts.decoder(block)
