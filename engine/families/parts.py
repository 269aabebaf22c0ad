"""The parts that families have in common, built from a checkpoint's weights.

A family file says what it is made of; here stands how each part asks for its tensors in the
spelling that most of Hugging Face's checkpoints share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from engine.contract.faults import Notice, NoticeKind
from engine.families.config import Config
from engine.families.weights_in import Rows, WeightsIn
from engine.kernels.interface import AttentionRule, Packed
from engine.layers.attention import Attention
from engine.layers.block import Block, ParallelBlock
from engine.layers.decoder import Decoder
from engine.layers.feed_forward import Activation, GatedFeedForward
from engine.layers.linear import Embedding, Linear
from engine.layers.norm import RmsNorm
from engine.layers.rotary import Rotary

ACTIVATION_NAMES = {
    "silu": Activation.SILU,
    "swish": Activation.SILU,
    "gelu": Activation.GELU,
    "gelu_new": Activation.GELU_TANH,
    "gelu_pytorch_tanh": Activation.GELU_TANH,
    "relu": Activation.RELU,
    "relu2": Activation.RELU_SQUARED,
}


@dataclass(frozen=True, slots=True)
class Sizes:
    """The numbers that nearly every part needs."""

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
        """Read the sizes; ``head_dim`` is its own number, not hidden / heads (E16)."""
        hidden, heads = config.count("hidden_size"), config.count("num_attention_heads")
        kv_heads = config.count("num_key_value_heads", heads)
        if heads % kv_heads:
            raise config.invalid(f"num_attention_heads: {heads} over {kv_heads} key-value heads")
        return Sizes(
            hidden=hidden,
            layers=config.count("num_hidden_layers"),
            heads=heads,
            kv_heads=kv_heads,
            head_dim=config.count("head_dim", hidden // heads),
            intermediate=config.count("intermediate_size"),
            context=config.count("max_position_embeddings", 2048),
            eps=config.number(eps_key, 1e-6),
        )


def activation_of(config: Config, key: str = "hidden_act", default: str = "silu") -> Activation:
    """The activation that a configuration names."""
    name = config.word(key, default)
    if name not in ACTIVATION_NAMES:
        raise config.invalid(f"{key}: {name!r}")
    return ACTIVATION_NAMES[name]


def linear(weights: WeightsIn, parts: Sequence[Rows], columns: int, bias: bool = False) -> Linear:
    """The parts' weights and biases end to end, as one map of the same input."""
    packed = weights.matrix(parts, columns)
    if not bias:
        return Linear(weights.kernels, packed)
    vectors = []
    for part in parts:
        vector = weights.vector(f"{part.name}.bias", part.rows)
        order = None if part.order is None else part.order.to(vector.device)
        vectors.append(vector if order is None else vector[order])
    return Linear(weights.kernels, packed, torch.cat(vectors))


def rms_norm(
    weights: WeightsIn,
    at: str,
    size: int,
    eps: float,
    *,
    plus_one: bool = False,
    leads_to_sum: bool = False,
) -> RmsNorm:
    """A norm; ``plus_one`` for families that store ``w`` of ``1 + w`` (Gemma)."""
    weight = weights.vector(f"{at}.weight", size)
    return RmsNorm(weights.kernels, weight + 1 if plus_one else weight, eps, leads_to_sum)


def attention(
    weights: WeightsIn,
    at: str,
    layer: int,
    sizes: Sizes,
    rotary: Rotary | None,
    *,
    bias: bool = False,
    out_bias: bool = False,
    head_norms: bool = False,
    norm_plus_one: bool = False,
    window: int | None = None,
    softcap: float | None = None,
    scale: float | None = None,
    out: str = "o_proj",
) -> Attention:
    """Grouped-query attention with ``q_proj``, ``k_proj``, ``v_proj`` and ``out`` under ``at``.

    Args:
        weights: where they come from.
        at: prefix of the names, without the last dot.
        layer: index in the cache.
        sizes: of the model.
        rotary: how queries and keys turn; None where they do not.
        bias: whether queries, keys and values have biases.
        out_bias: whether the output has one.
        head_norms: whether each query and key head is normalised (``q_norm``, ``k_norm``).
        norm_plus_one: see ``rms_norm``.
        window: keys that a token sees; None is all.
        softcap: on the scores.
        scale: on the scores; None is ``head_dim ** -0.5``.
        out: name of the output projection.
    """
    q, kv = sizes.heads * sizes.head_dim, sizes.kv_heads * sizes.head_dim
    parts = [Rows(f"{at}.q_proj", q), Rows(f"{at}.k_proj", kv), Rows(f"{at}.v_proj", kv)]

    def head_norm(name: str) -> RmsNorm | None:
        if not head_norms:
            return None
        return rms_norm(weights, f"{at}.{name}", sizes.head_dim, sizes.eps, plus_one=norm_plus_one)

    return Attention(
        kernels=weights.kernels,
        layer=layer,
        heads=sizes.heads,
        kv_heads=sizes.kv_heads,
        head_dim=sizes.head_dim,
        qkv=linear(weights, parts, sizes.hidden, bias),
        out=linear(weights, [Rows(f"{at}.{out}", sizes.hidden)], q, out_bias),
        rule=AttentionRule(sizes.head_dim**-0.5 if scale is None else scale, window, softcap),
        rotary=rotary,
        q_norm=head_norm("q_norm"),
        k_norm=head_norm("k_norm"),
    )


def gated(
    weights: WeightsIn,
    at: str,
    hidden: int,
    intermediate: int,
    activation: Activation,
    bias: bool = False,
) -> GatedFeedForward:
    """A gated feed-forward with ``gate_proj``, ``up_proj`` and ``down_proj`` under ``at``."""
    both = [Rows(f"{at}.gate_proj", intermediate), Rows(f"{at}.up_proj", intermediate)]
    return GatedFeedForward(
        gate_up=linear(weights, both, hidden, bias),
        down=linear(weights, [Rows(f"{at}.down_proj", hidden)], intermediate, bias),
        activation=activation,
    )


def decoder(
    config: Config,
    weights: WeightsIn,
    sizes: Sizes,
    block: Callable[[int], Block | ParallelBlock],
    *,
    norm_plus_one: bool = False,
    embedding_scale: float = 1.0,
    logit_scale: float = 1.0,
    logit_softcap: float | None = None,
) -> Decoder:
    """Embedding, blocks, norm and head around a family's ``block(layer)``."""
    rows = weights.rows_of("model.embed_tokens.weight")
    vocabulary = config.count("vocab_size", rows)
    (embedding,) = weights.matrix([Rows("model.embed_tokens", vocabulary)], sizes.hidden)
    blocks = tuple(block(layer) for layer in range(sizes.layers))
    norm = rms_norm(weights, "model.norm", sizes.hidden, sizes.eps, plus_one=norm_plus_one)
    head, notices = _head(config, weights, embedding)
    return Decoder(
        kernels=weights.kernels,
        embedding=Embedding(weights.kernels, embedding, embedding_scale),
        blocks=blocks,
        norm=norm,
        head=head,
        context_length=sizes.context,
        weight_bytes=weights.held_bytes,
        notices=notices,
        logit_scale=logit_scale,
        logit_softcap=logit_softcap,
    )


def _head(
    config: Config, weights: WeightsIn, embedding: Packed
) -> tuple[Linear, tuple[Notice, ...]]:
    """The head: its own where the file has one, else the embedding.

    The flag and what is in the file can disagree. A head in the file that differs from the
    embedding is used whatever the flag says, as transformers does; a missing one is never made up:
    the embedding serves, and the user is told.
    """
    tied = config.flag("tie_word_embeddings", False)
    embedding_name, head_name = "model.embed_tokens.weight", "lm_head.weight"
    if weights.has(head_name) and not (tied and weights.same(embedding_name, head_name)):
        bias = weights.has("lm_head.bias")
        return linear(weights, [Rows("lm_head", embedding.shape[0])], embedding.shape[1], bias), ()
    says_untied = "tie_word_embeddings" in config and not tied
    notices = (Notice(NoticeKind.HEAD_TIED),) if says_untied else ()
    return Linear(weights.kernels, (embedding,)), notices
