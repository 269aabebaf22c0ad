"""Gemma 3, text (arXiv 2503.19786): five sliding layers to each global one, norms on all sides.

Each kind of layer has its own rotary base; queries and keys are normalised by head; norm weights
are stored as ``w`` of ``1 + w``; the embedding is scaled by the square root of the hidden size,
rounded as the activations are (E15).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from engine.families.config import Config
from engine.families.gguf import LAYER_NAMES, GgufLayout
from engine.families.parts import Sizes, activation_of, attention, decoder, gated, rms_norm
from engine.families.rope import rope_section, rotary_of
from engine.families.weights_in import WeightsIn
from engine.families.windows import FULL, SLIDING, sliding_layers
from engine.layers.block import Block
from engine.layers.decoder import Decoder
from engine.layers.norm import RmsNorm
from engine.layers.rotary import Rotary

# what transformers' class has where the nested text_config of the hub's files says nothing
DEFAULTS = {
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "query_pre_attn_scalar": 256,
    "sliding_window": 4096,
    "sliding_window_pattern": 6,
    "max_position_embeddings": 131072,
    "rms_norm_eps": 1e-6,
    "tie_word_embeddings": True,
}
NORMS = {
    "post_attention_norm": "post_attention_layernorm",
    "ffn_norm": "pre_feedforward_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}


def gguf_config(values: Mapping[str, Any]) -> dict[str, Any]:
    """What llama.cpp leaves to its code: the score scale, which the 27B model takes from hidden."""
    largest = values["num_hidden_layers"] == 62
    per_head = values["hidden_size"] // values["num_attention_heads"]
    return {"query_pre_attn_scalar": per_head if largest else values["head_dim"]}


GGUF = GgufLayout(names={**LAYER_NAMES, **NORMS}, norms_hold_one=True, config=gguf_config)


def build(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build the model; ``context`` is the longest sequence that will be run."""
    config = config.with_defaults(DEFAULTS)
    sizes = Sizes.of(config)
    pattern = config.count("sliding_window_pattern")
    slides = sliding_layers(config, sizes.layers, lambda layer: (layer + 1) % pattern != 0)
    window = config.count("sliding_window")
    near, far = _rotaries(config, sizes, context, weights.kernels.device)
    scale = config.number("query_pre_attn_scalar") ** -0.5
    bias = config.flag("attention_bias", False)
    activation = activation_of(config, "hidden_activation", "gelu_pytorch_tanh")

    def norm(name: str, leads_to_sum: bool = False) -> RmsNorm:
        return rms_norm(
            weights, name, sizes.hidden, sizes.eps, plus_one=True, leads_to_sum=leads_to_sum
        )

    def block(layer: int) -> Block:
        at = f"model.layers.{layer}"
        return Block(
            attention=attention(
                weights,
                f"{at}.self_attn",
                layer,
                sizes,
                near if slides[layer] else far,
                bias=bias,
                out_bias=bias,
                head_norms=True,
                norm_plus_one=True,
                window=window if slides[layer] else None,
                scale=scale,
            ),
            feed_forward=gated(weights, f"{at}.mlp", sizes.hidden, sizes.intermediate, activation),
            before_attention=norm(f"{at}.input_layernorm"),
            after_attention=norm(f"{at}.post_attention_layernorm", leads_to_sum=True),
            before_feed_forward=norm(f"{at}.pre_feedforward_layernorm"),
            after_feed_forward=norm(f"{at}.post_feedforward_layernorm", leads_to_sum=True),
        )

    return decoder(
        config,
        weights,
        sizes,
        block,
        norm_plus_one=True,
        embedding_scale=rounded_root(sizes.hidden, weights.kernels.dtype),
        logit_softcap=config.optional_number("final_logit_softcapping"),
    )


def rounded_root(hidden: int, dtype: torch.dtype) -> float:
    """Gemma's factor on the embedding: the root of the hidden size, rounded to ``dtype``."""
    return torch.tensor(hidden**0.5, dtype=dtype).item()


def _rotaries(
    config: Config, sizes: Sizes, context: int, device: torch.device
) -> tuple[Rotary, Rotary]:
    """(of sliding layers, of global ones); in older files scaling is the global layers' alone."""
    section, empty = rope_section(config), Config({}, config.path)
    nested = SLIDING in section or FULL in section
    near = (section.section(SLIDING) or empty) if nested else empty
    far = (section.section(FULL) or empty) if nested else section
    near = near.with_defaults({"rope_theta": config.number("rope_local_base_freq", 10000.0)})
    far = far.with_defaults({"rope_theta": config.number("rope_theta", 1000000.0)})
    return (
        rotary_of(config, sizes.head_dim, context, device, near),
        rotary_of(config, sizes.head_dim, context, device, far),
    )
