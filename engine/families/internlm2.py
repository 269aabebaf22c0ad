"""InternLM2 and 2.5 (arXiv 2403.17297): Llama's shape under its own names, read without its code.

One projection holds queries, keys and values, group by group: the queries that share a key, then
that key, then its value.
"""

from __future__ import annotations

import torch
from torch import Tensor

from engine.families.config import Config
from engine.families.gguf import LAYER_NAMES, GgufLayout
from engine.families.parts import Parts
from engine.families.sizes import Sizes
from engine.families.weights_in import WeightsIn
from engine.layers.block import Block
from engine.layers.decoder import Decoder

# the hub's name after ``model.layers.N.`` or ``model.`` -> Llama's
NAMES = {
    "attention.wqkv": "self_attn.wqkv",
    "attention.wo": "self_attn.o_proj",
    "feed_forward.w1": "mlp.gate_proj",
    "feed_forward.w3": "mlp.up_proj",
    "feed_forward.w2": "mlp.down_proj",
    "attention_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "model.tok_embeddings": "model.embed_tokens",
    "output": "lm_head",
}
GGUF = GgufLayout(LAYER_NAMES, interleaved=("self_attn.q_proj", "self_attn.k_proj"))


def build(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build the model; ``context`` is the longest sequence that will be run."""
    parts = Parts(config, weights, Sizes.of(config))
    rotary, activation = parts.rotary(context), parts.activation()
    bias = config.flag("bias", config.flag("attention_bias", False))
    order = grouped_order(parts.sizes)

    def block(layer: int) -> Block:
        at = f"model.layers.{layer}"
        # llama.cpp's files hold three projections
        fused = "wqkv" if weights.has(f"{at}.self_attn.wqkv.weight") else None
        attention = parts.attention(
            f"{at}.self_attn",
            layer,
            rotary,
            bias=bias,
            out_bias=bias,
            fused=fused,
            fused_order=order,
        )
        return parts.pre_norm(at, attention, parts.gated(f"{at}.mlp", activation))

    return parts.decoder(block)


def grouped_order(sizes: Sizes) -> Tensor:
    """Rows of queries, keys and values, taken from groups of (queries, key, value)."""
    share = sizes.heads // sizes.kv_heads
    heads = torch.arange(sizes.kv_heads * (share + 2)).view(sizes.kv_heads, share + 2)
    picked = torch.cat((heads[:, :share].flatten(), heads[:, share], heads[:, share + 1]))
    return (picked.unsqueeze(1) * sizes.head_dim + torch.arange(sizes.head_dim)).flatten()
