"""OLMo 2 and 3 (arXiv 2501.00656): norms after each layer only, and on all queries as one row.

OLMo 3 lets three of four layers slide, and stretches the positions of the others alone.
"""

from __future__ import annotations

from engine.families.config import Config
from engine.families.gguf import LAYER_NAMES, GgufLayout
from engine.families.parts import Parts
from engine.families.sizes import Sizes
from engine.families.weights_in import WeightsIn
from engine.families.windows import sliding_layers
from engine.layers.block import Block
from engine.layers.decoder import Decoder

GGUF = GgufLayout(
    {
        **LAYER_NAMES,
        "post_attention_norm": "post_attention_layernorm",
        "post_ffw_norm": "post_feedforward_layernorm",
    }
)
DEFAULTS = {"rms_norm_eps": 1e-5}


def build(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build the model; ``context`` is the longest sequence that will be run."""
    config = config.with_defaults(DEFAULTS)
    parts = Parts(config, weights, Sizes.of(config))
    sizes, activation = parts.sizes, parts.activation()
    base = config.number("rope_theta", 500000.0 if "sliding_window" in config else 10000.0)
    near, far = parts.rotaries(context, base, base)
    window = config.count("sliding_window") if "sliding_window" in config else None
    slides = [False] * sizes.layers
    if window is not None:
        slides = sliding_layers(config, sizes.layers, lambda layer: (layer + 1) % 4 != 0)
    bias = config.flag("attention_bias", False)
    q_size, kv_size = sizes.heads * sizes.head_dim, sizes.kv_heads * sizes.head_dim

    def block(layer: int) -> Block:
        at = f"model.layers.{layer}"
        norms = (
            parts.norm(f"{at}.self_attn.q_norm", q_size),
            parts.norm(f"{at}.self_attn.k_norm", kv_size),
        )
        return Block(
            attention=parts.attention(
                f"{at}.self_attn",
                layer,
                near if slides[layer] else far,
                bias=bias,
                out_bias=bias,
                window=window if slides[layer] else None,
                norms=norms,
                norm_whole=True,
            ),
            feed_forward=parts.gated(f"{at}.mlp", activation),
            before_attention=None,
            before_feed_forward=None,
            after_attention=parts.norm(f"{at}.post_attention_layernorm", leads_to_sum=True),
            after_feed_forward=parts.norm(f"{at}.post_feedforward_layernorm", leads_to_sum=True),
        )

    return parts.decoder(block)
