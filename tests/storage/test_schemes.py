"""Quantized safetensors layouts against their definitions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from engine.contract import EngineError, FaultKind
from engine.storage.open import open_checkpoint
from engine.weights import Grouped4, Grouped8, dense
from tests.storage.quantized_folder import COLUMNS, GROUP, GROUPS, ROWS, read, save


def packed_along_rows(q: Tensor, bits: int) -> Tensor:
    """[n, m] codes to int32 words of consecutive rows, the first in the lowest bits."""
    share = 32 // bits
    words = torch.zeros(q.shape[0] // share, q.shape[1], dtype=torch.int64)
    for k in range(share):
        words |= q[k::share].long() << (bits * k)
    return torch.where(words >= 1 << 31, words - (1 << 32), words).to(torch.int32)


def draw(bits: int, seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Codes [columns, rows], zero points and float16 scales [groups, rows]."""
    torch.manual_seed(seed)
    q = torch.randint(0, 1 << bits, (COLUMNS, ROWS))
    zero = torch.randint(1, 1 << bits, (GROUPS, ROWS))
    scale = torch.rand(GROUPS, ROWS).mul_(0.01).add_(1e-3).half()
    return q, zero, scale


def by_definition(q: Tensor, zero: Tensor, scale: Tensor, order: Tensor) -> Tensor:
    """float64 [rows, columns]."""
    return ((q - zero[order]).double() * scale[order].double()).t()


STAIRS = torch.arange(COLUMNS) // GROUP


def gptq(bits: int, zero: Tensor, q: Tensor, scale: Tensor, order: Tensor) -> dict[str, Tensor]:
    return {
        "l.qweight": packed_along_rows(q, bits),
        "l.qzeros": packed_along_rows(zero.t(), bits).t(),
        "l.scales": scale,
        "l.g_idx": order.int(),
    }


@pytest.mark.parametrize("version", ["gptq", "gptq_v2"])
@pytest.mark.parametrize("bits", [2, 4])
def test_gptq_keeps_its_codes(tmp_path: Path, bits: int, version: str) -> None:
    q, zero, scale = draw(bits)
    stored_zero = zero - 1 if version == "gptq" else zero
    scheme = {"quant_method": "gptq", "bits": bits, "checkpoint_format": version}
    weight = read(save(tmp_path, gptq(bits, stored_zero, q, scale, STAIRS), scheme))
    want = by_definition(q, zero, scale, STAIRS)
    assert isinstance(weight, Grouped4)
    assert weight.group == GROUP
    # only the minimum, -scale * zero, is rounded: 2^-11 of at most 15 steps
    step = scale[STAIRS].t().double()
    assert ((dense(weight).double() - want).abs() <= step * 15 * 2**-11 + 1e-7).all()


@pytest.mark.parametrize("bits", [4, 8])
def test_symmetric_gptq_is_exact(tmp_path: Path, bits: int) -> None:
    q, _, scale = draw(bits)
    zero = torch.full((GROUPS, ROWS), 1 << (bits - 1))
    scheme = {"quant_method": "gptq", "bits": bits}
    weight = read(save(tmp_path, gptq(bits, zero - 1, q, scale, STAIRS), scheme))
    assert isinstance(weight, Grouped4 if bits == 4 else Grouped8)
    assert torch.equal(dense(weight).double(), by_definition(q, zero, scale, STAIRS))
    if isinstance(weight, Grouped4):
        assert weight.minimum is None


@pytest.mark.parametrize("bits", [4, 8])
def test_gptq_with_sorted_columns_loses_far_less_than_its_step(tmp_path: Path, bits: int) -> None:
    q, zero, scale = draw(bits)
    order = STAIRS[torch.randperm(COLUMNS)]
    scheme = {"quant_method": "gptq", "bits": bits, "desc_act": True}
    weight = read(save(tmp_path, gptq(bits, zero - 1, q, scale, order), scheme))
    want = by_definition(q, zero, scale, order)
    largest = want.view(ROWS, -1, 32).abs().amax(-1).repeat_interleave(32, dim=1)
    error = (dense(weight).double() - want).abs()
    assert (error <= largest * (0.5 / 127 + 2**-10)).all()
    if bits == 4:  # uniform codes of 4 bits are off by 0.289 steps; steps differ, so on average
        assert error.pow(2).mean().sqrt() < 0.2 * 0.289 * scale.double().mean()


def test_one_group_for_all_columns_is_held_in_smaller_ones(tmp_path: Path) -> None:
    q, zero, scale = draw(4)
    zero, scale = zero[:1], scale[:1]
    order = torch.zeros(COLUMNS, dtype=torch.long)
    tensors = gptq(4, zero - 1, q, scale, order)
    del tensors["l.g_idx"]  # some writers leave it out
    scheme = {"quant_method": "gptq", "bits": 4, "group_size": -1}
    weight = read(save(tmp_path, tensors, scheme))
    assert isinstance(weight, Grouped4)
    assert weight.group == 128
    want = by_definition(q, zero, scale, order)
    assert torch.allclose(dense(weight).double(), want, atol=float(scale.max()) * 15 * 2**-11)


def test_an_older_gptq_config_lies_in_a_file_of_its_own(tmp_path: Path) -> None:
    q, zero, scale = draw(4)
    save(tmp_path, gptq(4, zero - 1, q, scale, STAIRS), {})
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    (tmp_path / "quantize_config.json").write_text('{"bits": 4, "group_size": 32, "sym": false}')
    assert isinstance(read(tmp_path), Grouped4)


AWQ_ORDER = (0, 2, 4, 6, 1, 3, 5, 7)


def awq_packed(q: Tensor) -> Tensor:
    """[n, rows] -> int32 [n, rows / 8]: nibble k of a word is output AWQ_ORDER[k] of its eight."""
    shuffled = torch.stack([q[:, place::8] for place in AWQ_ORDER], dim=-1).flatten(1)
    return packed_along_rows(shuffled.t(), 4).t()


@pytest.mark.parametrize("group", [32, 64, 8])
def test_awq_keeps_its_codes(tmp_path: Path, group: int) -> None:
    q, _, _ = draw(4)
    torch.manual_seed(1)
    zero = torch.randint(0, 16, (COLUMNS // group, ROWS))
    scale = torch.rand(COLUMNS // group, ROWS).mul_(0.01).add_(1e-3).half()
    order = torch.arange(COLUMNS) // group
    tensors = {"l.qweight": awq_packed(q), "l.qzeros": awq_packed(zero), "l.scales": scale}
    scheme = {"quant_method": "awq", "bits": 4, "group_size": group, "version": "gemm"}
    weight = read(save(tmp_path, tensors, scheme))
    want = by_definition(q, zero, scale, order)
    assert isinstance(weight, Grouped8 if group == 8 else Grouped4)  # no canonical group is 8 wide
    limit = float(scale.max()) * 15 * (0.5 / 127 + 2**-10 if group == 8 else 2**-11)
    assert ((dense(weight).double() - want).abs() <= limit).all()


BLOCK_SHAPES = [(None, (ROWS, 1)), (None, ()), (None, (1,)), ([32, 32], (2, 4)), (None, (3, 4))]


@pytest.mark.parametrize(("block", "scales"), BLOCK_SHAPES)
@pytest.mark.parametrize("kind", ["weight_scale_inv", "weight_scale"])
def test_fp8_loses_a_fifth_of_its_own_error(
    tmp_path: Path, kind: str, block: list[int] | None, scales: tuple[int, ...]
) -> None:
    torch.manual_seed(0)
    original = torch.randn(ROWS, COLUMNS)
    scale = torch.rand(scales) * 0.1 + 0.01
    high, wide = block or (-(-ROWS // (scales or (1,))[0]), -(-COLUMNS // (*scales, 1, 1)[1]))
    full = scale if not scales else scale.view(-1, scales[-1] if len(scales) > 1 else 1)
    if scales:
        full = full.repeat_interleave(high, 0)[:ROWS].repeat_interleave(wide, 1)[:, :COLUMNS]
    stored = (original * 50).to(torch.float8_e4m3fn)
    scheme = {"quant_method": "fp8", "weight_block_size": block}
    weight = read(save(tmp_path, {"l.weight": stored, f"l.{kind}": scale}, scheme))
    want = stored.float() * full
    own = (original * 50 - stored.float()) * full
    assert isinstance(weight, Grouped8)
    # off by at most half a step, a 254th of the largest of 32; FP8 by a 32nd of each large value
    assert (dense(weight) - want).norm() < 0.25 * own.norm()


def test_stacked_fp8_experts_are_one_matrix(tmp_path: Path) -> None:
    torch.manual_seed(0)
    stored = torch.randn(2, 64, 64).to(torch.float8_e4m3fn)
    scale = torch.rand(2, 2, 2) + 0.5
    scheme = {"quant_method": "fp8", "weight_block_size": [32, 32]}
    tensors = {"l.weight": stored, "l.weight_scale_inv": scale}
    weight = read(save(tmp_path, tensors, scheme), shape=(2, 64, 64))
    want = stored.float() * scale.repeat_interleave(32, 1).repeat_interleave(32, 2)
    assert torch.allclose(dense(weight), want.view(128, 64), atol=float(want.abs().max()) / 250)


NF4 = torch.tensor(
    [-1.0, -0.6961928, -0.52507305, -0.3949175, -0.28444138, -0.18477343, -0.09105004, 0.0,
     0.0795803, 0.1609302, 0.2461123, 0.33791524, 0.44070983, 0.562617, 0.72295684, 1.0]
)  # fmt: skip
FP4 = torch.tensor([0, 0.0052083, 0.6667, 1, 0.3333, 0.5, 0.1667, 0.25])
FP4 = torch.cat((FP4, -FP4))


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize(("kind", "block"), [("nf4", 64), ("fp4", 64), ("nf4", 128), ("nf4", 48)])
def test_bitsandbytes_tables_are_held_in_8_bits(
    tmp_path: Path, kind: str, block: int, nested: bool
) -> None:
    torch.manual_seed(0)
    table = NF4 if kind == "nf4" else FP4
    q = torch.randint(0, 16, (ROWS * COLUMNS,))
    largest = torch.rand(ROWS * COLUMNS // block) * 0.1 + 0.01
    told: dict[str, Any] = {"shape": [ROWS, COLUMNS], "blocksize": block, "dtype": "bfloat16"}
    tensors = {
        "l.weight": (q[0::2] << 4 | q[1::2]).to(torch.uint8).unsqueeze(1),
        "l.weight.quant_map": table,
        "l.weight.absmax": largest,
    }
    if nested:
        outer_map = torch.linspace(-1, 1, 256)
        places = torch.randint(0, 256, largest.shape)
        outer = torch.rand(-(-largest.numel() // 16)) * 0.01
        told |= {"nested_blocksize": 16, "nested_offset": 0.05}
        wide = outer.repeat_interleave(16)[: largest.numel()]
        largest = outer_map[places] * wide + 0.05
        tensors["l.weight.absmax"] = places.to(torch.uint8)
        tensors |= {"l.weight.nested_absmax": outer, "l.weight.nested_quant_map": outer_map}
    state = torch.tensor(list(json.dumps(told).encode()), dtype=torch.uint8)
    tensors[f"l.weight.quant_state.bitsandbytes__{kind}"] = state
    scheme = {"quant_method": "bitsandbytes", "load_in_4bit": True}
    weight = read(save(tmp_path, tensors, scheme))
    per_value = largest.repeat_interleave(block)
    want = (table[q] * per_value).view(ROWS, COLUMNS)
    assert isinstance(weight, Grouped8)
    limit = per_value.abs().view(ROWS, COLUMNS) * (0.5 / 127 + 2**-10)
    assert ((dense(weight) - want).abs() <= limit).all()


def test_bitsandbytes_int8_keeps_its_codes(tmp_path: Path) -> None:
    torch.manual_seed(0)
    codes = torch.randint(-127, 128, (ROWS, COLUMNS), dtype=torch.int8)
    largest = torch.rand(ROWS)
    tensors = {"l.weight": codes, "l.SCB": largest, "l.weight_format": torch.tensor(0)}
    weight = read(save(tmp_path, tensors, {"quant_method": "bitsandbytes", "load_in_8bit": True}))
    assert isinstance(weight, Grouped8)
    assert torch.equal(weight.codes, codes)
    want = codes.double() * (largest.double() / 127).unsqueeze(1)
    assert torch.allclose(dense(weight).double(), want, rtol=2**-10)


def test_mxfp4_experts_equal_transformers_exactly(tmp_path: Path) -> None:
    from transformers.integrations.mxfp4 import convert_moe_packed_tensors

    torch.manual_seed(0)
    blocks = torch.randint(0, 256, (3, 20, 4, 16), dtype=torch.uint8)
    scales = torch.randint(105, 130, (3, 20, 4), dtype=torch.uint8)
    tensors = {"m.gate_up_proj_blocks": blocks, "m.gate_up_proj_scales": scales}
    folder = save(tmp_path, tensors, {"quant_method": "mxfp4"})
    weight = read(folder, "m.gate_up_proj", (3, 20, 128))
    want = convert_moe_packed_tensors(blocks, scales, dtype=torch.float32)  # [3, columns, rows]
    assert torch.equal(dense(weight).view(3, 20, 128), want.transpose(1, 2))


Q, ZERO, SCALE = draw(4)
GOOD = gptq(4, ZERO - 1, Q, SCALE, STAIRS)
GPTQ = {"quant_method": "gptq", "bits": 4}


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"l.scales": None}, FaultKind.TENSOR_MISSING),
        ({"l.qzeros": None}, FaultKind.TENSOR_MISSING),
        ({"l.scales": SCALE[:, :40]}, FaultKind.TENSOR_SHAPE),
        ({"l.scales": SCALE[:0]}, FaultKind.TENSOR_SHAPE),
        ({"l.scales": SCALE.flatten()}, FaultKind.TENSOR_SHAPE),
        ({"l.qzeros": GOOD["l.qzeros"][:, :2]}, FaultKind.TENSOR_SHAPE),
        ({"l.g_idx": STAIRS[:5].int()}, FaultKind.TENSOR_SHAPE),
        ({"l.qweight": GOOD["l.qweight"].float()}, FaultKind.FILE_DAMAGED),
    ],
)
def test_parts_that_do_not_make_a_weight_are_named_before_it_is_read(
    tmp_path: Path, change: dict[str, Tensor | None], kind: FaultKind
) -> None:
    tensors = {n: t for n, t in {**GOOD, **change}.items() if t is not None}
    folder = save(tmp_path, tensors, GPTQ)
    with pytest.raises(EngineError) as caught:
        open_checkpoint(folder)
    assert caught.value.fault.kind is kind


def test_an_order_that_points_nowhere_is_named(tmp_path: Path) -> None:
    folder = save(tmp_path, {**GOOD, "l.g_idx": torch.full((COLUMNS,), 99).int()}, GPTQ)
    with pytest.raises(EngineError) as caught:
        open_checkpoint(folder).read("l.weight")
    assert caught.value.fault.kind is FaultKind.TENSOR_SHAPE


@pytest.mark.parametrize(
    "told", ["{", "[]", '{"shape": [1]}', '{"shape": [48, 128], "blocksize": 0}', "null",
             '{"shape": [48, 127], "blocksize": 64}', '{"shape": [48, 64], "blocksize": 64}']
)  # fmt: skip
def test_a_state_that_is_none_is_named(tmp_path: Path, told: str) -> None:
    tensors = {
        "l.weight": torch.zeros(ROWS * COLUMNS // 2, 1, dtype=torch.uint8),
        "l.weight.quant_map": NF4,
        "l.weight.absmax": torch.ones(ROWS * COLUMNS // 64),
        "l.weight.quant_state.bitsandbytes__nf4": torch.tensor(
            list(told.encode()), dtype=torch.uint8
        ),
    }
    folder = save(tmp_path, tensors, {"quant_method": "bitsandbytes", "load_in_4bit": True})
    with pytest.raises(EngineError) as caught:
        open_checkpoint(folder)
    assert caught.value.fault.kind in {FaultKind.FILE_DAMAGED, FaultKind.TENSOR_SHAPE}


@pytest.mark.parametrize(
    ("scheme", "says"),
    [
        ({"quant_method": "aqlm"}, "aqlm"),
        ({"bits": 4}, "unnamed"),
        ({"quant_method": "gptq", "bits": 3}, "gptq 3 bit"),
        ({"quant_method": "gptq"}, "gptq None bit"),
        ({"quant_method": "awq", "bits": 4, "version": "GEMV"}, "awq gemv"),
        (
            {
                "quant_method": "compressed-tensors",
                "format": "marlin-24",
                "config_groups": {"a": {}},
            },
            "compressed-tensors marlin-24",
        ),
    ],
)
def test_a_layout_that_is_not_read_is_named(
    tmp_path: Path, scheme: dict[str, Any], says: str
) -> None:
    with pytest.raises(EngineError) as caught:
        open_checkpoint(save(tmp_path, {}, scheme))
    fault = caught.value.fault
    assert fault.kind is FaultKind.QUANTIZATION_UNSUPPORTED
    assert fault.figures["quantization"] == says
