"""Tiny models with outlier channels, and sources of smaller copies made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import AutoConfig, LlamaConfig, LlamaForCausalLM

from engine.quantization.source import Source
from engine.storage.open import open_checkpoint

VOCABULARY, TOKENS = 160, 96


def write_llama(folder: Path, *, layers: int = 3, tied: bool = False, **changes: Any) -> Path:
    """A random Llama whose norms have a few enormous channels, as trained models' do."""
    torch.manual_seed(3)
    sizes = {"hidden_size": 128, "intermediate_size": 192, "num_attention_heads": 4}
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        num_hidden_layers=layers,
        num_key_value_heads=2,
        max_position_embeddings=256,
        tie_word_embeddings=tied,
        initializer_range=0.08,
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=None,
        **{**sizes, **changes},
    )
    LlamaForCausalLM(config).to(torch.bfloat16).save_pretrained(folder)
    file = folder / "model.safetensors"
    tensors = load_file(file)
    for name, tensor in tensors.items():
        if name.endswith("layernorm.weight"):
            tensor[5::37] *= 12
    save_file(tensors, file, metadata={"format": "pt"})
    return folder


def some_ids(rows: int = 4, seed: int = 7) -> Tensor:
    """Random ids [rows, TOKENS]."""
    return torch.randint(0, VOCABULARY, (rows, TOKENS), generator=torch.manual_seed(seed))


def source_of(folder: Path, ids: Tensor | None = None) -> Source:
    """The folder as a source, calibrated on random ids."""
    checkpoint = open_checkpoint(folder)
    values = {k: v for k, v in checkpoint.metadata.items() if k != "quantization_config"}
    return Source(
        path=folder,
        checkpoint=checkpoint,
        values=values,
        config=AutoConfig.from_pretrained(folder),
        ids=some_ids() if ids is None else ids,
        write_text=lambda into: None,
        stamp=str((folder / "config.json").stat().st_mtime_ns),
    )
