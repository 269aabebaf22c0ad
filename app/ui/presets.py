"""Presets: how freely the model picks its next word, by a name (reference: sampling.md).

"Balanced" is what the model itself recommends in its ``generation_config.json``, or the engine's
defaults for a chat. The others are the field's usual values.
"""

from __future__ import annotations

from engine.contract import Sampling

BALANCED, OTHER = "balanced", "other"
PRESETS: dict[str, Sampling | None] = {
    BALANCED: None,
    "precise": Sampling(temperature=0.0),
    "creative": Sampling(temperature=1.2, top_k=0, top_p=0.85, typical_p=0.95),
    "code": Sampling(temperature=0.2, top_k=40, top_p=0.9, seed=42),
}


def preset_of(sampling: Sampling | None) -> str:
    """Return the name of the preset with these values, or OTHER."""
    return next((name for name, values in PRESETS.items() if values == sampling), OTHER)
