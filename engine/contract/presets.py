"""Presets: how freely the model picks its next word, by a name.

The values are the field's usual ones. "Balanced" is what the model itself recommends in its
``generation_config.json``, or the engine's defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from engine.contract.commands import Sampling, SamplingOrder
from engine.contract.ranges import SAMPLING
from engine.contract.setting import Value

BALANCED = "balanced"
PRESETS: Mapping[str, Sampling | None] = {
    BALANCED: None,
    "chat": Sampling(temperature=0.8, top_k=40, top_p=0.95, repetition_penalty=1.05),
    "precise": Sampling(temperature=0.0),
    "creative": Sampling(temperature=1.2, top_k=0, top_p=0.85, typical_p=0.95),
    "code": Sampling(temperature=0.2, top_k=40, top_p=0.9, seed=42),
    "summary": Sampling(temperature=0.3, top_p=0.9),
    "translator": Sampling(temperature=0.2, top_k=20, top_p=0.9),
}


def values_of(sampling: Sampling) -> dict[str, Value]:
    """Return a sampling as values of the settings in ``SAMPLING``."""
    plain = asdict(sampling) | {"order": sampling.order.value}
    return {
        each.key: each.default if plain[each.key] is None else plain[each.key] for each in SAMPLING
    }


def sampling_of(values: Mapping[str, Value]) -> Sampling:
    """Return the sampling of values; what is missing has its default.

    Raises:
        ValueError: a name is unknown, or a value not allowed; its message is the name.
    """
    known = {each.key: each for each in SAMPLING}
    read: dict[str, Any] = {}
    for key, value in values.items():
        setting = known.get(key)
        number = (
            float(value)
            if setting and type(setting.default) is float and type(value) is int
            else value
        )
        if setting is None or not setting.allows(number):
            raise ValueError(key)
        read[key] = number
    if "order" in read:
        read["order"] = SamplingOrder(read["order"])
    if read.get("seed") == -1:
        read["seed"] = None
    return Sampling(**read)
