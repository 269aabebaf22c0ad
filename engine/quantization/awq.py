"""AWQ (arXiv 2306.00978): columns with large inputs are scaled up before rounding.

The norm in front takes the inverse, so that the model computes the same; how far the scales go is
tried on some rows.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from engine.library.recipes import Scheme
from engine.quantization.rounding import round_searched

_POWERS = (0.1, 0.2, 0.3, 0.4, 0.5)
_TRIED_ROWS = 256
_ATTENTION = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj")
_FEED_FORWARD = ("mlp.gate_proj", "mlp.up_proj")


def fold_scales(
    weights: dict[str, Tensor],
    at: str,
    importance: Mapping[str, Tensor],
    scheme: Scheme,
    dtype: torch.dtype,
    norms_hold_less: bool,
) -> None:
    """Scale a layer's columns and its norms, in place of what they were.

    Args:
        weights: of the layer, float32, by their full names; entries are replaced.
        at: prefix of the names, with its dot.
        importance: mean square of the inputs of each linear map.
        scheme: that the weights will be rounded to.
        dtype: of the stored scales.
        norms_hold_less: whether a norm of ``1 + w`` is stored as ``w`` (Gemma).
    """
    before = "pre_feedforward_layernorm"
    second = before if f"{at}{before}.weight" in weights else "post_attention_layernorm"
    for norm, linears in (("input_layernorm", _ATTENTION), (second, _FEED_FORWARD)):
        names = [f"{at}{linear}.weight" for linear in linears]
        stored = weights.get(f"{at}{norm}.weight")
        if stored is None or any(name not in weights or name not in importance for name in names):
            continue
        scales = _scales([weights[n] for n in names], importance[names[0]], scheme, dtype)
        if scales is None:
            continue
        for name in names:
            weights[name] = weights[name] * scales
        one = 1.0 if norms_hold_less else 0.0
        weights[f"{at}{norm}.weight"] = (stored + one) / scales - one


def _scales(
    matrices: list[Tensor], importance: Tensor, scheme: Scheme, dtype: torch.dtype
) -> Tensor | None:
    """The columns' scales that leave the least error; None where none helps."""
    step = [m[:: max(1, len(m) // _TRIED_ROWS)] for m in matrices]
    some = torch.cat(step)
    size = (importance + importance.mean() * 1e-3).sqrt()
    best, least = None, _error(some, torch.ones_like(size), importance, scheme, dtype)
    for power in _POWERS:
        scales = size**power
        scales = scales / (scales.max() * scales.min()).sqrt()
        error = _error(some, scales, importance, scheme, dtype)
        if error < least:
            best, least = scales, error
    return best


def _error(
    weight: Tensor, scales: Tensor, importance: Tensor, scheme: Scheme, dtype: torch.dtype
) -> float:
    scaled = weight * scales
    found = round_searched(scaled, scheme, dtype, importance / scales.square()).weight / scales
    return float(((found - weight).square() * importance).sum())
