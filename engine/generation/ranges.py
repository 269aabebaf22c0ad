"""Which numbers of a sampling mean something."""

from __future__ import annotations

import math

from engine.contract import EngineError, FaultKind, Sampling

_RANGES: tuple[tuple[str, float, float], ...] = (
    ("temperature", -math.inf, 100),
    ("top_k", -math.inf, math.inf),
    ("top_p", 0, math.inf),
    ("min_p", -math.inf, 1),
    ("typical_p", 0, math.inf),
    ("top_n_sigma", -math.inf, math.inf),
    ("xtc_probability", -math.inf, math.inf),
    ("xtc_threshold", 0, math.inf),
    ("repetition_penalty", 1e-3, 1e3),
    ("penalty_window", -1, math.inf),
    ("frequency_penalty", -1e3, 1e3),
    ("presence_penalty", -1e3, 1e3),
    ("dry_multiplier", -math.inf, 1e3),
    ("dry_base", 0, 1e3),
    ("dry_allowed_length", 1, math.inf),
    ("mirostat_tau", -math.inf, 1e3),
    ("mirostat_eta", 0, 1e3),
    ("min_tokens", 0, math.inf),
)
"""(name, lowest, highest) that mean something; past an "off" value a step is merely off."""


def check_sampling(sampling: Sampling) -> None:
    """Refuse numbers that mean nothing.

    Raises:
        EngineError: SETTING_INVALID with the setting's name, its value and what is allowed.
    """
    for name, lowest, highest in _RANGES:
        value = float(getattr(sampling, name))
        if not lowest <= value <= highest:  # NaN is in no range
            allowed = f"{lowest:g} … {highest:g}"
            raise EngineError(FaultKind.SETTING_INVALID, name=name, value=value, allowed=allowed)
    for token, value in sampling.logit_bias:
        if math.isnan(value) or value == math.inf or token < 0:
            shown = f"{token}: {value:g}"
            allowed = "id >= 0, a finite number or -inf"
            raise EngineError(
                FaultKind.SETTING_INVALID, name="logit_bias", value=shown, allowed=allowed
            )
