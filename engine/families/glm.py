"""GLM-4 (arXiv 2406.12793) and GLM-4-0414, in transformers' format.

Llama's shape with biases on queries, keys and values, gate and up in one projection, and half of
each head turned, its rotary pairs side by side. The 0414 models add a norm after each layer.
"""

from __future__ import annotations

from engine.families.config import Config
from engine.families.gguf import LAYER_NAMES, GgufLayout
from engine.families.parts import Parts
from engine.families.sizes import Sizes
from engine.families.weights_in import WeightsIn
from engine.layers.block import Block
from engine.layers.decoder import Decoder

FUSED = {"attn_qkv": "self_attn.qkv_proj", "ffn_up": "mlp.gate_up_proj"}
AFTER = {
    "post_attention_norm": "post_self_attn_layernorm",
    "post_ffw_norm": "post_mlp_layernorm",
}
GLM_GGUF = GgufLayout({**LAYER_NAMES, **FUSED})
GLM4_GGUF = GgufLayout({**LAYER_NAMES, **FUSED, **AFTER})
DEFAULTS = {
    "head_dim": 128,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1.5625e-7,
    "partial_rotary_factor": 0.5,
    "attention_bias": True,
}


def build_glm(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build GLM-4; ``context`` is the longest sequence that will be run."""
    return _build(config, weights, context, norms_after=False)


def build_glm4(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build GLM-4-0414; ``context`` is the longest sequence that will be run."""
    return _build(config, weights, context, norms_after=True)


def _build(config: Config, weights: WeightsIn, context: int, norms_after: bool) -> Decoder:
    config = config.with_defaults(DEFAULTS)
    parts = Parts(config, weights, Sizes.of(config), interleaved=True)
    rotary, activation = parts.rotary(context), parts.activation()
    bias = config.flag("attention_bias", True)

    def block(layer: int) -> Block:
        at = f"model.layers.{layer}"
        # llama.cpp's files of the older models hold one projection
        fused = "qkv_proj" if weights.has(f"{at}.self_attn.qkv_proj.weight") else None
        attention = parts.attention(f"{at}.self_attn", layer, rotary, bias=bias, fused=fused)
        feed_forward = parts.gated(f"{at}.mlp", activation, fused="gate_up_proj")
        if not norms_after:
            return parts.pre_norm(at, attention, feed_forward)
        return Block(
            attention=attention,
            feed_forward=feed_forward,
            before_attention=parts.norm(f"{at}.input_layernorm"),
            after_attention=parts.norm(f"{at}.post_self_attn_layernorm", leads_to_sum=True),
            before_feed_forward=parts.norm(f"{at}.post_attention_layernorm"),
            after_feed_forward=parts.norm(f"{at}.post_mlp_layernorm", leads_to_sum=True),
        )

    return parts.decoder(block)
