"""How many layers of a model look at a sliding window, by the rules of its architecture.

The same rules as the families', on the names in files: the list of models tells the memory that a
model needs before torch is there. A test holds the two against each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_DEFAULT_WINDOWS = {"gemma2": 4096, "gemma3": 4096, "gpt_oss": 128}
_ALL = frozenset({"llama", "mistral", "ministral", "mixtral", "phi3"})
_SWITCHED = frozenset({"qwen2", "qwen3", "qwen2_moe", "qwen3_moe", "smollm3"})


def sliding_window(architecture: str, layers: int, config: Mapping[str, Any]) -> tuple[int, int]:
    """(window, layers that slide); zeros where none does, or where the file does not say.

    Args:
        architecture: its name in the file.
        layers: how many there are.
        config: values under Hugging Face's keys.
    """
    kind = architecture.replace("-", "_").removesuffix("_text")
    window = config.get("sliding_window", _DEFAULT_WINDOWS.get(kind))
    if type(window) is not int or window < 1:
        return 0, 0
    if kind in _SWITCHED and config.get("use_sliding_window") is not True:
        return 0, 0
    kinds = config.get("layer_types")
    if isinstance(kinds, list):
        return window, min(kinds.count("sliding_attention"), layers)
    return window, _by_rule(kind, layers, config)


def _by_rule(kind: str, layers: int, config: Mapping[str, Any]) -> int:
    """How many layers slide where no list says which."""
    if kind in {"gemma2", "gpt_oss"}:
        return (layers + 1) // 2
    if kind in {"gemma3", "olmo2", "olmo3"}:
        pattern = config.get("sliding_window_pattern", 6 if kind == "gemma3" else 4)
        return layers - layers // pattern if type(pattern) is int and pattern > 0 else 0
    if kind in {"qwen2", "qwen3"}:
        first = config.get("max_window_layers", 28)
        return max(0, layers - first) if type(first) is int else 0
    return layers if kind in _ALL | {"qwen2_moe", "qwen3_moe"} else 0
