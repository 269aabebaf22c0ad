"""Which of a checkpoint's tensors are rounded, and which belong together."""

from __future__ import annotations

import re

_LAYER = re.compile(r"(?:^|\.)(?:layers|h|blocks)\.(\d+)\.")
_KEPT = ("norm", ".gate.weight", "router", "shared_expert_gate", "conv", "bias")
"""Parts of the names of tensors in layers that stay as they are: routers turn on a hair."""

_OTHER_SENSES = ("vision", "visual", "audio", "image", "multi_modal")
_TOGETHER = (("q_proj", "k_proj", "v_proj"), ("gate_proj", "up_proj"))
"""Projections that vLLM joins into one: they must be stored alike."""


def layer_of(name: str) -> int | None:
    """The layer that a tensor belongs to; None for all others, and picture encoders."""
    if any(sense in name for sense in _OTHER_SENSES):
        return None
    found = _LAYER.search(name)
    return int(found[1]) if found else None


def is_rounded(name: str, shape: tuple[int, ...]) -> bool:
    """Whether a tensor is a linear map of a layer."""
    kept = any(part in name for part in _KEPT)
    return layer_of(name) is not None and name.endswith(".weight") and len(shape) == 2 and not kept


def is_head(name: str) -> bool:
    """Whether a tensor is the output head."""
    return name.endswith("lm_head.weight")


def module_of(name: str) -> str:
    """The module whose weight this is."""
    return name.removesuffix(".weight")


def together(name: str) -> str:
    """A key that projections share which are stored alike."""
    module = module_of(name)
    stem, _, last = module.rpartition(".")
    for names in _TOGETHER:
        if last in names:
            return f"{stem}.{'+'.join(names)}"
    return module
