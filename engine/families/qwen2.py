"""Qwen 2 and 2.5 (arXiv 2407.10671, 2412.15115): Llama's shape, queries, keys, values biased.

The upper layers may have a sliding window, off in every published model but described by the
configuration: from layer ``max_window_layers`` on, where ``use_sliding_window`` is set.
"""

from __future__ import annotations

from engine.families.config import Config
from engine.families.gguf import LAYER_NAMES, GgufLayout
from engine.families.parts import Sizes, activation_of, attention, decoder, gated, rms_norm
from engine.families.rope import rotary_of
from engine.families.weights_in import WeightsIn
from engine.families.windows import windows_of
from engine.layers.block import Block
from engine.layers.decoder import Decoder

GGUF = GgufLayout(names=LAYER_NAMES)


def build(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build the model; ``context`` is the longest sequence that will be run."""
    sizes = Sizes.of(config)
    rotary = rotary_of(config, sizes.head_dim, context, weights.kernels.device)
    activation = activation_of(config)
    windows = upper_windows(config, sizes.layers)

    def block(layer: int) -> Block:
        at = f"model.layers.{layer}"
        return Block(
            attention=attention(
                weights,
                f"{at}.self_attn",
                layer,
                sizes,
                rotary,
                bias=True,
                window=windows[layer],
            ),
            feed_forward=gated(weights, f"{at}.mlp", sizes.hidden, sizes.intermediate, activation),
            before_attention=rms_norm(weights, f"{at}.input_layernorm", sizes.hidden, sizes.eps),
            before_feed_forward=rms_norm(
                weights, f"{at}.post_attention_layernorm", sizes.hidden, sizes.eps
            ),
        )

    return decoder(config, weights, sizes, block)


def upper_windows(config: Config, layers: int) -> list[int | None]:
    """The window of each layer, as Qwen's configurations describe it."""
    if not config.flag("use_sliding_window", False):
        return [None] * layers
    first = config.index("max_window_layers", 28)
    return windows_of(config, layers, lambda layer: layer >= first)
