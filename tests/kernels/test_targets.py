"""Kernels for processors that are not this one: generated, compiled, and their assembly read.

What cannot be run here is at least known to use the instructions that it was written for, and to
keep its sums in registers.
"""

import re
from dataclasses import dataclass

import pytest

from engine.contract.faults import EngineError, FaultKind
from engine.kernels.cpu.dot import activations_for
from engine.kernels.cpu.dot_tile import DotTile
from engine.kernels.cpu.fine_tile import FineTile, fine_columns, multiplies_digits
from engine.kernels.cpu.float_tile import Element, FloatTile
from engine.kernels.cpu.layout import BYTES, DIGITS, WORDS, Layout
from engine.kernels.cpu.native import compile_assembly, new_module
from engine.kernels.cpu.native_library import product_columns
from engine.kernels.cpu.processor import (
    VARIABLE,
    DotProduct,
    Processor,
    processor_for,
    processors_here,
    this_processor,
)
from engine.kernels.cpu.quantize_row import QuantizeRow
from engine.kernels.cpu.quantized_tile import (
    PAIR,
    PAIR_COLUMNS,
    QuantizedTile,
    multiplies_pairs,
)
from engine.kernels.cpu.spread_tile import SpreadTile
from engine.kernels.cpu.unpack_tile import UnpackTile

LINUX, MAC = "x86_64-unknown-linux-gnu", "arm64-apple-macosx13.0"
AVX2 = ("avx", "avx2", "fma", "f16c", "sse4.1", "ssse3")
AVX512 = (*AVX2, "avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512vnni")


@dataclass(frozen=True)
class Target:
    triple: str
    cpu: str
    features: tuple[str, ...]
    dot: DotProduct
    instruction: str  # of the inner loop
    register: str  # that it works on


TARGETS = {
    "AVX-512 VNNI": Target(LINUX, "icelake-server", AVX512, DotProduct.VNNI, "vpdpbusd", "%zmm"),
    "AVX-VNNI": Target(LINUX, "alderlake", (*AVX2, "avxvnni"), DotProduct.VNNI, "vpdpbusd", "%ymm"),
    "AVX2": Target(LINUX, "haswell", AVX2, DotProduct.MADDUBS, "vpmaddubsw", "%ymm"),
    "SSE2 alone": Target(LINUX, "x86-64", ("sse2",), DotProduct.PORTABLE, "pmullw", "%xmm"),
    "ARM dot product": Target(
        MAC, "apple-m1", ("neon", "dotprod", "fullfp16"), DotProduct.SDOT, "sdot", "v"
    ),
    "ARM Linux": Target(
        "aarch64-unknown-linux-gnu", "generic", ("neon", "dotprod"), DotProduct.SDOT, "sdot", "v"
    ),
}
WORD_INSTRUCTIONS = {
    "AVX-512 VNNI": "vpdpwssd", "AVX-VNNI": "vpdpwssd", "AVX2": "vpmaddwd", "SSE2 alone": "pmaddwd"
}  # fmt: skip
"""Of 8-bit codes with 16-bit activations, which ARM has no instruction for."""
LAYOUTS = [
    Layout(4, 32, minimum=False, wide=False),
    Layout(4, 64, minimum=True, wide=False),
    Layout(5, 32, minimum=False, wide=False),
    Layout(6, 16, minimum=False, wide=False),
    Layout(8, 32, minimum=False, wide=True),
]


def processor(target: Target) -> Processor:
    return processor_for(target.triple, target.cpu, dict.fromkeys(target.features, True))


def loop_of(assembly: str, instruction: str) -> list[str]:
    """The instructions of the block that has most of ``instruction``."""
    blocks: list[list[str]] = [[]]
    for line in assembly.splitlines():
        if re.match(r"\.?L\w+:", line):
            blocks.append([])
        elif line.startswith("\t") and not line.startswith("\t."):
            blocks[-1].append(line.strip().removeprefix("{vex}").strip())
    return max(blocks, key=lambda lines: sum(line.startswith(instruction) for line in lines))


@pytest.mark.parametrize("name", TARGETS)
def test_products_use_the_processor_s_dot_product(name: str) -> None:
    target = TARGETS[name]
    made = processor(target)
    assert made.dot is target.dot
    for layout in LAYOUTS:
        columns = product_columns(made)[-1]
        module = new_module(made, layout.name)
        QuantizedTile(module, made, layout, columns).write()
        words = activations_for(made, layout) is WORDS
        instruction = WORD_INSTRUCTIONS[name] if words else target.instruction
        also = ["vpmaddwd"] if words else []  # and an add, where LLVM has less to wait for then
        loop = loop_of(compile_assembly(module, made), instruction)
        dots = [line for line in loop if line.startswith((instruction, *also))]
        assert all(target.register in line for line in dots)
        tiles = columns * layout.blocks * 8 * 16 // made.lanes
        if words or made.dot is not DotProduct.PORTABLE:
            # each product once: nothing unrolled or repeated; words have half as many a vector
            assert len(dots) == tiles * (2 if words else 1)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_pairs_of_tiles_read_activations_once_and_hardly_spill(layout: Layout) -> None:
    made = processor(TARGETS["AVX-512 VNNI"])
    assert multiplies_pairs(made)
    module = new_module(made, layout.name)
    QuantizedTile(module, made, layout, PAIR_COLUMNS, PAIR).write()
    loop = loop_of(compile_assembly(module, made), "vpdp")
    dots = [line for line in loop if line.startswith(("vpdp", "vpmaddwd"))]
    each = 16 if layout.bits == 8 else 8
    assert len(dots) == PAIR * PAIR_COLUMNS * layout.blocks * each
    assert not [line for line in dots if "{1to16}" in line]  # which would read them for each tile
    spilled = [line for line in loop if "zmm" in line and "(%rsp)" in line]
    assert len(spilled) <= len(dots) // 16
    lines = -(-layout.record_bytes // 64)
    assert sum(line.startswith("prefetcht1") for line in loop) == PAIR * lines


@pytest.mark.parametrize("name", [name for name in TARGETS if name != "AVX-512 VNNI"])
def test_narrower_vectors_multiply_no_pairs(name: str) -> None:
    assert not multiplies_pairs(processor(TARGETS[name]))


@pytest.mark.skipif(not this_processor().triple.startswith("x86"), reason="not x86")
def test_lesser_forms_run_here_and_one_is_chosen_by_a_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    forms = processors_here()
    assert list(forms)[-1] == "portable"
    for label, made in forms.items():
        monkeypatch.setenv(VARIABLE, label)
        assert this_processor() == made
        assert made.label == label
    monkeypatch.setenv(VARIABLE, "NEON")
    with pytest.raises(EngineError) as raised:
        this_processor()
    assert raised.value.fault.kind is FaultKind.SETTING_INVALID
    assert "portable" in str(raised.value)


@pytest.mark.parametrize("layout", LAYOUTS[1:], ids=lambda layout: layout.name)
def test_products_of_spread_codes_take_nothing_apart(layout: Layout) -> None:
    made = processor(TARGETS["AVX2"])
    instruction = "vpmaddwd" if layout.bits == 8 else "vpmaddubsw"
    loops = []
    for given in (layout, layout.spread_out()):
        module = new_module(made, given.name)
        QuantizedTile(module, made, given, made.columns).write()
        loops.append(loop_of(compile_assembly(module, made), instruction))
    packed, spread = loops
    assert [line for line in packed if line.startswith(("vpand", "vpsrlw"))]
    assert not [line for line in spread if line.startswith(("vpand", "vpsrlw", "vcvtph2ps"))]


@pytest.mark.parametrize("name", ["AVX-512 VNNI", "AVX-VNNI", "AVX2", "ARM dot product"])
def test_sums_of_one_row_stay_in_registers(name: str) -> None:
    made = processor(TARGETS[name])
    layout = LAYOUTS[0]
    module = new_module(made, layout.name)
    QuantizedTile(module, made, layout, 1).write()
    loop = loop_of(compile_assembly(module, made), TARGETS[name].instruction)
    assert not [line for line in loop if "(%rsp)" in line or "[sp" in line]


@pytest.mark.parametrize("name", ["AVX-512 VNNI", "AVX-VNNI"])
@pytest.mark.parametrize("layout", LAYOUTS[:-1], ids=lambda layout: layout.name)
def test_two_digits_take_codes_apart_once(name: str, layout: Layout) -> None:
    made = processor(TARGETS[name])
    assert multiplies_digits(made)
    for columns in fine_columns(made):
        module = new_module(made, layout.name)
        FineTile(module, made, layout, columns).write()
        loop = loop_of(compile_assembly(module, made), "vpdpbusd")
        dots = [line for line in loop if line.startswith("vpdpbusd")]
        assert len(dots) == 2 * columns * layout.blocks * 8 * 16 // made.lanes
        if columns == 1 and layout.blocks == 1:
            assert not [line for line in loop if "(%rsp)" in line]


@pytest.mark.parametrize("name", TARGETS)
def test_everything_else_compiles_without_calling_a_library(name: str) -> None:
    """A call would be to a function that an interpreter need not have loaded."""
    made = processor(TARGETS[name])
    module = new_module(made, "rest")
    for element in Element:
        FloatTile(module, made, element, 2).write()
        DotTile(module, made, element, 4).write()
    for layout in LAYOUTS:
        UnpackTile(module, made, layout).write()
        SpreadTile(module, made, layout).write()
    for form in (BYTES, WORDS, DIGITS):
        QuantizeRow(module, made, form).write()
    text = compile_assembly(module, made)
    assert not re.findall(r"^\s+(?:callq?|bl)\s+.*$", text, flags=re.MULTILINE)


def test_this_processor_s_best_dot_product_is_taken() -> None:
    made = this_processor()
    features = set(made.features.split(","))
    if "+avx2" in features and "+avxvnni" not in features and "+avx512vnni" not in features:
        assert made.dot is DotProduct.MADDUBS
    assert made.lanes * 4 in {16, 32, 64}
