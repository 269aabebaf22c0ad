"""Linear maps of joined blocks, in whatever forms the blocks are."""

from __future__ import annotations

import torch

from engine.kernels.reference import ReferenceKernels
from engine.layers.linear import Linear, join_rows
from engine.weights import Grouped4, Grouped8, Weight, dense


def four(rows: int, minimum: bool = True) -> Grouped4:
    generator = torch.Generator().manual_seed(rows)
    codes = torch.randint(256, (rows, 32), generator=generator, dtype=torch.uint8)
    scale = torch.rand(rows, 2, generator=generator).half()
    return Grouped4(codes, scale, scale - 1 if minimum else None, 32)


def eight(rows: int) -> Grouped8:
    codes = torch.randint(-128, 128, (rows, 64), dtype=torch.int8)
    return Grouped8(codes, torch.rand(rows, 2).half(), 32)


def test_neighbours_of_one_form_become_one_matrix() -> None:
    weights: list[Weight] = [four(4), four(8), eight(4), eight(2), four(4, minimum=False)]
    joined = join_rows(weights)
    assert [tuple(weight.shape) for weight in joined] == [(12, 64), (6, 64), (4, 64)]
    want = torch.cat([dense(weight) for weight in weights])
    assert torch.equal(torch.cat([dense(weight) for weight in joined]), want)


def test_dense_neighbours_join_and_keep_their_dtype() -> None:
    a, b = torch.randn(2, 64).bfloat16(), torch.randn(3, 64).bfloat16()
    (joined,) = join_rows([a, b])
    assert isinstance(joined, torch.Tensor)
    assert joined.dtype == torch.bfloat16
    assert len(join_rows([a, b.float()])) == 2, "no rounding for the sake of one call"


def test_blocks_of_different_forms_act_as_one_map() -> None:
    kernels = ReferenceKernels()
    weights: list[Weight] = [four(4), eight(6)]
    bias = torch.randn(10)
    linear = Linear(kernels, tuple(kernels.pack(weight) for weight in weights), bias)
    x = torch.randn(3, 64)
    want = x @ torch.cat([dense(weight) for weight in weights]).T + bias
    torch.testing.assert_close(linear(x), want)
    assert linear.rows == 10
