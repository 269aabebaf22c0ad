"""Rotary positions from a configuration, in the older spelling and the newer one.

Older files have ``rope_theta`` beside ``rope_scaling`` with a ``type``; newer ones a
``rope_parameters`` object with ``rope_type`` and ``rope_theta`` inside, at times one object for
each kind of layer.
"""

from __future__ import annotations

import torch
from torch import Tensor

from engine.families.config import Config
from engine.layers import frequencies
from engine.layers.rotary import Rotary


def rope_section(config: Config) -> Config:
    """The object that holds the rotary parameters; empty where the configuration has none."""
    empty = Config({}, config.path)
    return config.section("rope_parameters") or config.section("rope_scaling") or empty


def rotary_of(
    config: Config,
    head_dim: int,
    context: int,
    device: torch.device,
    section: Config | None = None,
) -> Rotary:
    """The rotary of a model, or of one kind of its layers.

    Args:
        config: the whole configuration.
        head_dim: of queries and keys; ``partial_rotary_factor`` is a share of it.
        context: longest sequence that will be run. Forms that change with the length of a sequence
            (dynamic NTK, LongRoPE) are settled by it once, so that all keys turn alike.
        device: where the tables are made.
        section: the rotary parameters, where they are not the configuration's own.

    Raises:
        EngineError: ``CONFIG_INVALID`` for an unknown or incomplete form.
    """
    rope = rope_section(config) if section is None else section
    share = _first_number("partial_rotary_factor", 1.0, rope, config)
    dim = int(head_dim * share + 1e-6)  # a share that was divided out of a whole number
    if dim < 2 or dim % 2 or dim > head_dim:
        raise config.invalid(f"rotary dimensions: {dim} of {head_dim}")
    table, factor = _form(config, rope, dim, context)
    return Rotary(table.to(device), factor)


def _form(config: Config, rope: Config, dim: int, context: int) -> tuple[Tensor, float]:
    """(frequencies, factor on cosine and sine)."""
    base = _first_number("rope_theta", 10000.0, rope, config)
    if base <= 1:
        raise config.invalid(f"rope_theta: {base}")
    sharpness = 1.0
    kind = rope.word("rope_type", rope.word("type", "default"))
    if kind in {"su", "yarn"} and "long_factor" in rope:
        kind = "longrope"  # what Phi-3's first files call it
    match kind:
        case "default" | "mrope":
            table = frequencies.plain(base, dim)
        case "linear":
            table = frequencies.linear(base, dim, rope.positive("factor"))
        case "dynamic":
            trained = config.count("max_position_embeddings")
            if dim < 4:
                raise config.invalid(f"rotary dimensions: {dim}, too few for dynamic scaling")
            table = frequencies.dynamic(base, dim, rope.positive("factor"), context, trained)
        case "llama3":
            low, high = rope.positive("low_freq_factor"), rope.positive("high_freq_factor")
            trained = _trained(config, rope)
            table = frequencies.llama3(base, dim, rope.positive("factor"), low, high, trained)
        case "yarn":
            table, sharpness = _yarn(config, rope, base, dim)
        case "longrope":
            table, sharpness = _longrope(config, rope, base, dim, context)
        case "factors":
            table = frequencies.divided(base, dim, rope.numbers("factors", dim // 2))
        case _:
            raise config.invalid(f"rope_type: {kind!r}")
    return table, sharpness


def _yarn(config: Config, rope: Config, base: float, dim: int) -> tuple[Tensor, float]:
    trained = _trained(config, rope)
    whole = config.number("max_position_embeddings", float(trained))
    factor = rope.positive("factor", whole / trained)
    table = frequencies.yarn(
        base,
        dim,
        factor,
        trained,
        fast=rope.positive("beta_fast", 32.0),
        slow=rope.positive("beta_slow", 1.0),
        truncate=rope.flag("truncate", True),
    )
    sharpness = rope.optional_number("attention_factor")
    if sharpness is None:
        here, all_dims = rope.number("mscale", 0.0), rope.number("mscale_all_dim", 0.0)
        sharpness = frequencies.yarn_sharpness(factor)
        if here and all_dims:
            sharpness = frequencies.yarn_sharpness(factor, here)
            sharpness /= frequencies.yarn_sharpness(factor, all_dims)
    return table, sharpness


def _longrope(
    config: Config, rope: Config, base: float, dim: int, context: int
) -> tuple[Tensor, float]:
    trained = _trained(config, rope)
    which = "long_factor" if context > trained else "short_factor"
    table = frequencies.divided(base, dim, rope.numbers(which, dim // 2))
    sharpness = rope.optional_number("attention_factor")
    if sharpness is None:
        stretch = config.number("max_position_embeddings") / trained
        sharpness = frequencies.longrope_sharpness(rope.positive("factor", stretch), trained)
    return table, sharpness


def _trained(config: Config, rope: Config) -> int:
    """Context before it was stretched: the configuration's own field, the section's, or all."""
    key = "original_max_position_embeddings"
    where = rope if key in rope and key not in config else config
    trained = where.count(key, config.count("max_position_embeddings"))
    if trained < 2:
        raise config.invalid(f"{key}: {trained}")
    return trained


def _first_number(key: str, default: float, *configs: Config) -> float:
    for config in configs:
        if key in config:
            return config.number(key)
    return default
