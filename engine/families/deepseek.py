"""DeepSeek-V2, V2-Lite, V3, R1 (arXiv 2405.04434, 2412.19437) and Kimi K2.

Latent attention (``layers/latent_attention.py``), a shared expert beside many routed ones, of which
a token may take only those in its best groups. The first layers are plain. The rotary pairs stand
side by side in the checkpoint.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from engine.families.config import Config
from engine.families.gguf import LAYER_NAMES, GgufLayout
from engine.families.mixture import GGUF_EXPERT_KEYS, GGUF_EXPERTS, ExpertSizes, mixture
from engine.families.parts import Parts
from engine.families.rope import rope_section, rotary_of
from engine.families.sizes import WIDEST, Sizes
from engine.families.weights_in import Rows, WeightsIn
from engine.kernels.interface import AttentionRule
from engine.layers.block import Block
from engine.layers.decoder import Decoder
from engine.layers.experts import Routing, Scoring
from engine.layers.feed_forward import FeedForward
from engine.layers.frequencies import yarn_sharpness
from engine.layers.latent_attention import LatentAttention, LatentQuery
from engine.layers.norm import RmsNorm
from engine.layers.rotary import Rotary, half_split_order

LATENT_EPS = 1e-6  # the norms of latents do not take the configuration's
V3_DEFAULTS: dict[str, Any] = {
    "q_lora_rank": 1536,
    "n_group": 8,
    "topk_group": 4,
    "norm_topk_prob": True,
    "routed_scaling_factor": 2.5,
    "first_k_dense_replace": 3,
}
NAMES = {
    "attn_q_a": "self_attn.q_a_proj",
    "attn_q_a_norm": "self_attn.q_a_layernorm",
    "attn_q_b": "self_attn.q_b_proj",
    "attn_kv_a_mqa": "self_attn.kv_a_proj_with_mqa",
    "attn_kv_a_norm": "self_attn.kv_a_layernorm",
    "attn_kv_b": "self_attn.kv_b_proj",
    "attn_k_b": "self_attn.k_b_proj",
    "attn_v_b": "self_attn.v_b_proj",
    "exp_probs_b": "mlp.gate.e_score_correction_bias",
    "ffn_gate_shexp": "mlp.shared_experts.gate_proj",
    "ffn_up_shexp": "mlp.shared_experts.up_proj",
    "ffn_down_shexp": "mlp.shared_experts.down_proj",
}
KEYS = {
    **GGUF_EXPERT_KEYS,
    "expert_count": "n_routed_experts",
    "expert_shared_count": "n_shared_experts",
    "expert_group_count": "n_group",
    "expert_group_used_count": "topk_group",
    "expert_weights_scale": "routed_scaling_factor",
    "expert_weights_norm": "norm_topk_prob",
    "leading_dense_block_count": "first_k_dense_replace",
    "attention.q_lora_rank": "q_lora_rank",
    "attention.kv_lora_rank": "kv_lora_rank",
    "attention.key_length": "key_length",
    "attention.value_length": "value_length",
    "attention.key_length_mla": "key_length_mla",
    "attention.value_length_mla": "value_length_mla",
    "rope.dimension_count": "qk_rope_head_dim",
    "rope.scaling.yarn_log_multiplier": "yarn_log_multiplier",
    "expert_gating_func": "gating",
}


def gguf_config(config: Config) -> dict[str, Any]:
    """Head sizes, which newer files give for the latent space and, apart, for the heads."""
    turning = config.count("qk_rope_head_dim")
    key = config.count("key_length_mla" if "key_length_mla" in config else "key_length")
    value = config.count("value_length_mla" if "value_length_mla" in config else "value_length")
    is_sigmoid = config.count("gating", 1) == 2
    found: dict[str, Any] = {
        "qk_nope_head_dim": key - turning,
        "v_head_dim": value,
        "num_key_value_heads": config.count("num_attention_heads"),
        "partial_rotary_factor": 1.0,
        "scoring_func": "sigmoid" if is_sigmoid else "softmax",
        "topk_method": "group_limited_greedy",
    }
    if is_sigmoid and config.count("n_routed_experts") == 256:
        # older files of V3 and R1 do not say that its experts stand in groups
        found["n_group"] = config.count("n_group", V3_DEFAULTS["n_group"])
        found["topk_group"] = config.count("topk_group", V3_DEFAULTS["topk_group"])
    scaling = config.section("rope_scaling")
    if scaling is not None and "yarn_log_multiplier" in config:
        weight = 10 * config.number("yarn_log_multiplier")
        both = {"mscale": weight, "mscale_all_dim": weight}
        found["rope_scaling"] = {**scaling.values(), **both}
    return found


GGUF = GgufLayout({**LAYER_NAMES, **GGUF_EXPERTS, **NAMES}, keys=KEYS, more=gguf_config)


def build_v2(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build DeepSeek-V2; ``context`` is the longest sequence that will be run."""
    return _build(config, weights, context, sigmoid=config.word("scoring_func", "") == "sigmoid")


def build_v3(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build DeepSeek-V3; ``context`` is the longest sequence that will be run."""
    return _build(config.with_defaults(V3_DEFAULTS), weights, context, sigmoid=True)


def _build(config: Config, weights: WeightsIn, context: int, sigmoid: bool) -> Decoder:
    parts = Parts(config, weights, Sizes.of(config))
    device = weights.kernels.device
    turning = config.count("qk_rope_head_dim")
    rotary = rotary_of(config, turning, context, device)
    if parts.sizes.heads * (turning + config.count("qk_nope_head_dim")) > WIDEST:
        raise config.invalid(f"qk_rope_head_dim: {turning} in {parts.sizes.heads} heads")
    heads = _Heads(
        count=parts.sizes.heads,
        latent=config.count("kv_lora_rank"),
        plain=config.count("qk_nope_head_dim"),
        turning=turning,
        value=config.count("v_head_dim"),
        interleaved=config.flag("rope_interleave", True),
    )
    first_sparse = config.index("first_k_dense_replace", 0)

    def block(layer: int) -> Block:
        at = f"model.layers.{layer}"
        attention = _attention(parts, f"{at}.self_attn", layer, heads, rotary)
        sparse = layer >= first_sparse
        if sparse:
            feed_forward: FeedForward = _experts(parts, f"{at}.mlp", sigmoid)
        else:
            feed_forward = parts.gated(f"{at}.mlp", parts.activation())
        return parts.pre_norm(at, attention, feed_forward)

    return parts.decoder(block)


@dataclass(frozen=True, slots=True)
class _Heads:
    """Sizes of latent attention's heads."""

    count: int
    latent: int
    plain: int
    turning: int
    value: int
    interleaved: bool

    def order(self, heads: int, before: int) -> Tensor | None:
        """Of the rows of ``heads`` heads that turn their last rows, after ``before`` others."""
        if not self.interleaved:
            return None
        return half_split_order(heads, before + self.turning, self.turning, offset=before)


def _attention(parts: Parts, at: str, layer: int, heads: _Heads, rotary: Rotary) -> LatentAttention:
    bias = parts.config.flag("attention_bias", False)
    hidden = parts.sizes.hidden
    down_rows = heads.latent + heads.turning
    down = Rows(f"{at}.kv_a_proj_with_mqa", down_rows, heads.order(1, heads.latent))
    key_up, value_up = _expansions(parts, at, heads)
    out = [Rows(f"{at}.o_proj", hidden)]
    return LatentAttention(
        kernels=parts.weights.kernels,
        layer=layer,
        heads=heads.count,
        latent=heads.latent,
        query=_query(parts, at, heads, bias),
        down=parts.linear([down], hidden, bias),
        norm=_latent_norm(parts, f"{at}.kv_a_layernorm", heads.latent),
        key_up=key_up,
        value_up=value_up,
        out=parts.linear(out, heads.count * heads.value, bias),
        rule=AttentionRule(_score_scale(parts.config, heads.plain + heads.turning)),
        rotary=rotary,
    )


def _query(parts: Parts, at: str, heads: _Heads, bias: bool) -> LatentQuery:
    rows, order = heads.count * (heads.plain + heads.turning), heads.order(heads.count, heads.plain)
    if "q_lora_rank" not in parts.config:
        return LatentQuery(parts.linear([Rows(f"{at}.q_proj", rows, order)], parts.sizes.hidden))
    latent = parts.config.count("q_lora_rank")
    return LatentQuery(
        up=parts.linear([Rows(f"{at}.q_b_proj", rows, order)], latent),
        down=parts.linear([Rows(f"{at}.q_a_proj", latent)], parts.sizes.hidden, bias),
        norm=_latent_norm(parts, f"{at}.q_a_layernorm", latent),
    )


def _expansions(parts: Parts, at: str, heads: _Heads) -> tuple[Tensor, Tensor]:
    """What would expand latents to keys and to values: each [heads, rows, latent]."""
    weights, dtype = parts.weights, parts.weights.kernels.dtype
    if weights.has(f"{at}.k_b_proj.weight"):  # newer GGUF files hold the two apart
        turned = (heads.count, heads.latent, heads.plain)
        key = weights.tensor(f"{at}.k_b_proj.weight", *turned).transpose(1, 2)
        value = weights.tensor(f"{at}.v_b_proj.weight", heads.count, heads.value, heads.latent)
        return key.to(dtype).contiguous(), value.to(dtype)
    rows = heads.plain + heads.value
    both = weights.tensor(f"{at}.kv_b_proj.weight", heads.count * rows, heads.latent)
    both = both.view(heads.count, rows, heads.latent)
    key, value = both[:, : heads.plain], both[:, heads.plain :]
    return key.to(dtype).contiguous(), value.to(dtype).contiguous()


def _latent_norm(parts: Parts, at: str, size: int) -> RmsNorm:
    return RmsNorm(parts.weights.kernels, parts.weights.tensor(f"{at}.weight", size), LATENT_EPS)


def _score_scale(config: Config, key_dim: int) -> float:
    """``key_dim ** -0.5``, sharpened twice where YaRN stretches the positions."""
    rope = rope_section(config)
    weight = rope.number("mscale_all_dim", 0.0)
    stretched = rope.word("rope_type", rope.word("type", "default")) != "default"
    sharpness = yarn_sharpness(rope.positive("factor"), weight) if stretched and weight else 1.0
    return sharpness * sharpness / math.sqrt(key_dim)


def _experts(parts: Parts, at: str, sigmoid: bool) -> FeedForward:
    config = parts.config
    count, wide = config.count("n_routed_experts"), config.count("moe_intermediate_size")
    shared_count = config.index("n_shared_experts", 0)
    shared = None
    if shared_count:
        intermediate = wide * shared_count
        shared = parts.gated(f"{at}.shared_experts", parts.activation(), intermediate=intermediate)
    correction = f"{at}.gate.e_score_correction_bias"
    if parts.weights.has(f"{correction}.bias"):  # llama.cpp's spelling
        correction = f"{correction}.bias"
    return mixture(
        parts,
        at,
        ExpertSizes(count, wide),
        _routing(config, count, sigmoid),
        shared=shared,
        correction=correction if sigmoid else None,
    )


def _routing(config: Config, count: int, sigmoid: bool) -> Routing:
    grouped = sigmoid or config.word("topk_method", "greedy") == "group_limited_greedy"
    groups = config.count("n_group", 1) if grouped else 1
    chosen = config.count("num_experts_per_tok")
    if count % groups or chosen > count:
        raise config.invalid(f"n_routed_experts: {count} in {groups} groups, {chosen} a token")
    return Routing(
        chosen=chosen,
        scoring=Scoring.SIGMOID if sigmoid else Scoring.SOFTMAX,
        normalise=config.flag("norm_topk_prob", True) if sigmoid else False,
        scale=config.number("routed_scaling_factor", 1.0),
        groups=groups,
        groups_chosen=min(config.count("topk_group", 1), groups),
        group_members=min(2, count // groups) if sigmoid else 1,
    )
