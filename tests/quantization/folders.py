"""Model folders without torch or transformers: what a window needs to know of one."""

from __future__ import annotations

import json
import struct
from pathlib import Path

HIDDEN, LAYERS, VOCABULARY = 64, 4, 160


def write_folder(folder: Path) -> Path:
    """A Llama of zeros in bf16."""
    folder.mkdir(parents=True)
    config = {
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": HIDDEN,
        "intermediate_size": 96, "num_hidden_layers": LAYERS, "num_attention_heads": 4,
        "num_key_value_heads": 2, "vocab_size": VOCABULARY, "max_position_embeddings": 256,
        "torch_dtype": "bfloat16", "tie_word_embeddings": True,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    shapes = {"model.embed_tokens.weight": (VOCABULARY, HIDDEN), "model.norm.weight": (HIDDEN,)}
    for layer in range(LAYERS):
        shapes |= {f"model.layers.{layer}.mlp.{x}.weight": (96, HIDDEN) for x in ("up", "gate")}
    header, at = {}, 0
    for name, shape in shapes.items():
        size = 2 * shape[0] * (shape[1] if len(shape) > 1 else 1)
        header[name] = {"dtype": "BF16", "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    data = struct.pack("<Q", len(text)) + text + bytes(at)
    (folder / "model.safetensors").write_bytes(data)
    return folder
