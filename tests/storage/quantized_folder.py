"""Folders with one quantized weight, ``l.weight``, and a norm beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from engine.storage.open import open_checkpoint
from engine.weights import Weight

ROWS, COLUMNS, GROUP = 48, 128, 32
GROUPS = COLUMNS // GROUP


def save(folder: Path, tensors: dict[str, Tensor], scheme: dict[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    config = {"model_type": "llama", "quantization_config": scheme}
    (folder / "config.json").write_text(json.dumps(config))
    tensors = {name: tensor.contiguous() for name, tensor in tensors.items()}
    save_file({**tensors, "norm.weight": torch.ones(4)}, folder / "model.safetensors")
    return folder


def read(folder: Path, name: str = "l.weight", shape: tuple[int, ...] = (ROWS, COLUMNS)) -> Weight:
    checkpoint = open_checkpoint(folder)
    assert set(checkpoint.names()) == {name, "norm.weight"}
    assert checkpoint.shape(name) == shape
    assert checkpoint.nbytes(name) > 0
    return checkpoint.read(name)
