"""Small model files with the metadata that real ones have."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

from tests.storage.gguf_file import GgufFile

F32, Q8_0, Q6_K = 0, 8, 14


def llama_gguf(**pairs: Any) -> GgufFile:
    """A llama of 2 layers, 64 wide, 4 heads of 16 and 2 of keys and values, 96 words."""
    values: dict[str, Any] = {
        "general.architecture": "llama",
        "general.name": "Tiny mix ep2",
        "general.organization": "Ink",
        "general.license": "apache-2.0",
        "general.languages": ["en", "zh"],
        "general.file_type": 7,
        "llama.context_length": 512,
        "llama.embedding_length": 64,
        "llama.block_count": 2,
        "llama.attention.head_count": 4,
        "llama.attention.head_count_kv": 2,
        "tokenizer.ggml.tokens": [f"w{i}" for i in range(96)],
        "tokenizer.chat_template": "{{ messages }}",
    }
    values.update(pairs)
    values = {key: value for key, value in values.items() if value is not None}
    tensors = [
        ("token_embd.weight", (96, 64), Q8_0, bytes(96 * 2 * 34)),
        ("output_norm.weight", (64,), F32, bytes(256)),
    ]
    return GgufFile(pairs=values, tensors=list(tensors))


LLAMA_CONFIG = {
    "model_type": "llama",
    "hidden_size": 64,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_hidden_layers": 2,
    "vocab_size": 96,
    "max_position_embeddings": 512,
}
SIZES = {"F32": 4, "BF16": 2, "F16": 2, "I32": 4, "U8": 1, "I8": 1, "F8_E4M3": 1}


def safetensors_bytes(tensors: dict[str, tuple[str, tuple[int, ...]]]) -> bytes:
    """A file of zeros: name -> (dtype, shape)."""
    header: dict[str, Any] = {}
    end = 0
    for name, (dtype, shape) in tensors.items():
        begin, count = end, SIZES[dtype]
        for size in shape:
            count *= size
        end = begin + count
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
    raw = json.dumps(header).encode()
    return struct.pack("<Q", len(raw)) + raw + bytes(end)


def llama_folder(folder: Path, config: object = None, readme: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(LLAMA_CONFIG if config is None else config))
    tensors = {"model.embed_tokens.weight": ("BF16", (96, 64)), "model.norm.weight": ("F32", (64,))}
    (folder / "model.safetensors").write_bytes(safetensors_bytes(tensors))
    if readme:
        (folder / "README.md").write_text(readme, "utf-8")
    return folder
