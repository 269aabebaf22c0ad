"""Writes a transformers model as a GGUF file, with the ``gguf`` package's own name tables.

What llama.cpp's converter does beyond renaming is done here by hand, from its description: rows of
queries and keys interleaved for llama-type files, one added to Gemma's norms.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch


def metadata_of(config: Any) -> dict[str, Any]:
    """The keys that every dense architecture has, after the architecture's name."""
    heads = config.num_attention_heads
    metadata = {
        "block_count": config.num_hidden_layers,
        "context_length": config.max_position_embeddings,
        "embedding_length": config.hidden_size,
        "feed_forward_length": config.intermediate_size,
        "attention.head_count": heads,
        "attention.head_count_kv": config.num_key_value_heads,
        "rope.dimension_count": getattr(config, "head_dim", None) or config.hidden_size // heads,
        "rope.freq_base": float(config.rope_parameters["rope_theta"]),
    }
    if hasattr(config, "rms_norm_eps"):
        metadata["attention.layer_norm_rms_epsilon"] = config.rms_norm_eps
    else:
        metadata["attention.layer_norm_epsilon"] = config.layer_norm_eps
    return metadata


def write_gguf(
    path: Path,
    oracle: Any,
    architecture: str,
    metadata: Mapping[str, Any],
    *,
    interleave: Mapping[str, int] | None = None,
    norms_hold_one: bool = False,
    extra: Mapping[str, np.ndarray] | None = None,
    skip: tuple[str, ...] = (),
) -> Path:
    """Write ``oracle``'s weights in float32.

    Args:
        path: the file.
        oracle: a transformers model.
        architecture: llama.cpp's name.
        metadata: keys after the architecture's name.
        interleave: suffix of a projection -> its heads.
        norms_hold_one: add one to norm weights.
        extra: tensors that only GGUF has; bytes are blocks of Q8_0.
        skip: parts of the names of tensors to leave out.
    """
    writer = gguf.GGUFWriter(path, architecture)
    for key, value in metadata.items():
        _add(writer, f"{architecture}.{key}", value)
    enum = {name: number for number, name in gguf.MODEL_ARCH_NAMES.items()}[architecture]
    names = gguf.get_tensor_name_map(enum, oracle.config.get_text_config().num_hidden_layers)
    for name, weight in oracle.state_dict().items():
        tied = name == "lm_head.weight" and oracle.config.tie_word_embeddings
        if tied or any(part in name for part in skip):
            continue
        stem, kind = name.rsplit(".", 1)
        x = weight.float()
        for suffix, heads in (interleave or {}).items():
            if stem.endswith(suffix):
                x = _interleaved(x, heads)
        if norms_hold_one and stem.endswith("norm"):
            x = x + 1
        known = names.get_name(stem)
        assert known is not None, name
        writer.add_tensor(f"{known}.{kind}", x.numpy())
    for name, array in (extra or {}).items():
        is_packed = array.dtype == np.uint8
        writer.add_tensor(
            name, array, raw_dtype=gguf.GGMLQuantizationType.Q8_0 if is_packed else None
        )
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _interleaved(x: torch.Tensor, heads: int) -> torch.Tensor:
    """Row order of llama.cpp's rotation: dimension i beside dimension i + n/2."""
    return x.view(heads, 2, x.shape[0] // heads // 2, *x.shape[1:]).transpose(1, 2).reshape(x.shape)


def _add(writer: gguf.GGUFWriter, key: str, value: Any) -> None:
    if isinstance(value, str):
        writer.add_string(key, value)
    elif isinstance(value, bool):
        writer.add_bool(key, value)
    elif isinstance(value, int):
        writer.add_uint32(key, value)
    elif isinstance(value, float):
        writer.add_float32(key, value)
    else:
        writer.add_array(key, list(value))
