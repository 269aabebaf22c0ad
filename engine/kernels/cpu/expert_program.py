"""Instructions that route rows and run their experts, with the tables and buffers between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from engine.kernels.cpu.experts import SUMS_BYTES, gated_experts, summed_experts
from engine.kernels.cpu.layout import TILE_ROWS
from engine.kernels.cpu.matrix_tables import Needs, Prepared, working_bytes
from engine.kernels.cpu.products import GATED_ROWS, UNIT
from engine.kernels.cpu.routing import choose_experts, route_logits, sort_by_expert
from engine.kernels.cpu.step_builder import StepBuilder
from engine.kernels.cpu.tables import (
    BARRIER,
    CLAMPED,
    EXPERT,
    FLOAT,
    GELU,
    GELU_TANH,
    MIXTURE,
    RELU,
    RELU_SQUARED,
    ROUTE,
    SILU,
    float_bits,
)
from engine.kernels.cpu.weights import packed_here
from engine.kernels.interface import Packed
from engine.kernels.plan import FeedForwardPlan, Gate, MixturePlan

ACTIVATIONS = {
    Gate.SILU: SILU,
    Gate.GELU: GELU,
    Gate.GELU_TANH: GELU_TANH,
    Gate.RELU: RELU,
    Gate.RELU_SQUARED: RELU_SQUARED,
    Gate.CLAMPED: CLAMPED,
}


def gates_in_units(plan: FeedForwardPlan) -> bool:
    """Whether a feed-forward can be gated in units of 32 rows."""
    wide, parts = plan.down.weights[0].shape[1], plan.up.weights
    halves = len(parts) == 2 and plan.gated and parts[0].shape == parts[1].shape
    return wide % UNIT == 0 and (len(parts) == 1 or halves)


def mixes_in_tiles(plan: MixturePlan) -> bool:
    """Whether the experts' shapes are those that the operations here take."""
    hidden = plan.router.shape[1]
    units = all(gates_in_units(expert) for expert in plan.every)
    return hidden % TILE_ROWS == 0 and units and all(_alike(expert) for expert in plan.every)


def _alike(plan: FeedForwardPlan) -> bool:
    """Whether gate and up are multiplied in the same way: an expert's rows are gathered once."""
    return len({int(packed_here(weight).table["kind"][0]) for weight in plan.up.weights}) == 1


def expert_needs(plan: MixturePlan, *, routed: bool, precise: bool) -> Needs:
    """What the experts want their rows as, and with ``routed`` the router."""
    needs = _needs([w for expert in plan.every for w in expert.up.weights], precise)
    return replace(needs, floats=needs.floats or routed)


class ExpertSteps:
    """Writes mixtures into a program; layers of equal shapes share their buffers.

    Args:
        build: takes the instructions.
    """

    def __init__(self, build: StepBuilder) -> None:
        self._build = build
        self._buffers: dict[object, int] = {}

    def route(self, plan: MixturePlan, x: Prepared) -> tuple[int, int]:
        """Choose experts for prepared rows; the addresses of picks and weights."""
        build, routing = self._build, plan.routing
        count = len(plan.experts)
        picks = self._rows("picks", plan.taken * 8)
        weights = self._rows("weights", plan.taken * 4)
        figures = {
            "x": x.floats, "x_step": x.needs.float_step,
            "private": x.source(FLOAT, private=True)["private"], "columns": x.needs.columns,
            "router": build.floats(plan.router), "bias": build.floats(plan.bias),
            "correction": build.floats(plan.correction), "experts": count,
            "shared": int(plan.shared is not None), "shared_gate": build.floats(plan.shared_gate),
            "logits": self._rows("logits", (count + 1) * 4), "sigmoid": int(routing.sigmoid),
            "chosen": routing.chosen, "normalise": int(routing.normalise),
            "scale_bits": float_bits(routing.scale), "groups": routing.groups,
            "groups_chosen": routing.groups_chosen, "group_members": routing.group_members,
            "work": self._buffer("work", build.threads * 5 * count * 4),
            "picks": picks, "weights": weights,
        }  # fmt: skip
        table = build.add(route_logits, ROUTE, figures, BARRIER)
        build.instructions.append((choose_experts, int(table.ctypes.data), BARRIER))
        return picks, weights

    def mix(
        self, plan: MixturePlan, x: Prepared, chosen: tuple[int, int], y: int, *, clear: bool
    ) -> Any:
        """Run the experts on prepared rows and add them to y; gives the table.

        Args:
            plan: the experts.
            x: prepared rows.
            chosen: addresses of picks and weights.
            y: address of float32 rows of the hidden size.
            clear: set y to 0 first.
        """
        build, hidden = self._build, plan.router.shape[1]
        count = len(plan.every)
        figures = {
            "experts": self._experts(plan, x), "count": count, "taken": plan.taken,
            "picks": chosen[0], "weights": chosen[1], "y": y, "y_step": hidden * 4,
            "first": self._buffer("first", (count + 2) * 8), "outputs": hidden,
            "order": self._rows("order", plan.taken * 8), "clear": int(clear),
            "sorted": self._rows("sorted", plan.taken * 4),
        }  # fmt: skip
        table = build.add(sort_by_expert, MIXTURE, figures, BARRIER)
        build.instructions.append((gated_experts, int(table.ctypes.data), BARRIER))
        build.instructions.append((summed_experts, int(table.ctypes.data), BARRIER))
        return table

    def _experts(self, plan: MixturePlan, x: Prepared) -> int:
        build = self._build
        needs = _needs([w for expert in plan.every for w in expert.down.weights], build.precise)
        widest = max(expert.down.weights[0].shape[1] for expert in plan.every)
        needs = replace(needs, columns=widest)
        gates = Prepared(
            needs,
            self._rows("gate blocks", plan.taken * needs.block_step),
            self._rows("gate floats", plan.taken * needs.float_step),
            self._rows("gate words", plan.taken * needs.word_step),
        )
        rows = np.zeros(len(plan.every), EXPERT)
        for number, expert in enumerate(plan.every):
            for name, value in self._expert(expert, x, gates).items():
                rows[name][number] = value
        build.keep(rows)
        gathered = GATED_ROWS * max(x.needs.block_step, x.needs.float_step, x.needs.word_step)
        ends = [w for e in plan.every for w in (e.up.weights[0], e.down.weights[0])]
        most = max(working_bytes(packed_here(weight)) for weight in ends)
        build.need_scratch(2 * GATED_ROWS * UNIT * 4 + gathered + SUMS_BYTES + most)
        return int(rows.ctypes.data)

    def _expert(self, plan: FeedForwardPlan, x: Prepared, gates: Prepared) -> Mapping[str, int]:
        build, wide = self._build, plan.down.weights[0].shape[1]
        gate, up = build.matrix(plan.up.weights[0]), build.matrix(plan.up.weights[-1])
        down = build.matrix(plan.down.weights[0])
        bias = build.floats(plan.up.bias)
        source = gates.source(int(down["kind"][0]), private=False)
        figures = x.source(int(gate["kind"][0]), private=True) | gates.quantizing(build.library)
        figures |= {
            "gate": int(gate.ctypes.data), "down": int(down.ctypes.data), "units": wide // UNIT,
            "gate_bias": bias, "down_bias": build.floats(plan.down.bias),
            "activation": ACTIVATIONS[plan.gate], "alpha_bits": float_bits(plan.alpha),
            "limit_bits": float_bits(plan.limit), "floats": gates.floats,
            "floats_step": gates.needs.float_step, "gates": source["x"],
            "gates_step": source["x_step"],
        }  # fmt: skip
        if plan.gated:
            joined = len(plan.up.weights) == 1
            figures |= {
                "up": int(up.ctypes.data), "up_tile": wide // TILE_ROWS if joined else 0,
                "up_bias": bias + wide * 4 if bias else 0,
            }  # fmt: skip
        return figures

    def _rows(self, use: str, step: int) -> int:
        """A buffer of ``step`` bytes a row, the same for all layers of such a step."""
        return self._buffer(use, self._build.rows * step) if step else 0

    def _buffer(self, use: str, size: int) -> int:
        if (use, size) not in self._buffers:
            self._buffers[use, size] = self._build.buffer(size)
        return self._buffers[use, size]


def _needs(weights: list[Packed], precise: bool) -> Needs:
    return Needs.of([packed_here(weight) for weight in weights], precise=precise)
