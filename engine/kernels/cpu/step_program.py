"""A decoder's whole step as one program: every thread runs all of it over its share.

Barriers stand only where one thread reads what another wrote: six a layer. Buffers are made for a
number of rows and grow with the largest step seen.
"""

from __future__ import annotations

from typing import Any

from engine.kernels.cpu.attention import CHUNK, QUERIES, attend_cache, attend_queries
from engine.kernels.cpu.cache import PagedCache
from engine.kernels.cpu.decoder_steps import angles, finish_logits, place_heads
from engine.kernels.cpu.embedding import embed
from engine.kernels.cpu.expert_program import (
    ACTIVATIONS,
    ExpertSteps,
    expert_needs,
    gates_in_units,
    mixes_in_tiles,
)
from engine.kernels.cpu.float_tile import Element
from engine.kernels.cpu.latent_step import LatentSteps, latent_in_tiles
from engine.kernels.cpu.layout import TILE_ROWS
from engine.kernels.cpu.matrix_tables import Prepared, embedding_figures, working_bytes
from engine.kernels.cpu.native_library import NativeLibrary
from engine.kernels.cpu.products import GATED_ROWS, UNIT, gated
from engine.kernels.cpu.step_buffers import StepBuffers
from engine.kernels.cpu.step_builder import StepBuilder
from engine.kernels.cpu.tables import (
    ANGLES,
    ATTEND,
    BARRIER,
    EMBED,
    GATED,
    LOGITS,
    NO_BARRIER,
    float_bits,
)
from engine.kernels.cpu.weights import packed_here
from engine.kernels.plan import (
    AnglesPlan,
    AttentionPlan,
    BlockPlan,
    DecoderPlan,
    FeedForwardPlan,
    Gate,
    LatentPlan,
    LinearPlan,
    MixturePlan,
    NormPlan,
)


class StepProgram:
    """The instructions of a decoder, for steps of up to ``build.rows`` rows.

    Attributes:
        build: the instructions and their memory.
        attends: the attention tables with their layers; they get a cache's addresses later.
    """

    def __init__(self, plan: DecoderPlan, build: StepBuilder) -> None:
        self.build = build
        self.attends: list[tuple[int, Any]] = []
        self._plan = plan
        self._hidden = plan.embedding.shape[1]
        self._x = build.buffer(build.rows * self._hidden * 4)
        self._y = build.buffer(build.rows * self._hidden * 4)
        self._angles: dict[int, tuple[int, int]] = {}
        self._buffers = StepBuffers(build)
        self._experts = ExpertSteps(build)
        self._latent = LatentSteps(self._buffers)
        self._begin()
        for block in plan.blocks:
            if block.parallel:
                self._parallel(block)
            else:
                self._block(block)
        self._end()

    def _begin(self) -> None:
        build, plan = self.build, self._plan
        for block in plan.blocks:
            if block.attention.angles is not None:
                self._add_angles(block.attention.angles)
        embedding = packed_here(plan.embedding)
        build.need_scratch(working_bytes(embedding))
        figures = embedding_figures(embedding) | {
            "y": self._x, "y_step": self._hidden * 4, "scale_bits": float_bits(plan.embedding_scale)
        }  # fmt: skip
        build.add(embed, EMBED, figures, BARRIER)

    def _add_angles(self, plan: AnglesPlan) -> None:
        key = id(plan.frequencies)
        if key in self._angles:
            return
        half = plan.frequencies.shape[0]
        out = self.build.buffer(self.build.rows * half * 8)
        figures = {
            "frequencies": self.build.floats(plan.frequencies), "half": half, "out": out,
            "factor_bits": float_bits(plan.factor), "out_step": half * 8,
        }  # fmt: skip
        self.build.add(angles, ANGLES, figures, NO_BARRIER)
        self._angles[key] = (out, half)

    def _block(self, block: BlockPlan) -> None:
        self._attend(block)
        if isinstance(block.feed_forward, MixturePlan):
            self._mixture(block, block.feed_forward)
            return
        gates = self._feed_forward(block, block.feed_forward)
        self._add(block.feed_forward.down, gates, block.after_feed_forward, block, private=False)

    def _parallel(self, block: BlockPlan) -> None:
        if isinstance(block.feed_forward, MixturePlan):
            raise TypeError("no family has experts beside its attention")
        gates = self._feed_forward(block, block.feed_forward)
        self._attend(block)
        self._add(block.feed_forward.down, gates, block.after_feed_forward, block, private=False)

    def _mixture(self, block: BlockPlan, plan: MixturePlan) -> None:
        """Route the rows, run their experts, and add them to the residual."""
        build, step = self.build, self._hidden * 4
        into = self._buffers.prepared(
            "hidden", expert_needs(plan, routed=True, precise=build.precise)
        )
        build.prepare(self._x, step, block.before_feed_forward, into)
        chosen = self._experts.route(plan, into)
        if block.after_feed_forward is None and block.residual_scale == 1.0:
            self._experts.mix(plan, into, chosen, self._x, clear=False)
            return
        self._experts.mix(plan, into, chosen, self._y, clear=True)
        norm, scale = block.after_feed_forward, block.residual_scale
        build.add_to_residual(self._x, self._y, self._hidden, norm, scale)

    def _attend(self, block: BlockPlan) -> None:
        """Add what the heads see to the residual."""
        if isinstance(block.attention, LatentPlan):
            self._attend_latents(block, block.attention)
            return
        self._attention_input(block, block.attention)
        self._attention(block.attention)
        self._attention_output(block, block.attention)

    def _attend_latents(self, block: BlockPlan, plan: LatentPlan) -> None:
        turns = self._angles[id(plan.angles.frequencies)]
        table, into = self._latent.attend(plan, self._x, block.before_attention, turns)
        self.attends.append((plan.layer, table))
        self._add(plan.out, into, block.after_attention, block, private=True)

    def _attention_input(self, block: BlockPlan, plan: AttentionPlan) -> None:
        """Prepare the residual and project it to queries, keys and values."""
        build, qkv = self.build, plan.qkv
        into = self._buffers.prepared("hidden", self._buffers.needs(*qkv.weights))
        build.prepare(self._x, self._hidden * 4, block.before_attention, into)
        step = sum(weight.shape[0] for weight in qkv.weights) * 4
        build.linear(qkv, into, self._buffers.rows("qkv", step), step)

    def _attention_output(self, block: BlockPlan, plan: AttentionPlan) -> None:
        """Prepare what the heads gave, project it and add it to the residual."""
        step = plan.heads * plan.head_dim * 4
        into = self._buffers.prepared("heads", self._buffers.needs(*plan.out.weights))
        self.build.prepare(self._buffers.rows("mixed", step), step, None, into)
        self._add(plan.out, into, block.after_attention, block, private=True)

    def _attention(self, plan: AttentionPlan) -> None:
        build, dim = self.build, plan.head_dim
        step = (plan.heads + 2 * plan.kv_heads) * dim * 4
        q = self._buffers.rows("qkv", step)
        k = q + plan.heads * dim * 4
        out, half = (0, 0) if plan.angles is None else self._angles[id(plan.angles.frequencies)]
        q_norm, k_norm = build.norm(plan.q_norm), build.norm(plan.k_norm)
        mixed_step = plan.heads * dim * 4
        figures = {
            "q": q, "q_step": step, "k": k, "k_step": step, "v": k + plan.kv_heads * dim * 4,
            "v_step": step, "y": self._buffers.rows("mixed", mixed_step), "y_step": mixed_step,
            "heads": plan.heads, "kv_heads": plan.kv_heads, "key_dim": dim, "value_dim": dim,
            "window": plan.rule.window or 0, "scale_bits": float_bits(plan.rule.scale),
            "softcap_bits": float_bits(plan.rule.softcap or 0.0), "q_norm": q_norm.get("weight", 0),
            "k_norm": k_norm.get("weight", 0), "norm_whole": int(plan.norm_whole),
            "q_epsilon_bits": q_norm.get("epsilon_bits", 0),
            "k_epsilon_bits": k_norm.get("epsilon_bits", 0),
            "clip_bits": float_bits(plan.clip or 0.0), "angles": out, "angles_step": half * 8,
            "half": half, "sinks": build.floats(plan.rule.sinks),
        }  # fmt: skip
        table = build.add(place_heads, ATTEND, figures, BARRIER)
        build.instructions.append((attend_cache, int(table.ctypes.data), BARRIER))
        self.attends.append((plan.layer, table))

    def _add(
        self,
        linear: LinearPlan,
        x: Prepared,
        norm: NormPlan | None,
        block: BlockPlan,
        *,
        private: bool,
    ) -> None:
        """Add a projection to the residual: directly where nothing stands between."""
        build, step = self.build, self._hidden * 4
        if norm is None and block.residual_scale == 1.0 and linear.bias is None:
            build.linear(linear, x, self._x, step, private=private, add=True)
            return
        build.linear(linear, x, self._y, step, private=private)
        build.add_to_residual(self._x, self._y, self._hidden, norm, block.residual_scale)

    def _feed_forward(self, block: BlockPlan, plan: FeedForwardPlan) -> Prepared:
        build = self.build
        into = self._buffers.prepared("hidden", self._buffers.needs(*plan.up.weights))
        build.prepare(self._x, self._hidden * 4, block.before_feed_forward, into)
        gates = self._buffers.prepared("gates", self._buffers.needs(*plan.down.weights))
        build.add(gated, GATED, self._gated(plan, into, gates), BARRIER)
        unpacked = max(working_bytes(packed_here(weight)) for weight in plan.up.weights)
        build.need_scratch(2 * GATED_ROWS * UNIT * 4 + unpacked)
        return gates

    def _gated(self, plan: FeedForwardPlan, x: Prepared, out: Prepared) -> dict[str, int]:
        build, wide = self.build, plan.down.weights[0].shape[1]
        first, last = plan.up.weights[0], plan.up.weights[-1]
        bias = build.floats(plan.up.bias)
        joined = len(plan.up.weights) == 1
        gate, up = build.matrix(first), build.matrix(last)
        source = x.source(int(up["kind"][0]), private=True)
        figures = {f"up_{name}": value for name, value in source.items()}
        figures |= x.source(int(gate["kind"][0]), private=True) | out.quantizing(build.library) | {
            "gate": int(gate.ctypes.data), "units": wide // UNIT, "gate_bias": bias,
            "activation": ACTIVATIONS[plan.gate], "floats": out.floats,
            "floats_step": out.needs.float_step,
        }  # fmt: skip
        if plan.gated:
            figures |= {
                "up": int(up.ctypes.data), "up_tile": wide // TILE_ROWS if joined else 0,
                "up_bias": bias + wide * 4 if bias else 0,
            }  # fmt: skip
        return figures

    def _end(self) -> None:
        build, plan = self.build, self._plan
        needs = self._buffers.needs(*plan.head.weights, fine=True)
        into = self._buffers.prepared("hidden", needs)
        build.prepare(self._x, self._hidden * 4, plan.norm, into, selected=True)
        columns = sum(weight.shape[0] for weight in plan.head.weights)
        build.linear(plan.head, into, 0, columns * 4, to_logits=True)
        if plan.logit_scale != 1.0 or plan.logit_softcap is not None:
            figures = {
                "columns": columns, "scale_bits": float_bits(plan.logit_scale),
                "softcap_bits": float_bits(plan.logit_softcap or 0.0),
            }  # fmt: skip
            build.add(finish_logits, LOGITS, figures, NO_BARRIER)

    def bind(self, cache: PagedCache) -> None:
        """Point the attention tables at a cache's pages."""
        for layer, table in self.attends:
            figures = cache.figures(layer) | score_figures(self.build.library, cache.element)
            for name, value in figures.items():
                table[name] = value


def supported(plan: DecoderPlan) -> bool:
    """Whether feed-forwards and latents are of whole units: other shapes run one by one."""
    for block in plan.blocks:
        if isinstance(block.attention, LatentPlan) and not latent_in_tiles(block.attention):
            return False
        feed_forward = block.feed_forward
        if isinstance(feed_forward, MixturePlan):
            if block.parallel or not mixes_in_tiles(feed_forward):
                return False
        elif feed_forward.gate is Gate.CLAMPED or not gates_in_units(feed_forward):
            return False
    return True


def score_figures(library: NativeLibrary, element: Element) -> dict[str, int]:
    """What an ``ATTEND`` table says of functions, for a cache of these elements."""
    tiles, dots = library.float_products(element), library.row_products(element)
    functions = {f"tile{count}": tiles[count] for count in tiles}
    functions |= {f"dots{count}": dots[count] for count in dots}
    return functions | {"attend": attend_queries.address}


def attention_scratch(cache: PagedCache) -> int:
    """Bytes that a thread needs to attend."""
    return QUERIES * 4 * (CHUNK + cache.page_tokens + cache.widest + 2)
