"""All experts at once equal the experts one by one, for any routing and any form of weights."""

import ctypes
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch
from torch import Tensor

from engine.kernels.cpu.expert_program import ExpertSteps
from engine.kernels.cpu.kernels import CpuKernels
from engine.kernels.cpu.matrix_tables import Needs
from engine.kernels.cpu.step_builder import StepBuilder
from engine.kernels.cpu.step_tables import StepState
from engine.kernels.cpu.threads import Program
from engine.kernels.reference import ReferenceKernels
from engine.layers.experts import Experts, Router, Routing, Scoring
from engine.layers.feed_forward import (
    Activation,
    ClampedFeedForward,
    FeedForward,
    GatedFeedForward,
    PlainFeedForward,
)
from tests.layers.test_fused import Parts

HIDDEN, WIDE, EXPERTS, CHOSEN = 64, 96, 7, 2
FORMS = ["float32", "bfloat16", "8 bits", "4 bits", "5 bits of 8", "4 bits, groups of 16"]


@pytest.fixture
def kernels() -> Iterator[CpuKernels]:
    made = CpuKernels(2, precise=True)
    yield made
    made.close()


@pytest.fixture
def integer() -> Iterator[CpuKernels]:
    made = CpuKernels(3)
    yield made
    made.close()


def gated(parts: Parts, wide: int = WIDE, *, apart: bool = False) -> FeedForward:
    """Gate and up in one matrix, or in two that no matrix can hold together."""
    up = parts.linear(*((wide, wide) if apart else (2 * wide,)), columns=HIDDEN, bias=True)
    return GatedFeedForward(up, parts.linear(HIDDEN, columns=wide, bias=True), Activation.SILU)


def clamped(parts: Parts) -> FeedForward:
    up = parts.linear(2 * WIDE, columns=HIDDEN, bias=True)
    return ClampedFeedForward(up, parts.linear(HIDDEN, columns=WIDE, bias=True), 1.702, 1.5)


def plain(parts: Parts) -> FeedForward:
    up = parts.linear(WIDE, columns=HIDDEN)
    return PlainFeedForward(up, parts.linear(HIDDEN, columns=WIDE), Activation.RELU_SQUARED)


KINDS: dict[str, Callable[[Parts], FeedForward]] = {
    "gated": gated,
    "gate and up apart": lambda parts: gated(parts, apart=True),
    "clamped": clamped,
    "plain": plain,
}


def experts_of(parts: Parts, kind: str = "gated", *, shared: bool = False) -> Experts:
    made = tuple(KINDS[kind](parts) for _ in range(EXPERTS))
    router = Router(parts.random(EXPERTS, HIDDEN), None, None, Routing(CHOSEN))
    if not shared:
        return Experts(parts.kernels, router, made)
    return Experts(parts.kernels, router, made, gated(parts, 160), parts.random(1, HIDDEN))


def picks_of(routing: str, rows: int) -> Tensor:
    """int64 [rows, chosen] for each way a step may be routed."""
    generator = torch.Generator().manual_seed(4)
    if routing == "one expert gets all":
        return torch.tensor([[3, 6]]).repeat(rows, 1)
    if routing == "the first and the last":
        return torch.tensor([[0, EXPERTS - 1], [EXPERTS - 1, 0]])[torch.arange(rows) % 2]
    scores = torch.rand(rows, EXPERTS, generator=generator)
    if routing == "some are empty":
        scores[:, ::2] = 0
    return scores.topk(CHOSEN).indices


ROUTINGS = ["any", "some are empty", "one expert gets all", "the first and the last"]


@pytest.mark.parametrize("rows", [1, 2, 5, 33, 512])
@pytest.mark.parametrize("routing", ROUTINGS)
def test_every_routing_equals_the_experts_one_by_one(
    kernels: CpuKernels, routing: str, rows: int
) -> None:
    layer = experts_of(Parts(kernels, "4 bits"))
    assert layer.plan is not None
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(rows, HIDDEN, generator=generator)
    picks, weights = picks_of(routing, rows), torch.rand(rows, CHOSEN, generator=generator)
    got = kernels.mix(x, layer.plan, picks, weights)
    assert got is not None
    torch.testing.assert_close(got, layer.one_by_one(x, picks, weights), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_and_kind_equals_the_reference(
    kernels: CpuKernels, form: str, kind: str
) -> None:
    ours = experts_of(Parts(kernels, form), kind, shared=True)
    truth = experts_of(Parts(ReferenceKernels(), form), kind, shared=True)
    x = torch.randn(11, HIDDEN, generator=torch.Generator().manual_seed(6))
    torch.testing.assert_close(ours(x), truth(x), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("form", ["4 bits", "8 bits", "bfloat16"])
def test_integer_activations_are_those_of_the_experts_one_by_one(
    integer: CpuKernels, form: str
) -> None:
    """The same rounding as in single products, so the same numbers but for the order of sums."""
    layer = experts_of(Parts(integer, form), shared=True)
    x = torch.randn(40, HIDDEN, generator=torch.Generator().manual_seed(7))
    picks, weights = layer.taken(x)
    got, want = layer(x), layer.one_by_one(x, picks, weights)
    assert float((got - want).norm() / want.norm()) < 5e-3


def test_a_token_gets_the_same_whatever_runs_beside_it(integer: CpuKernels) -> None:
    layer = experts_of(Parts(integer, "4 bits"), shared=True)
    x = torch.randn(70, HIDDEN, generator=torch.Generator().manual_seed(8))
    whole = layer(x)
    for row, each in ((0, 1), (31, 1), (69, 1), (3, 4), (20, 17)):
        part = layer(x[row : row + each])
        torch.testing.assert_close(part, whole[row : row + each], rtol=1e-5, atol=1e-5)


def test_odd_widths_run_one_by_one(kernels: CpuKernels) -> None:
    parts = Parts(kernels, "float32")
    made = tuple(gated(parts, 40) for _ in range(EXPERTS))
    router = Router(parts.random(EXPERTS, HIDDEN), None, None, Routing(CHOSEN))
    layer = Experts(kernels, router, made)
    assert layer.plan is not None
    x = torch.randn(3, HIDDEN)
    picks, weights = layer.taken(x)
    assert kernels.mix(x, layer.plan, picks, weights) is None
    torch.testing.assert_close(layer(x), layer.one_by_one(x, picks, weights))


ROUTES = {
    "softmax": Routing(2, normalise=False),
    "softmax, made one": Routing(3),
    "sigmoid, scaled": Routing(2, Scoring.SIGMOID, scale=2.5),
    "two groups of four": Routing(3, Scoring.SIGMOID, groups=4, groups_chosen=2, group_members=2),
    "one group of two": Routing(4, groups=2, groups_chosen=1, normalise=False),
    "all of them": Routing(8),
}


@pytest.mark.parametrize("name", ROUTES)
@pytest.mark.parametrize("corrected", [False, True])
def test_routing_equals_the_layers_rule(integer: CpuKernels, name: str, corrected: bool) -> None:
    """Picks are the same set, weights the same numbers; random scores have no ties."""
    generator = torch.Generator().manual_seed(9)
    rows, count = 21, 8
    correction = torch.randn(count, generator=generator) if corrected else None
    weight, bias = torch.randn(count, HIDDEN, generator=generator), torch.randn(count)
    router = Router(weight, bias, correction, ROUTES[name])
    layer = Experts(integer, router, tuple(gated(Parts(integer, "4 bits")) for _ in range(count)))
    assert layer.plan is not None
    x = torch.randn(rows, HIDDEN, generator=generator)
    build = StepBuilder(integer.library, 2, rows, precise=False)
    prepared = build.prepared(Needs(HIDDEN, 0, floats=True))
    build.prepare(x.data_ptr(), HIDDEN * 4, None, prepared)
    at = ExpertSteps(build).route(layer.plan, prepared)
    state = StepState(2)
    state.need_scratch(build.scratch)
    state.table["rows"] = rows
    integer.threads.run(Program(build.instructions), state.table, 2)
    chosen = ROUTES[name].chosen
    picks = np.ctypeslib.as_array((ctypes.c_int64 * (rows * chosen)).from_address(at[0]))
    weights = np.ctypeslib.as_array((ctypes.c_float * (rows * chosen)).from_address(at[1]))
    want_picks, want_weights = router(x)
    got = torch.zeros(rows, count).scatter_(
        1, torch.tensor(picks).view(rows, -1), torch.tensor(weights).view(rows, -1)
    )
    torch.testing.assert_close(got, torch.zeros(rows, count).scatter_(1, want_picks, want_weights))
