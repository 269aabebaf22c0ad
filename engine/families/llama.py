"""Llama (arXiv 2302.13971, 2407.21783) and its shape: Mistral, Yi, SmolLM, Vicuna, Falcon 3.

Pre-norm blocks of grouped-query attention and a SiLU-gated feed-forward, rotary positions on whole
heads. Mistral adds a sliding window to all layers.
"""

from __future__ import annotations

from engine.families.config import Config
from engine.families.gguf import LAYER_NAMES, GgufLayout
from engine.families.parts import Sizes, activation_of, attention, decoder, gated, rms_norm
from engine.families.rope import rotary_of
from engine.families.weights_in import WeightsIn
from engine.layers.block import Block
from engine.layers.decoder import Decoder

# llama.cpp turns the pairs of this family interleaved and stores the rows so (E7)
GGUF = GgufLayout(names=LAYER_NAMES, interleaved=("self_attn.q_proj", "self_attn.k_proj"))


def build(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build the model; ``context`` is the longest sequence that will be run."""
    sizes = Sizes.of(config)
    rotary = rotary_of(config, sizes.head_dim, context, weights.kernels.device)
    activation = activation_of(config)
    attention_bias = config.flag("attention_bias", False)
    mlp_bias = config.flag("mlp_bias", False)
    window = config.count("sliding_window") if "sliding_window" in config else None

    def block(layer: int) -> Block:
        at = f"model.layers.{layer}"
        return Block(
            attention=attention(
                weights,
                f"{at}.self_attn",
                layer,
                sizes,
                rotary,
                bias=attention_bias,
                out_bias=attention_bias,
                window=window,
            ),
            feed_forward=gated(
                weights, f"{at}.mlp", sizes.hidden, sizes.intermediate, activation, mlp_bias
            ),
            before_attention=rms_norm(weights, f"{at}.input_layernorm", sizes.hidden, sizes.eps),
            before_feed_forward=rms_norm(
                weights, f"{at}.post_attention_layernorm", sizes.hidden, sizes.eps
            ),
        )

    return decoder(config, weights, sizes, block)
