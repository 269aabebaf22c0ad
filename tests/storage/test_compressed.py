"""compressed-tensors layouts against the package's own compression and decompression."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from engine.contract import EngineError, FaultKind
from engine.storage.open import open_checkpoint
from engine.weights import Grouped4, Grouped8, dense
from tests.storage.quantized_folder import COLUMNS, ROWS, read, save

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its own imports warn
    pytest.importorskip("compressed_tensors")
    from compressed_tensors.compressors import BaseCompressor
    from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme

PACKED, INT, FLOAT = "pack-quantized", "int-quantized", "float-quantized"


def scales_for(weight: Tensor, args: dict[str, Any]) -> tuple[Tensor, Tensor]:
    """Scales and zero points of the strategy's shape that cover the weight."""
    rows, columns = weight.shape
    match args["strategy"]:
        case "tensor":
            blocks = weight.view(1, 1, -1)
        case "channel":
            blocks = weight.view(rows, 1, -1)
        case "group":
            blocks = weight.view(rows, columns // args["group_size"], -1)
        case _:
            high, wide = args["block_structure"]
            tiles = weight.view(rows // high, high, columns // wide, wide)
            blocks = tiles.transpose(1, 2).flatten(2)
    if args.get("type") == "float":
        return blocks.abs().amax(-1) / 448, torch.zeros(blocks.shape[:2])
    steps = (1 << args["num_bits"]) - 1
    if args["symmetric"]:
        scale = blocks.abs().amax(-1) * 2 / steps
        return scale, torch.zeros_like(scale, dtype=torch.int8)
    low, high = blocks.amin(-1).clamp(max=0), blocks.amax(-1).clamp(min=0)
    scale = (high - low) / steps
    zero = (-(1 << args["num_bits"] - 1) - low / scale).round()
    return scale, zero.to(torch.int8)


def by_the_package(
    weight: Tensor, form: str, args: dict[str, Any]
) -> tuple[dict[str, Tensor], Tensor]:
    """(what the package stores of a weight, what it reads back in float64)."""
    scale, zero = scales_for(weight, args)
    scale = scale[0] if args["strategy"] == "tensor" else scale
    zero = zero[0] if args["strategy"] == "tensor" else zero
    quantization = QuantizationArgs(**args)
    scheme = QuantizationScheme(targets=["Linear"], weights=quantization)
    state = {"weight": weight, "weight_scale": scale, "weight_zero_point": zero}
    compressor = BaseCompressor.get_value_from_registry(form)
    stored = compressor.compress(state, scheme)
    wide = {**stored, "weight_scale": stored["weight_scale"].double()}
    return stored, compressor.decompress(wide, scheme)["weight"].double()


def compressed(form: str, args: dict[str, Any]) -> tuple[dict[str, Tensor], Tensor, Tensor]:
    """(what the package stores, what it reads back in float64, what the weight was)."""
    torch.manual_seed(0)
    weight = torch.randn(ROWS, COLUMNS) * 0.05
    return *by_the_package(weight, form, args), weight


def read_compressed(
    tmp_path: Path, form: str, args: dict[str, Any]
) -> tuple[Grouped4 | Grouped8, Tensor, Tensor]:
    stored, want, weight = compressed(form, args)
    config = {
        "quant_method": "compressed-tensors",
        "format": form,
        "config_groups": {"group_0": {"targets": ["Linear"], "weights": args}},
    }
    got = read(save(tmp_path, {f"l.{name}": t for name, t in stored.items()}, config))
    assert isinstance(got, Grouped4 | Grouped8)
    return got, want, weight


def integer(bits: int, strategy: str, symmetric: bool, group: int | None = None) -> dict[str, Any]:
    return {
        "num_bits": bits,
        "type": "int",
        "strategy": strategy,
        "symmetric": symmetric,
        "group_size": group,
    }


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize(("strategy", "group"), [("group", 32), ("group", 128), ("channel", None)])
@pytest.mark.parametrize("bits", [2, 4])
def test_packed_weights_keep_their_codes(
    tmp_path: Path, bits: int, strategy: str, group: int | None, symmetric: bool
) -> None:
    got, want, weight = read_compressed(tmp_path, PACKED, integer(bits, strategy, symmetric, group))
    assert isinstance(got, Grouped4)
    assert got.group == (group or 128)
    own = (want - weight.double()).norm()
    # float32 scales become float16, and so do minima: 2^-11 of each
    assert (dense(got).double() - want).norm() < 0.01 * own
    if bits == 4 and symmetric:
        assert got.minimum is None


def test_scales_that_are_float16_are_kept_exactly(tmp_path: Path) -> None:
    stored, _, _ = compressed(PACKED, integer(4, "group", True, 32))
    stored["weight_scale"] = stored["weight_scale"].bfloat16()
    scheme = {"quant_method": "compressed-tensors", "format": PACKED}
    got = read(save(tmp_path, {f"l.{name}": t for name, t in stored.items()}, scheme))
    assert isinstance(got, Grouped4)
    assert torch.equal(got.scale.float(), stored["weight_scale"].float())
    assert torch.equal(got.codes.flatten(), stored["weight_packed"].view(torch.uint8).flatten())


@pytest.mark.parametrize("form", [PACKED, INT])
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize(
    ("strategy", "group"), [("group", 32), ("channel", None), ("tensor", None)]
)
def test_eight_bit_weights_keep_their_codes(
    tmp_path: Path, form: str, strategy: str, group: int | None, symmetric: bool
) -> None:
    if form == PACKED and strategy == "tensor" and not symmetric:
        pytest.skip("the package does not pack such a zero point")
    got, want, weight = read_compressed(tmp_path, form, integer(8, strategy, symmetric, group))
    assert isinstance(got, Grouped8)
    own = (want - weight.double()).norm()
    error = (dense(got).double() - want).norm()
    # an asymmetric code is coded anew: another 8-bit rounding, of smaller groups
    assert error < (0.1 if symmetric else 1.2) * own


@pytest.mark.parametrize("strategy", ["tensor", "channel", "block"])
def test_floating_weights_lose_a_fifth_of_their_own_error(tmp_path: Path, strategy: str) -> None:
    args: dict[str, Any] = {"num_bits": 8, "type": "float", "strategy": strategy}
    args["block_structure"] = [16, 32] if strategy == "block" else None
    got, want, weight = read_compressed(tmp_path, FLOAT, args)
    own = (want - weight.double()).norm()
    assert isinstance(got, Grouped8)
    assert (dense(got).double() - want).norm() < 0.25 * own


def test_sorted_columns_are_coded_anew(tmp_path: Path) -> None:
    stored, _, _ = compressed(PACKED, integer(4, "group", True, 32))
    torch.manual_seed(1)
    order = (torch.arange(COLUMNS) // 32)[torch.randperm(COLUMNS)]
    stored["weight_g_idx"] = order.int()
    q = torch.stack((stored["weight_packed"].view(torch.uint8) & 15,
                     stored["weight_packed"].view(torch.uint8) >> 4), -1).flatten(1)  # fmt: skip
    want = (q.double() - 8) * stored["weight_scale"].double()[:, order]
    scheme = {"quant_method": "compressed-tensors", "format": PACKED}
    got = read(save(tmp_path, {f"l.{name}": t for name, t in stored.items()}, scheme))
    assert isinstance(got, Grouped8)
    assert (dense(got).double() - want).norm() < 0.03 * want.norm()


@pytest.mark.parametrize(
    "change",
    [
        {"weight_shape": torch.tensor([ROWS, COLUMNS + 8])},
        {"weight_shape": torch.tensor([ROWS + 1, COLUMNS])},
        {"weight_shape": torch.tensor([ROWS, 0])},
        {"weight_shape": torch.tensor([-1, -1])},
        {"weight_scale": torch.ones(ROWS, 3)},
        {"weight_scale": torch.ones(ROWS + 1, 4)},
        {"weight_shape": torch.tensor([[ROWS, COLUMNS]])},
        {"weight_shape": torch.tensor([ROWS])},
        {"weight_shape": torch.tensor([torch.nan, COLUMNS])},
        {"weight_packed": torch.ones(ROWS, 16)},
    ],
)
def test_parts_that_do_not_make_a_weight_are_named(
    tmp_path: Path, change: dict[str, Tensor]
) -> None:
    stored, _, _ = compressed(PACKED, integer(4, "group", True, 32))
    tensors = {f"l.{name}": t for name, t in {**stored, **change}.items()}
    folder = save(tmp_path, tensors, {"quant_method": "compressed-tensors", "format": PACKED})
    with pytest.raises(EngineError) as caught:
        open_checkpoint(folder)
    assert caught.value.fault.kind in {
        FaultKind.TENSOR_SHAPE,
        FaultKind.FILE_DAMAGED,
        FaultKind.QUANTIZATION_UNSUPPORTED,
    }
