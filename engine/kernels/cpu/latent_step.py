"""Instructions of multi-head latent attention, with their tables and buffers."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from engine.kernels.cpu.attention import attend_cache
from engine.kernels.cpu.float_tile import Element
from engine.kernels.cpu.latent import absorb_keys, expand_values, place_latent
from engine.kernels.cpu.layout import TILE_ROWS
from engine.kernels.cpu.matrix_tables import Prepared
from engine.kernels.cpu.step_buffers import StepBuffers
from engine.kernels.cpu.tables import ATTEND, BARRIER, EXPAND, NO_BARRIER, float_bits
from engine.kernels.plan import LatentPlan, NormPlan


def latent_in_tiles(plan: LatentPlan) -> bool:
    """Whether the latent is one of whole tiles, as the operations here take it."""
    return plan.latent % TILE_ROWS == 0


class LatentSteps:
    """Adds the instructions of one layer's attention; buffers are the same for all layers."""

    def __init__(self, buffers: StepBuffers) -> None:
        self._build = buffers.build
        self._buffers = buffers

    def attend(
        self, plan: LatentPlan, x: int, norm: NormPlan | None, turns: tuple[int, int]
    ) -> tuple[Any, Prepared]:
        """From the residual to rows that the output projection multiplies.

        Args:
            plan: the layer's attention.
            x: address of the residual's rows.
            norm: on the residual.
            turns: address of the cosines and sines, and half the values that turn.

        Returns:
            The ``ATTEND`` table, which wants a cache's addresses, and the prepared rows.
        """
        build, values = self._build, plan.heads * plan.value
        raw, raw_step, k, k_step = self._projected(plan, x, norm)
        table = build.table(ATTEND, self._attending(plan, turns) | {
            "raw": raw, "raw_step": raw_step, "k": k, "k_step": k_step,
        })  # fmt: skip
        q, mixed = self._queries(plan), self._mixed(plan)
        build.instructions.append((place_latent, int(table.ctypes.data), NO_BARRIER))
        figures = {"x": raw, "x_step": raw_step, "x_head": (plan.plain + plan.turning) * 4}
        figures |= {"y": q[0], "y_step": q[1], "y_head": (plan.latent + plan.turning) * 4}
        tiles = build.library.float_products(Element.F32)
        build.add(absorb_keys, EXPAND, figures | self._expansion(plan.key_up, tiles), BARRIER)
        build.instructions.append((attend_cache, int(table.ctypes.data), BARRIER))
        expanded = self._buffers.rows("latent values", values * 4)
        figures = {"x": mixed[0], "x_step": mixed[1], "x_head": plan.latent * 4}
        figures |= {"y": expanded, "y_step": values * 4, "y_head": plan.value * 4}
        dots = build.library.row_products(Element.F32)
        build.add(expand_values, EXPAND, figures | self._expansion(plan.value_up, dots), BARRIER)
        into = self._buffers.prepared("heads", self._buffers.needs(*plan.out.weights))
        build.prepare(expanded, values * 4, None, into)
        return table, into

    def _projected(
        self, plan: LatentPlan, x: int, norm: NormPlan | None
    ) -> tuple[int, int, int, int]:
        """Addresses and steps of the projected queries, and of the latents."""
        build, buffers = self._build, self._buffers
        hidden = plan.first.weights[0].shape[1]
        into = buffers.prepared("hidden", buffers.needs(*plan.first.weights))
        build.prepare(x, hidden * 4, norm, into)
        step = sum(weight.shape[0] for weight in plan.first.weights) * 4
        both = buffers.rows("latent projections", step)
        build.linear(plan.first, into, both, step)
        k = both + step - (plan.latent + plan.turning) * 4
        if plan.query is None:
            return both, step, k, step
        wanted = buffers.prepared("latent query", buffers.needs(*plan.query.weights))
        build.prepare(both, step, plan.query_norm, wanted)
        raw_step = plan.heads * (plan.plain + plan.turning) * 4
        raw = buffers.rows("latent queries", raw_step)
        build.linear(plan.query, wanted, raw, raw_step)
        return raw, raw_step, k, step

    def _queries(self, plan: LatentPlan) -> tuple[int, int]:
        step = plan.heads * (plan.latent + plan.turning) * 4
        return self._buffers.rows("absorbed", step), step

    def _mixed(self, plan: LatentPlan) -> tuple[int, int]:
        step = plan.heads * plan.latent * 4
        return self._buffers.rows("mixed latents", step), step

    def _attending(self, plan: LatentPlan, turns: tuple[int, int]) -> dict[str, int]:
        build = self._build
        (q, q_step), (mixed, mixed_step) = self._queries(plan), self._mixed(plan)
        norm = build.norm(plan.norm)
        return {
            "q": q, "q_step": q_step, "y": mixed, "y_step": mixed_step, "heads": plan.heads,
            "kv_heads": 1, "key_dim": plan.latent + plan.turning, "value_dim": plan.latent,
            "plain": plan.plain, "scale_bits": float_bits(plan.rule.scale),
            "k_norm": norm["weight"], "k_epsilon_bits": norm["epsilon_bits"],
            "angles": turns[0], "angles_step": turns[1] * 8, "half": turns[1],
        }  # fmt: skip

    def _expansion(self, weight: Tensor, functions: dict[int, int]) -> dict[str, int]:
        """What an ``EXPAND`` table says of [heads, rows, latent] float32."""
        heads, rows, latent = weight.shape
        figures = {f"function{count}": functions[count] for count in functions}
        figures |= {"w": self._build.floats(weight), "heads": heads}
        return figures | {"head_rows": rows, "latent": latent}
