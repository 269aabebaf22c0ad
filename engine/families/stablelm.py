"""StableLM 2 and StableLM 3B (arXiv 2402.17834): layer norms, a quarter of each head turned.

The 12B model normalises each query and key head by weights of its own and runs attention and
feed-forward side by side.
"""

from __future__ import annotations

import torch

from engine.families.config import Config
from engine.families.gguf import LAYER_NAMES, GgufLayout
from engine.families.parts import Parts
from engine.families.sizes import Sizes
from engine.families.weights_in import WeightsIn
from engine.layers.block import Block, ParallelBlock
from engine.layers.decoder import Decoder
from engine.layers.norm import LayerNorm, Norm

GGUF = GgufLayout(LAYER_NAMES, keys={"use_parallel_residual": "use_parallel_residual"})
DEFAULTS = {"partial_rotary_factor": 0.25, "layer_norm_eps": 1e-5}


def build(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build the model; ``context`` is the longest sequence that will be run."""
    config = config.with_defaults(DEFAULTS)
    parts = Parts(config, weights, Sizes.of(config, "layer_norm_eps"))
    rotary, activation = parts.rotary(context), parts.activation()
    bias = config.flag("use_qkv_bias", config.flag("attention_bias", False))
    parallel = config.flag("use_parallel_residual", False)

    def block(layer: int) -> Block | ParallelBlock:
        at = f"model.layers.{layer}"
        norms = _head_norms(parts, f"{at}.self_attn")
        attention = parts.attention(f"{at}.self_attn", layer, rotary, bias=bias, norms=norms)
        feed_forward = parts.gated(f"{at}.mlp", activation)
        before = parts.layer_norm(f"{at}.input_layernorm")
        if parallel:
            return ParallelBlock(attention, feed_forward, before, before)
        after = parts.layer_norm(f"{at}.post_attention_layernorm")
        return Block(attention, feed_forward, before, after)

    return parts.decoder(block, norm=parts.layer_norm("model.norm"))


def _head_norms(parts: Parts, at: str) -> tuple[Norm, Norm] | None:
    """The norms of queries and keys, a row of weights for each head; None where there are none."""
    stacked = parts.weights.has(f"{at}.q_norm.weight")  # in llama.cpp's files
    if not stacked and not parts.config.flag("qk_layernorm", False):
        return None
    dim = parts.sizes.head_dim

    def norm(which: str, heads: int) -> Norm:
        if stacked:
            weight = parts.weights.tensor(f"{at}.{which}_norm.weight", heads, dim)
        else:
            own = f"{at}.{which}_layernorm.norms"
            rows = [parts.weights.tensor(f"{own}.{head}.weight", dim) for head in range(heads)]
            weight = torch.stack(rows)
        return LayerNorm(parts.weights.kernels, weight, None, parts.sizes.eps)

    return norm("q", parts.sizes.heads), norm("k", parts.sizes.kv_heads)
