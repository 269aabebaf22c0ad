"""Granite 3 (IBM): Llama's shape with four factors, on embedding, residual sums, scores, logits."""

from __future__ import annotations

from engine.families.config import Config
from engine.families.gguf import LAYER_NAMES, GgufLayout
from engine.families.parts import Parts
from engine.families.sizes import Sizes
from engine.families.weights_in import WeightsIn
from engine.layers.block import Block
from engine.layers.decoder import Decoder

GGUF = GgufLayout(
    LAYER_NAMES,
    interleaved=("self_attn.q_proj", "self_attn.k_proj"),
    keys={
        "attention.scale": "attention_multiplier",
        "embedding_scale": "embedding_multiplier",
        "residual_scale": "residual_multiplier",
        "logit_scale": "logits_scaling",
    },
)


def build(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build the model; ``context`` is the longest sequence that will be run."""
    parts = Parts(config, weights, Sizes.of(config))
    rotary, activation = parts.rotary(context), parts.activation()
    bias, mlp_bias = config.flag("attention_bias", False), config.flag("mlp_bias", False)
    scale = config.number("attention_multiplier", 1.0)
    residual_scale = config.number("residual_multiplier", 1.0)

    def block(layer: int) -> Block:
        at = f"model.layers.{layer}"
        attention = parts.attention(
            f"{at}.self_attn", layer, rotary, bias=bias, out_bias=bias, scale=scale
        )
        feed_forward = parts.gated(f"{at}.mlp", activation, bias=mlp_bias)
        return parts.pre_norm(at, attention, feed_forward, residual_scale)

    return parts.decoder(
        block,
        embedding_scale=config.number("embedding_multiplier", 1.0),
        logit_scale=1 / config.positive("logits_scaling", 1.0),
    )
