"""Products of packed weights equal the reference, within the rounding of the activations.

In every form that this machine can run: the best that it has, and each lesser one.
"""

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from engine.kernels.cpu.kernels import CpuKernels
from engine.kernels.cpu.matrix_tables import Needs
from engine.kernels.cpu.processor import processors_here
from engine.kernels.cpu.step_builder import StepBuilder
from engine.kernels.cpu.step_tables import StepState
from engine.kernels.cpu.threads import Program
from engine.kernels.cpu.weights import PackedQuantized
from engine.kernels.plan import LinearPlan
from engine.weights import Grouped4, Grouped8, Weight, dense

FORMS = processors_here()


@pytest.fixture(params=FORMS)
def kernels(request: pytest.FixtureRequest) -> Iterator[CpuKernels]:
    made = CpuKernels(2, processor=FORMS[request.param])
    yield made
    made.close()


def grouped4(rows: int, columns: int, group: int, *, minimum: bool = False) -> Grouped4:
    scale = (torch.rand(rows, columns // group) * 0.1 + 0.01).half()
    least = (torch.randn(rows, columns // group) * 0.2).half() if minimum else None
    codes = torch.randint(0, 256, (rows, columns // 2), dtype=torch.uint8)
    return Grouped4(codes, scale, least, group)


def grouped8(rows: int, columns: int, group: int, low: int = -128, high: int = 127) -> Grouped8:
    scale = (torch.rand(rows, columns // group) * 0.1 + 0.01).half()
    codes = torch.randint(low, high + 1, (rows, columns), dtype=torch.int8)
    return Grouped8(codes, scale, group)


def wide(weight: Grouped8) -> Grouped8:
    return Grouped8(weight.codes, weight.scale.float() * 1e-6, weight.group)


WEIGHTS = {
    "4 bits": lambda: grouped4(64, 96, 32),
    "4 bits, minimum, rows not of a tile": lambda: grouped4(101, 576, 32, minimum=True),
    "4 bits, groups of 16": lambda: grouped4(40, 64, 16),
    "4 bits, groups of 16, minimum, half a block": lambda: grouped4(40, 80, 16, minimum=True),
    "4 bits, groups of 64, minimum": lambda: grouped4(32, 192, 64, minimum=True),
    "4 bits, groups of 128": lambda: grouped4(7, 256, 128),
    "8 bits": lambda: grouped8(33, 96, 32),
    "8 bits, groups of 128": lambda: grouped8(64, 128, 128),
    "8 bits, a scale for each row": lambda: grouped8(48, 256, 256),
    "8 bits, a scale for each row, odd columns": lambda: grouped8(48, 100, 100),
    "5 bits of 8": lambda: grouped8(64, 96, 32, -16, 15),
    "6 bits of 8, groups of 16": lambda: grouped8(64, 96, 16, -32, 31),
    "4 bits of 8": lambda: grouped8(64, 96, 32, -8, 7),
    "scales in float32": lambda: wide(grouped8(32, 64, 32)),
    "float32": lambda: torch.randn(70, 50),
    "float16": lambda: torch.randn(64, 96).half(),
    "bfloat16": lambda: torch.randn(33, 64).bfloat16(),
}


MANY = 13
"""Rows that no product takes for few, and none takes the codes apart for."""


def largest_code(kernels: CpuKernels, packed: PackedQuantized) -> int:
    return kernels.library.activations(packed.layout).largest


def rounded(x: Tensor, largest: int) -> Tensor:
    """x as the blocks of 32 columns hold it."""
    padded = torch.nn.functional.pad(x, (0, -x.shape[1] % 32))
    blocks = padded.view(len(x), -1, 32)
    scale = blocks.abs().amax(-1, keepdim=True) / largest
    codes = torch.where(scale > 0, blocks / scale, 0).round()
    return (codes * scale).view(len(x), -1)[:, : x.shape[1]]


def relative(got: Tensor, wanted: Tensor) -> float:
    return float((got.double() - wanted.double()).norm() / wanted.double().norm())


@pytest.mark.parametrize("name", WEIGHTS)
def test_linear_is_the_exact_product_with_the_rounded_activations(
    kernels: CpuKernels, name: str
) -> None:
    torch.manual_seed(1)
    weight: Weight = WEIGHTS[name]()
    packed, full = kernels.pack(weight), dense(weight)
    for rows in (1, 2, 3, 4, 5, 8, 15, 33):
        x, bias = torch.randn(rows, full.shape[1]), torch.randn(full.shape[0])
        is_quantized = isinstance(packed, PackedQuantized)
        seen = rounded(x, largest_code(kernels, packed)) if is_quantized else x
        wanted = seen.double() @ full.double().T
        # a quotient on a rounding boundary may fall either way: one code in one block
        assert relative(kernels.linear(x, packed), wanted) < 1e-3
        assert relative(kernels.linear(x, packed, bias), wanted + bias) < 1e-3


@pytest.mark.parametrize("name", WEIGHTS)
def test_precise_linear_and_embed_equal_the_float_product(kernels: CpuKernels, name: str) -> None:
    torch.manual_seed(2)
    weight: Weight = WEIGHTS[name]()
    precise = CpuKernels(2, precise=True, processor=kernels.library.processor)
    packed, full = precise.pack(weight), dense(weight)
    for rows in (1, 3, 9):
        x, bias = torch.randn(rows, full.shape[1]), torch.randn(full.shape[0])
        wanted = x.double() @ full.double().T + bias
        assert relative(precise.linear(x, packed, bias), wanted) < 1e-5
    ids = torch.randint(0, full.shape[0], (9,))
    torch.testing.assert_close(kernels.embed(ids, packed), full[ids], rtol=1e-6, atol=1e-9)
    precise.close()


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    "code", [(4, 0), (4, 15), (8, -128), (8, 127), (8, -16), (8, 15), (8, -32), (8, 31)]
)
def test_E29_extreme_codes_and_activations_are_exact(
    kernels: CpuKernels, code: tuple[int, int], sign: int
) -> None:
    """All products at their largest: 16-bit sums would overflow or saturate if any step too many
    were added before widening. 11008 columns is the longest row of a 7B Llama."""
    bits, value = code
    columns = 11008
    scale = torch.ones(16, columns // 32).half()
    weight: Weight
    if bits == 4:
        codes = torch.full((16, columns // 2), value | value << 4, dtype=torch.uint8)
        weight = Grouped4(codes, scale, None, 32)
    else:
        weight = Grouped8(torch.full((16, columns), value, dtype=torch.int8), scale, 32)
    packed = kernels.pack(weight)
    for rows in (1, 2, 3, 8, 20):
        x = torch.full((rows, columns), float(largest_code(kernels, packed) * sign))
        wanted = x.double() @ dense(weight).double().T
        assert torch.equal(kernels.linear(x, packed).double(), wanted)


def test_E29_expanded_and_sliced_inputs_are_read_by_their_strides(kernels: CpuKernels) -> None:
    weight = grouped4(32, 64, 32)
    packed = kernels.pack(weight)
    row = torch.randn(1, 64)
    expanded = row.expand(6, 64)
    every_second = torch.randn(6, 128)[:, ::2]
    assert torch.equal(kernels.linear(expanded, packed), kernels.linear(row.repeat(6, 1), packed))
    assert torch.equal(
        kernels.linear(every_second, packed), kernels.linear(every_second.contiguous(), packed)
    )


def test_zero_rows_give_zero_and_huge_ones_stay_finite(kernels: CpuKernels) -> None:
    packed = kernels.pack(grouped8(16, 64, 32))
    assert torch.equal(kernels.linear(torch.zeros(2, 64), packed), torch.zeros(2, 16))
    assert kernels.linear(torch.full((1, 64), 1e30), packed).isfinite().all()


def test_a_row_is_rounded_alike_in_any_company(kernels: CpuKernels) -> None:
    """A seed repeats a reply whatever the cache held, and whatever else is being answered."""
    packed = kernels.pack(grouped4(48, 2048, 32, minimum=True))
    x = torch.randn(200, 2048)
    together = kernels.linear(x, packed)
    for each in (1, 2, 3, 8, MANY):
        apart = torch.cat([kernels.linear(some, packed) for some in x[:26].split(each)])
        torch.testing.assert_close(together[:26], apart, rtol=1e-5, atol=1e-4)


def logits(kernels: CpuKernels, x: Tensor, packed: PackedQuantized) -> Tensor:
    """What a step's head gives, all rows being wanted."""
    rows, columns = x.shape
    build = StepBuilder(kernels.library, kernels.threads.count, rows, precise=False)
    into = build.prepared(Needs.of([packed], precise=False, fine=True))
    build.prepare(x.data_ptr(), columns * 4, None, into, selected=True)
    head = LinearPlan((packed,), None)
    build.linear(head, into, 0, packed.shape[0] * 4, to_logits=True)
    state, out = StepState(kernels.threads.count), torch.empty(rows, packed.shape[0])
    wanted = torch.arange(rows)
    state.need_scratch(build.scratch)
    state.set({"rows": rows, "wanted": wanted.data_ptr(), "wanted_count": rows})
    state.set_logits(out)
    kernels.threads.run(Program(build.instructions), state.table)
    return out


@pytest.mark.parametrize("name", [name for name in WEIGHTS if "bits" in name])
def test_rows_of_logits_have_two_digits_where_they_cost_nothing(
    kernels: CpuKernels, name: str
) -> None:
    """The product with the activations themselves: some 1e-5 off instead of some 1e-2."""
    torch.manual_seed(5)
    weight: Weight = WEIGHTS[name]()
    packed = kernels.pack(weight)
    assert isinstance(packed, PackedQuantized)
    if not kernels.library.fine_products(packed.layout):
        pytest.skip("this processor multiplies one digit at a time")
    for rows in (1, 2, 3, 4, 5, 7, 8, 9, 40):
        x = torch.randn(rows, packed.shape[1])
        got = logits(kernels, x, packed)
        assert relative(got, x.double() @ dense(weight).double().T) < 2e-4
        apart = torch.cat([logits(kernels, row[None].contiguous(), packed) for row in x])
        torch.testing.assert_close(got, apart, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("name", [name for name in WEIGHTS if "bits" in name])
def test_codes_taken_apart_for_many_rows_give_the_same_bits(kernels: CpuKernels, name: str) -> None:
    torch.manual_seed(3)
    weight: Weight = WEIGHTS[name]()
    packed = kernels.pack(weight)
    x = torch.randn(3 * MANY, packed.shape[1])  # groups of 4 rows, and 3 that are left
    apart = torch.cat([kernels.linear(some, packed) for some in x.split(MANY)])
    assert torch.equal(kernels.linear(x, packed), apart)


def test_many_rows_of_many_columns_are_multiplied_piece_by_piece(kernels: CpuKernels) -> None:
    torch.manual_seed(4)
    packed = kernels.pack(grouped4(48, 8192, 32, minimum=True))
    x = torch.randn(39 * MANY, 8192)  # more columns than a piece, more rows than one pass has
    together = kernels.linear(x, packed)
    apart = torch.cat([kernels.linear(some, packed) for some in x.split(MANY)])
    torch.testing.assert_close(together, apart, rtol=1e-4, atol=1e-2)
