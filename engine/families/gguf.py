"""GGUF files in Hugging Face's terms: metadata to configuration keys, tensor names to theirs.

llama.cpp stores the same models under other names, and some tensors in another form: rows of
queries and keys interleaved for its rotation (llama-type files only), Gemma's norms with the one
of ``1 + w`` added, rotary factors as a tensor instead of a formula. A family that llama.cpp knows
has a ``GgufLayout`` in its file; everything here undoes what it describes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.families.config import Config
from engine.families.view import Change, CheckpointView
from engine.layers.rotary import half_split_order
from engine.storage.checkpoint import Checkpoint
from engine.weights import Weight, dense, pick_rows

TOP_NAMES = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
# the part of a name after ``blk.N.`` -> after ``model.layers.N.``
LAYER_NAMES = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
# metadata key after the architecture's name -> configuration key
KEYS = {
    "block_count": "num_hidden_layers",
    "context_length": "max_position_embeddings",
    "embedding_length": "hidden_size",
    "feed_forward_length": "intermediate_size",
    "attention.head_count": "num_attention_heads",
    "attention.head_count_kv": "num_key_value_heads",
    "attention.key_length": "head_dim",
    "attention.layer_norm_rms_epsilon": "rms_norm_eps",
    "attention.layer_norm_epsilon": "layer_norm_eps",
    "attention.sliding_window": "sliding_window",
    "rope.freq_base": "rope_theta",
    "attn_logit_softcapping": "attn_logit_softcapping",
    "final_logit_softcapping": "final_logit_softcapping",
}
BLOCK = re.compile(r"blk\.(\d+)\.(.+)\.(weight|bias)")


@dataclass(frozen=True, slots=True)
class GgufLayout:
    """How llama.cpp stores one family.

    Attributes:
        names: of a layer's tensors, as ``LAYER_NAMES``.
        interleaved: projections whose rows hold the rotary pairs side by side.
        norms_hold_one: whether norm weights are stored as ``1 + w``.
        keys: further metadata keys, as ``KEYS``.
        more: from the translated configuration, what llama.cpp leaves to its code.
    """

    names: Mapping[str, str]
    interleaved: tuple[str, ...] = ()
    norms_hold_one: bool = False
    keys: Mapping[str, str] = field(default_factory=dict)
    more: Callable[[Config], dict[str, Any]] = lambda config: {}


def architecture_of(checkpoint: Checkpoint) -> str:
    """llama.cpp's name of the architecture."""
    return str(checkpoint.metadata.get("general.architecture", ""))


def gguf_view(checkpoint: Checkpoint, layout: GgufLayout, model_type: str) -> CheckpointView:
    """The checkpoint as the family's Hugging Face files would be."""
    names = {_translated(name, layout.names): name for name in checkpoint.names()}
    config = {"model_type": model_type, **_config(checkpoint, layout, names)}
    changes = {name: change for name in names if (change := _change(name, config, layout))}
    return CheckpointView(checkpoint, config, names, changes)


def _translated(name: str, layer_names: Mapping[str, str]) -> str:
    match = BLOCK.fullmatch(name)
    if match is None:
        stem, _, kind = name.rpartition(".")
        return f"{TOP_NAMES[stem]}.{kind}" if stem in TOP_NAMES else name
    layer, stem, kind = match.groups()
    return f"model.layers.{layer}.{layer_names.get(stem, stem)}.{kind}"


def _config(checkpoint: Checkpoint, layout: GgufLayout, names: Mapping[str, str]) -> dict[str, Any]:
    """The configuration that the metadata, and the presence of tensors, imply."""
    prefix = f"{architecture_of(checkpoint)}."
    values: dict[str, Any] = {}
    for key, known in {**KEYS, **layout.keys}.items():
        value = checkpoint.metadata.get(prefix + key)
        if value is not None and (known, value) != ("sliding_window", 0):
            values[known] = value
    values["tie_word_embeddings"] = "lm_head.weight" not in names
    first = "model.layers.0.self_attn"
    values["attention_bias"] = f"{first}.q_proj.bias" in names or f"{first}.qkv_proj.bias" in names
    values["mlp_bias"] = "model.layers.0.mlp.gate_proj.bias" in names
    values.update(_rope(checkpoint, prefix, values))
    return {**values, **layout.more(Config(values, checkpoint.path))}


def _rope(checkpoint: Checkpoint, prefix: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """``head_dim``, the share of it that turns, and ``rope_scaling``."""
    found: dict[str, Any] = {}
    turning, head_dim = checkpoint.metadata.get(f"{prefix}rope.dimension_count"), _head_dim(values)
    if head_dim is not None:
        found["head_dim"] = head_dim
        if isinstance(turning, int) and turning != head_dim:
            found["partial_rotary_factor"] = turning / head_dim
    scaling = _scaling(checkpoint, f"{prefix}rope.scaling.")
    if scaling is not None:
        found["rope_scaling"] = scaling
    return found


def _head_dim(values: Mapping[str, Any]) -> int | None:
    """As llama.cpp has it: its own key, else hidden / heads; None where neither can be."""
    heads, hidden = values.get("num_attention_heads"), values.get("hidden_size")
    if "head_dim" in values:
        own = values["head_dim"]
        return own if isinstance(own, int) and own > 0 else None
    if isinstance(heads, int) and isinstance(hidden, int) and 0 < heads <= hidden:
        return hidden // heads
    return None


def _scaling(checkpoint: Checkpoint, prefix: str) -> dict[str, Any] | None:
    def factors(name: str) -> list[float]:
        return [float(x) for x in dense(checkpoint.read(name)).flatten().tolist()]

    names, metadata = checkpoint.names(), checkpoint.metadata
    given = {
        "factor": metadata.get(f"{prefix}factor"),
        "original_max_position_embeddings": metadata.get(f"{prefix}original_context_length"),
        "beta_fast": metadata.get(f"{prefix}yarn_beta_fast"),
        "beta_slow": metadata.get(f"{prefix}yarn_beta_slow"),
    }
    given = {key: value for key, value in given.items() if value is not None}
    if "rope_factors_long.weight" in names and "rope_factors_short.weight" in names:
        given["long_factor"] = factors("rope_factors_long.weight")
        given["short_factor"] = factors("rope_factors_short.weight")
        given["attention_factor"] = metadata.get(f"{prefix}attn_factor")
        return {"rope_type": "longrope", **given}
    if "rope_freqs.weight" in names:
        return {"rope_type": "factors", "factors": factors("rope_freqs.weight")}
    kind = metadata.get(f"{prefix}type", "none")
    return None if kind == "none" else {"rope_type": kind, **given}


def _change(name: str, config: Mapping[str, Any], layout: GgufLayout) -> Change | None:
    """What brings one tensor into Hugging Face's form; None where it is in it already."""
    if layout.norms_hold_one and name.endswith("norm.weight"):
        return _without_one
    stem = name.rpartition(".")[0]
    if not stem.endswith(layout.interleaved or ("\0",)):
        return None
    heads = config.get("num_attention_heads", 1)
    kv_heads = config.get("num_key_value_heads", heads)
    count = kv_heads if stem.endswith("k_proj") else heads

    def half_split(weight: Weight) -> Weight:
        head_dim = weight.shape[0] // count
        return pick_rows(weight, half_split_order(count, head_dim, head_dim))

    return half_split


def _without_one(weight: Weight) -> Weight:
    return dense(weight) - 1
