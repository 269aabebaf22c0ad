"""The numbers that nearly every part of a model needs."""

from __future__ import annotations

from dataclasses import dataclass

from engine.families.config import Config

WIDEST, DEEPEST = 1 << 20, 1 << 12
"""Rows of all query heads together, and layers: tables of these sizes are made before a tensor is
looked at, so a file that claims more is damaged."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of a decoder; ``eps`` is its norms'."""

    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    context: int
    eps: float

    @staticmethod
    def of(config: Config, eps_key: str = "rms_norm_eps") -> Sizes:
        """Read the sizes; ``head_dim`` is its own number, not hidden / heads (E16).

        Raises:
            EngineError: ``CONFIG_INVALID``.
        """
        hidden, heads = config.count("hidden_size"), config.count("num_attention_heads")
        kv_heads = config.count("num_key_value_heads", heads)
        if heads % kv_heads:
            raise config.invalid(f"num_attention_heads: {heads} over {kv_heads} key-value heads")
        head_dim = config.count("head_dim", hidden // heads)
        if heads * head_dim > WIDEST:
            raise config.invalid(f"head_dim: {head_dim} in {heads} heads")
        layers = config.count("num_hidden_layers")
        if layers > DEEPEST:
            raise config.invalid(f"num_hidden_layers: {layers}")
        return Sizes(
            hidden=hidden,
            layers=layers,
            heads=heads,
            kv_heads=kv_heads,
            head_dim=head_dim,
            intermediate=config.count("intermediate_size"),
            context=config.count("max_position_embeddings", 2048),
            eps=config.number(eps_key, 1e-6),
        )
