"""The parts that families have in common, built from a checkpoint's weights.

A family file says what it is made of; here stands how each part asks for its tensors in the
spelling that most of Hugging Face's checkpoints share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.families.config import Config
from engine.families.head import output_head
from engine.families.rope import rope_section, rotary_of
from engine.families.sizes import Sizes
from engine.families.weights_in import Rows, WeightsIn
from engine.families.windows import FULL, SLIDING
from engine.kernels.interface import AttentionRule
from engine.layers.attention import Attention, Mixer
from engine.layers.block import Block, ParallelBlock
from engine.layers.decoder import Decoder
from engine.layers.feed_forward import Activation, FeedForward, GatedFeedForward
from engine.layers.linear import Embedding, Linear
from engine.layers.norm import LayerNorm, Norm, RmsNorm
from engine.layers.rotary import Rotary, half_split_order

ACTIVATIONS = {
    "silu": Activation.SILU,
    "swish": Activation.SILU,
    "gelu": Activation.GELU,
    "gelu_new": Activation.GELU_TANH,
    "gelu_pytorch_tanh": Activation.GELU_TANH,
    "relu": Activation.RELU,
    "relu2": Activation.RELU_SQUARED,
}


@dataclass(frozen=True, slots=True)
class Parts:
    """One model's configuration, weights and sizes, and the parts that they make.

    Attributes:
        config: in Hugging Face's keys, the family's defaults under it.
        weights: surveyed or read.
        sizes: what nearly every part needs.
        plus_one: norms are stored as ``w`` of ``1 + w`` (Gemma).
        interleaved: the checkpoint's rotary pairs stand side by side (GLM).
    """

    config: Config
    weights: WeightsIn
    sizes: Sizes
    plus_one: bool = False
    interleaved: bool = False

    def rotary(self, context: int, section: Config | None = None) -> Rotary:
        """The rotary of the model, or of the layers that ``section`` describes."""
        device = self.weights.kernels.device
        return rotary_of(self.config, self.sizes.head_dim, context, device, section)

    def rotaries(self, context: int, near_base: float, far_base: float) -> tuple[Rotary, Rotary]:
        """(of sliding layers, of global ones), where the two kinds differ.

        Newer configurations have an object for each; in older ones scaling is the global
        layers' alone. The bases are what holds where the configuration names none.
        """
        empty = Config({}, self.config.path)
        section = rope_section(self.config)
        nested = SLIDING in section or FULL in section
        near = (section.section(SLIDING) or empty) if nested else empty
        far = (section.section(FULL) or empty) if nested else section
        return (
            self.rotary(context, near.with_defaults({"rope_theta": near_base})),
            self.rotary(context, far.with_defaults({"rope_theta": far_base})),
        )

    def activation(self, key: str = "hidden_act", default: str = "silu") -> Activation:
        """The activation that the configuration names."""
        name = self.config.word(key, default)
        if name not in ACTIVATIONS:
            raise self.config.invalid(f"{key}: {name!r}")
        return ACTIVATIONS[name]

    def linear(self, parts: Sequence[Rows], columns: int, bias: bool = False) -> Linear:
        """The parts' weights and biases end to end, as one map of the same input."""
        packed = self.weights.matrix(parts, columns)
        if not bias:
            return Linear(self.weights.kernels, packed)
        return Linear(self.weights.kernels, packed, torch.cat([self._bias(part) for part in parts]))

    def norm(self, at: str, size: int | None = None, leads_to_sum: bool = False) -> RmsNorm:
        """An RMS norm over ``size`` values (the hidden size by default); see ``RmsNorm``."""
        weight = self.weights.tensor(f"{at}.weight", size or self.sizes.hidden)
        weight = weight + 1 if self.plus_one else weight
        return RmsNorm(self.weights.kernels, weight, self.sizes.eps, leads_to_sum)

    def layer_norm(self, at: str) -> LayerNorm:
        """A layer norm over the hidden size; the bias is there or not."""
        size, name = self.sizes.hidden, f"{at}.bias"
        bias = self.weights.tensor(name, size) if self.weights.has(name) else None
        weight = self.weights.tensor(f"{at}.weight", size)
        return LayerNorm(self.weights.kernels, weight, bias, self.sizes.eps)

    def attention(
        self,
        at: str,
        layer: int,
        rotary: Rotary | None,
        *,
        bias: bool = False,
        out_bias: bool = False,
        fused: str | None = None,
        fused_order: Tensor | None = None,
        window: int | None = None,
        softcap: float | None = None,
        scale: float | None = None,
        norms: tuple[Norm, Norm] | None = None,
        norm_whole: bool = False,
        sinks: Tensor | None = None,
    ) -> Attention:
        """Grouped-query attention with ``q_proj``, ``k_proj``, ``v_proj``, ``o_proj`` under ``at``.

        Args:
            at: prefix of the names, without the last dot.
            layer: index in the cache.
            rotary: how queries and keys turn; None where they do not.
            bias: whether queries, keys and values have biases.
            out_bias: whether the output has one.
            fused: name of one projection with all rows, where there is one.
            fused_order: of its rows, to all queries, then all keys, then all values.
            window: keys that a token sees; None is all.
            softcap: on the scores.
            scale: on the scores; None is ``head_dim ** -0.5``.
            norms: of queries and keys.
            norm_whole: whether they act on all heads of a token as one row.
            sinks: of the heads; see ``AttentionRule``.
        """
        sizes = self.sizes
        q_norm, k_norm = norms or (None, None)
        scale = sizes.head_dim**-0.5 if scale is None else scale
        out = [Rows(f"{at}.o_proj", sizes.hidden)]
        return Attention(
            kernels=self.weights.kernels,
            layer=layer,
            heads=sizes.heads,
            kv_heads=sizes.kv_heads,
            head_dim=sizes.head_dim,
            qkv=self.linear(self._qkv_rows(at, rotary, fused, fused_order), sizes.hidden, bias),
            out=self.linear(out, sizes.heads * sizes.head_dim, out_bias),
            rule=AttentionRule(scale, window, softcap, sinks),
            rotary=rotary,
            q_norm=q_norm,
            k_norm=k_norm,
            norm_whole=norm_whole,
        )

    def head_norms(self, at: str) -> tuple[Norm, Norm]:
        """``q_norm`` and ``k_norm`` under ``at``, each over one head."""
        dim = self.sizes.head_dim
        return self.norm(f"{at}.q_norm", dim), self.norm(f"{at}.k_norm", dim)

    def gated(
        self,
        at: str,
        activation: Activation,
        *,
        intermediate: int | None = None,
        bias: bool = False,
        fused: str | None = None,
        names: tuple[str, str, str] = ("gate_proj", "up_proj", "down_proj"),
    ) -> GatedFeedForward:
        """A gated feed-forward with projections under ``at``.

        Args:
            at: prefix of the names, without the last dot.
            activation: on the gate.
            intermediate: rows of gate and up, where they are not the model's.
            bias: whether all three projections have one.
            fused: name of one projection with the rows of both gate and up, where there is one.
            names: of gate, up and down.
        """
        hidden, wide = self.sizes.hidden, intermediate or self.sizes.intermediate
        gate, up, down = (f"{at}.{name}" for name in names)
        both = [Rows(gate, wide), Rows(up, wide)]
        if fused is not None:
            both = [Rows(f"{at}.{fused}", 2 * wide)]
        return GatedFeedForward(
            gate_up=self.linear(both, hidden, bias),
            down=self.linear([Rows(down, hidden)], wide, bias),
            activation=activation,
        )

    def pre_norm(
        self, at: str, attention: Mixer, feed_forward: FeedForward, residual_scale: float = 1.0
    ) -> Block:
        """A block with a norm before each layer, in Llama's names."""
        return Block(
            attention=attention,
            feed_forward=feed_forward,
            before_attention=self.norm(f"{at}.input_layernorm"),
            before_feed_forward=self.norm(f"{at}.post_attention_layernorm"),
            residual_scale=residual_scale,
        )

    def decoder(
        self,
        block: Callable[[int], Block | ParallelBlock],
        *,
        norm: Norm | None = None,
        embedding_scale: float = 1.0,
        logit_scale: float = 1.0,
        logit_softcap: float | None = None,
        unit_head: bool = False,
    ) -> Decoder:
        """Embedding, blocks, norm and head around a family's ``block(layer)``.

        Args:
            block: makes one layer.
            norm: the last norm; None is ``model.norm``.
            embedding_scale: factor on the embedding.
            logit_scale: factor on the logits.
            logit_softcap: on the logits.
            unit_head: rows of the head are divided by their length (Baichuan 2).
        """
        weights, hidden = self.weights, self.sizes.hidden
        rows = weights.shape_of("model.embed_tokens.weight")[0]
        vocabulary = self.config.count("vocab_size", rows)
        (embedding,) = weights.matrix([Rows("model.embed_tokens", vocabulary)], hidden)
        blocks = tuple(self._entered(block, layer) for layer in range(self.sizes.layers))
        weights.enter(None)
        norm = self.norm("model.norm") if norm is None else norm
        head, notices = output_head(self.config, weights, embedding, unit_head)
        return Decoder(
            kernels=weights.kernels,
            embedding=Embedding(weights.kernels, embedding, embedding_scale),
            blocks=blocks,
            norm=norm,
            head=head,
            context_length=self.sizes.context,
            weight_bytes=weights.held_bytes,
            notices=notices,
            logit_scale=logit_scale,
            logit_softcap=logit_softcap,
        )

    def _entered(
        self, block: Callable[[int], Block | ParallelBlock], layer: int
    ) -> Block | ParallelBlock:
        self.weights.enter(layer)
        return block(layer)

    def _bias(self, part: Rows) -> Tensor:
        bias = self.weights.tensor(f"{part.name}.bias", part.rows)
        return bias if part.order is None else bias[part.order.to(bias.device)]

    def _qkv_rows(
        self, at: str, rotary: Rotary | None, fused: str | None, fused_order: Tensor | None
    ) -> list[Rows]:
        """The projections of queries, keys and values, in half-split order."""
        sizes = self.sizes
        q, kv = sizes.heads * sizes.head_dim, sizes.kv_heads * sizes.head_dim
        q_order = k_order = None
        if self.interleaved and rotary is not None:
            turning = 2 * len(rotary.frequencies)
            q_order = half_split_order(sizes.heads, sizes.head_dim, turning)
            k_order = half_split_order(sizes.kv_heads, sizes.head_dim, turning)
        if fused is None:
            return [
                Rows(f"{at}.q_proj", q, q_order),
                Rows(f"{at}.k_proj", kv, k_order),
                Rows(f"{at}.v_proj", kv),
            ]
        if q_order is not None and k_order is not None:
            values = torch.arange(q + kv, q + 2 * kv)
            fused_order = torch.cat((q_order, q + k_order, values))
        return [Rows(f"{at}.{fused}", q + 2 * kv, fused_order)]
