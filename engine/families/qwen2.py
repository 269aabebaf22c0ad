"""Qwen 2 and 2.5 (arXiv 2407.10671, 2412.15115): Llama's shape, queries, keys, values biased.

The upper layers may have a sliding window, off in every published model but described by the
configuration: from layer ``max_window_layers`` on, where ``use_sliding_window`` is set.
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

GGUF = GgufLayout(names=LAYER_NAMES)


def build(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build the model; ``context`` is the longest sequence that will be run."""
    parts = Parts(config, weights, Sizes.of(config))
    rotary, activation = parts.rotary(context), parts.activation()
    windows = upper_windows(config, parts.sizes.layers)

    def block(layer: int) -> Block:
        at = f"model.layers.{layer}"
        window = windows[layer]
        attention = parts.attention(f"{at}.self_attn", layer, rotary, bias=True, window=window)
        return parts.pre_norm(at, attention, parts.gated(f"{at}.mlp", activation))

    return parts.decoder(block)


def upper_windows(config: Config, layers: int) -> list[int | None]:
    """The window of each layer, as Qwen's configurations describe it."""
    if not config.flag("use_sliding_window", False):
        return [None] * layers
    first = config.index("max_window_layers", 28)
    return windows_of(config, layers, lambda layer: layer >= first)
