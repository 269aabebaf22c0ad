"""Gemma, Gemma 2 and Gemma 3, text (arXiv 2403.08295, 2408.00118, 2503.19786).

Norm weights are stored as ``w`` of ``1 + w``; the embedding is scaled by the square root of the
hidden size, rounded as the activations are (E15); the gate is a tanh-approximated GELU.

Gemma 2 adds norms after each layer, caps the scores and the logits, and lets every other layer
slide. Gemma 3 drops the cap on scores, normalises query and key heads, has five sliding layers to
each global one, and a rotary base for each kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from engine.families.config import Config
from engine.families.gguf import LAYER_NAMES, GgufLayout
from engine.families.parts import Parts
from engine.families.sizes import Sizes
from engine.families.weights_in import WeightsIn
from engine.families.windows import sliding_layers
from engine.layers.attention import Mixer
from engine.layers.block import Block
from engine.layers.decoder import Decoder
from engine.layers.feed_forward import FeedForward

# what transformers' classes have where the hub's files (a nested text_config) say nothing
DEFAULTS = {
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "query_pre_attn_scalar": 256,
    "sliding_window": 4096,
    "rms_norm_eps": 1e-6,
    "tie_word_embeddings": True,
}
GEMMA2_DEFAULTS = {
    **DEFAULTS,
    "max_position_embeddings": 8192,
    "final_logit_softcapping": 30.0,
    "attn_logit_softcapping": 50.0,
}
GEMMA3_DEFAULTS = {
    **DEFAULTS,
    "max_position_embeddings": 131072,
    "sliding_window_pattern": 6,
}
NORMS = {
    "post_attention_norm": "post_attention_layernorm",
    "ffn_norm": "pre_feedforward_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}


def _score_scale(layers_of_largest: int) -> Callable[[Config], dict[str, Any]]:
    """What llama.cpp leaves to its code: only the 27B model scales scores by hidden / heads."""

    def more(config: Config) -> dict[str, Any]:
        largest = config.count("num_hidden_layers") == layers_of_largest
        per_head = config.count("hidden_size") // config.count("num_attention_heads")
        return {"query_pre_attn_scalar": per_head if largest else config.count("head_dim")}

    return more


GEMMA_GGUF = GgufLayout(names=LAYER_NAMES, norms_hold_one=True)
GEMMA2_GGUF = GgufLayout({**LAYER_NAMES, **NORMS}, norms_hold_one=True, more=_score_scale(46))
GEMMA3_GGUF = GgufLayout({**LAYER_NAMES, **NORMS}, norms_hold_one=True, more=_score_scale(62))


def build_gemma(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build Gemma 1; ``context`` is the longest sequence that will be run."""
    config = config.with_defaults({"head_dim": 256, "tie_word_embeddings": True})
    parts = Parts(config, weights, Sizes.of(config), plus_one=True)
    rotary = parts.rotary(context)
    # the oldest files name the exact GELU, which the models were not trained with
    activation = parts.activation("hidden_activation", "gelu_pytorch_tanh")
    bias = config.flag("attention_bias", False)

    def block(layer: int) -> Block:
        at = f"model.layers.{layer}"
        attention = parts.attention(f"{at}.self_attn", layer, rotary, bias=bias, out_bias=bias)
        return parts.pre_norm(at, attention, parts.gated(f"{at}.mlp", activation))

    return parts.decoder(block, embedding_scale=_embedding_scale(parts))


def build_gemma2(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build Gemma 2; ``context`` is the longest sequence that will be run."""
    config = config.with_defaults(GEMMA2_DEFAULTS)
    parts = Parts(config, weights, Sizes.of(config), plus_one=True)
    slides = sliding_layers(config, parts.sizes.layers, lambda layer: layer % 2 == 0)
    window = config.count("sliding_window")
    scale = config.positive("query_pre_attn_scalar") ** -0.5
    rotary = parts.rotary(context)
    softcap = config.optional_number("attn_logit_softcapping")
    bias = config.flag("attention_bias", False)
    activation = parts.activation("hidden_activation", "gelu_pytorch_tanh")

    def block(layer: int) -> Block:
        at = f"model.layers.{layer}"
        attention = parts.attention(
            f"{at}.self_attn",
            layer,
            rotary,
            bias=bias,
            out_bias=bias,
            window=window if slides[layer] else None,
            softcap=softcap,
            scale=scale,
        )
        return _between_norms(parts, at, attention, parts.gated(f"{at}.mlp", activation))

    return parts.decoder(
        block,
        embedding_scale=_embedding_scale(parts),
        logit_softcap=config.optional_number("final_logit_softcapping"),
    )


def build_gemma3(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build Gemma 3; ``context`` is the longest sequence that will be run."""
    config = config.with_defaults(GEMMA3_DEFAULTS)
    parts = Parts(config, weights, Sizes.of(config), plus_one=True)
    pattern = config.count("sliding_window_pattern")
    slides = sliding_layers(config, parts.sizes.layers, lambda layer: (layer + 1) % pattern != 0)
    window = config.count("sliding_window")
    scale = config.positive("query_pre_attn_scalar") ** -0.5
    near, far = parts.rotaries(
        context,
        config.number("rope_local_base_freq", 10000.0),
        config.number("rope_theta", 1000000.0),
    )
    bias = config.flag("attention_bias", False)
    activation = parts.activation("hidden_activation", "gelu_pytorch_tanh")

    def block(layer: int) -> Block:
        at = f"model.layers.{layer}"
        attention = parts.attention(
            f"{at}.self_attn",
            layer,
            near if slides[layer] else far,
            bias=bias,
            out_bias=bias,
            window=window if slides[layer] else None,
            scale=scale,
            norms=parts.head_norms(f"{at}.self_attn"),
        )
        return _between_norms(parts, at, attention, parts.gated(f"{at}.mlp", activation))

    return parts.decoder(
        block,
        embedding_scale=_embedding_scale(parts),
        logit_softcap=config.optional_number("final_logit_softcapping"),
    )


def rounded_root(hidden: int, dtype: torch.dtype) -> float:
    """The factor on the embedding: the root of the hidden size, rounded to ``dtype``."""
    return torch.tensor(hidden**0.5, dtype=dtype).item()


def _embedding_scale(parts: Parts) -> float:
    return rounded_root(parts.sizes.hidden, parts.weights.kernels.dtype)


def _between_norms(parts: Parts, at: str, attention: Mixer, feed_forward: FeedForward) -> Block:
    """A block with norms before and after each layer; what leads to the sum may need float32."""
    return Block(
        attention=attention,
        feed_forward=feed_forward,
        before_attention=parts.norm(f"{at}.input_layernorm"),
        after_attention=parts.norm(f"{at}.post_attention_layernorm", leads_to_sum=True),
        before_feed_forward=parts.norm(f"{at}.pre_feedforward_layernorm"),
        after_feed_forward=parts.norm(f"{at}.post_feedforward_layernorm", leads_to_sum=True),
    )
