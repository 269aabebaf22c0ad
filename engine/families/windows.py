"""Which layers look at a sliding window: a list of kinds in newer configurations, a rule before."""

from __future__ import annotations

from collections.abc import Callable

from engine.families.config import Config

SLIDING, FULL = "sliding_attention", "full_attention"


def sliding_layers(config: Config, layers: int, rule: Callable[[int], bool]) -> list[bool]:
    """For each layer whether it slides: ``layer_types`` where given, else the family's rule."""
    kinds = config.words("layer_types", layers)
    if kinds is None:
        return [rule(layer) for layer in range(layers)]
    unknown = set(kinds) - {SLIDING, FULL}
    if unknown:
        raise config.invalid(f"layer_types: {sorted(unknown)}")
    return [kind == SLIDING for kind in kinds]


def windows_of(config: Config, layers: int, rule: Callable[[int], bool]) -> list[int | None]:
    """The window of each layer, or None where it sees everything."""
    if "sliding_window" not in config:
        return [None] * layers
    window = config.count("sliding_window")
    return [window if slides else None for slides in sliding_layers(config, layers, rule)]
