"""The quantized layouts of safetensors folders, each by its published definition.

What a format stores of one linear weight, and the values that its codes stand for. Codes are
rounded to nearest: how they were chosen (GPTQ, AWQ) does not matter to who reads them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from tests.storage.test_compressed import FLOAT, INT, PACKED, by_the_package, integer
from tests.storage.test_schemes import FP4, NF4, awq_packed, packed_along_rows

GROUP = 32
Stored = tuple[dict[str, Tensor], Tensor]
"""Tensors by what follows the module's name, and the float32 weight that they stand for."""


@dataclass(frozen=True, slots=True)
class Format:
    """One quantized layout.

    Attributes:
        name: for the table.
        config: its ``quantization_config``.
        store: one weight, float32 [rows, columns] or a stack of them, as it is stored.
        share: of the change that the format itself makes to the logits, what reading may add to it:
            nothing where our forms hold its codes and scales, little where they round a scale or a
            zero point to float16, more where the codes are coded anew in 8 bits.
        stacks: whether the stacked experts are stored so, and nothing else.
    """

    name: str
    config: dict[str, Any]
    store: Callable[[Tensor], Stored]
    share: float = 0.0
    stacks: bool = False


@dataclass(frozen=True, slots=True)
class Affine:
    """``scale * (code - zero)``, a scale and a zero point for each group of columns."""

    bits: int
    symmetric: bool = True
    sorted_columns: bool = False

    def codes(self, weight: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Of float32 [rows, columns].

        Returns:
            Codes [columns, rows], zero points and float16 scales [groups, rows], and the group of
            each column.
        """
        rows, columns = weight.shape
        order = torch.arange(columns) // GROUP
        if self.sorted_columns:
            order = order[torch.randperm(columns, generator=torch.Generator().manual_seed(7))]
        groups = weight.t()[order.argsort(stable=True)].view(columns // GROUP, GROUP, rows)
        low, high = groups.amin(1).clamp(max=0), groups.amax(1).clamp(min=0)
        steps = (1 << self.bits) - 1
        if self.symmetric:
            scale = (torch.maximum(-low, high) * 2 / steps).half()
            zero = torch.full(scale.shape, 1 << (self.bits - 1))
        else:
            scale = ((high - low) / steps).half()
            zero = (-low / scale).round().clamp(1, steps).long()
        q = ((weight.t() / scale[order]).round() + zero[order]).clamp(0, steps).long()
        return q, zero, scale, order


def _values(q: Tensor, zero: Tensor, scale: Tensor, order: Tensor) -> Tensor:
    return ((q - zero[order]).double() * scale[order].double()).t().float().contiguous()


def _gptq(affine: Affine, version: int) -> Format:
    def store(weight: Tensor) -> Stored:
        q, zero, scale, order = affine.codes(weight)
        stored_zero = zero - 1 if version == 1 else zero
        tensors = {
            ".qweight": packed_along_rows(q, affine.bits),
            ".qzeros": packed_along_rows(stored_zero.t(), affine.bits).t(),
            ".scales": scale,
            ".g_idx": order.int(),
        }
        return tensors, _values(q, zero, scale, order)

    config = {
        "quant_method": "gptq",
        "bits": affine.bits,
        "group_size": GROUP,
        "desc_act": affine.sorted_columns,
        "sym": affine.symmetric,
        "checkpoint_format": "gptq" if version == 1 else "gptq_v2",
    }
    how = ", act-order" if affine.sorted_columns else "" if affine.symmetric else ", zero points"
    # eight bits anew are as coarse as the eight that were there, four are far coarser
    anew = 1.5 if affine.bits == 8 else 0.1
    share = anew if affine.sorted_columns else 0.0 if affine.symmetric else 0.02
    return Format(f"GPTQ v{version}, {affine.bits} bit{how}", config, store, share)


def _awq(weight: Tensor) -> Stored:
    q, zero, scale, order = Affine(4, symmetric=False).codes(weight)
    tensors = {".qweight": awq_packed(q), ".qzeros": awq_packed(zero), ".scales": scale}
    return tensors, _values(q, zero, scale, order)


def _compressed(name: str, form: str, args: dict[str, Any], share: float = 0.0) -> Format:
    def store(weight: Tensor) -> Stored:
        stored, values = by_the_package(weight.bfloat16(), form, args)  # as llm-compressor does
        return {f".{kind}": tensor for kind, tensor in stored.items()}, values.float()

    config = {
        "quant_method": "compressed-tensors",
        "format": form,
        "config_groups": {"group_0": {"targets": ["Linear"], "weights": args}},
        "ignore": ["lm_head"],
        "quantization_status": "compressed",
    }
    return Format(f"compressed-tensors {name}", config, store, share)


def _fp8_blocks(weight: Tensor) -> Stored:
    rows, columns = weight.shape
    high, wide = -(-rows // GROUP), -(-columns // GROUP)
    padded = torch.zeros(high * GROUP, wide * GROUP)
    padded[:rows, :columns] = weight
    scale = padded.view(high, GROUP, wide, GROUP).abs().amax((1, 3)) / 448
    each = scale.repeat_interleave(GROUP, 0)[:rows].repeat_interleave(GROUP, 1)[:, :columns]
    stored = (weight / each).to(torch.float8_e4m3fn)
    return {".weight": stored, ".weight_scale_inv": scale}, stored.float() * each


def _fp8_rows(weight: Tensor) -> Stored:
    scale = weight.abs().amax(1, keepdim=True) / 448
    stored = (weight / scale).to(torch.float8_e4m3fn)
    return {".weight": stored, ".weight_scale": scale}, stored.float() * scale


def _table_coded(kind: str, table: Tensor, nested: bool = False) -> Format:
    block = 64

    def store(weight: Tensor) -> Stored:
        flat = weight.reshape(-1, block)
        largest = flat.abs().amax(1)
        told: dict[str, Any] = {"shape": list(weight.shape), "blocksize": block, "dtype": "float32"}
        tensors: dict[str, Tensor] = {}
        if nested:
            offset, places = largest.mean(), torch.linspace(-1, 1, 256)
            outer = (largest - offset).abs().amax().view(1)
            told |= {"nested_blocksize": 256, "nested_offset": float(offset)}
            coded = ((largest - offset) / outer - places.unsqueeze(1)).abs().argmin(0)
            tensors[".weight.absmax"] = coded.to(torch.uint8)
            tensors[".weight.nested_absmax"] = outer
            tensors[".weight.nested_quant_map"] = places
            largest = places[coded] * outer + offset
        else:
            tensors[".weight.absmax"] = largest
        q = (flat / largest.unsqueeze(1)).unsqueeze(-1).sub(table).abs().argmin(-1).flatten()
        tensors[".weight"] = (q[0::2] << 4 | q[1::2]).to(torch.uint8).unsqueeze(1)
        tensors[".weight.quant_map"] = table.clone()
        tensors[f".weight.quant_state.bitsandbytes__{kind}"] = torch.tensor(
            list(json.dumps(told).encode()), dtype=torch.uint8
        )
        values = table[q].view(-1, block) * largest.unsqueeze(1)
        return tensors, values.view(weight.shape)

    name = f"bitsandbytes {kind}" + (", double" if nested else "")
    config = {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": kind}
    return Format(name, config, store, share=0.15)


def _rows_of_bytes(weight: Tensor) -> Stored:
    largest = weight.abs().amax(1)
    codes = (weight / largest.unsqueeze(1) * 127).round().to(torch.int8)
    tensors = {".weight": codes, ".SCB": largest, ".weight_format": torch.tensor(0)}
    return tensors, codes.float() * (largest / 127).unsqueeze(1)


def _mxfp4(stack: Tensor) -> Stored:
    """Experts [experts, columns, rows], as transformers has them in 16 bits."""
    numbers = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    numbers = torch.cat((numbers, -numbers))
    groups = stack.transpose(1, 2).unflatten(2, (-1, 32))  # [experts, rows, groups, 32]
    exponent = groups.abs().amax(-1, keepdim=True).log2().floor() - 2
    q = (groups / exponent.exp2()).unsqueeze(-1).sub(numbers).abs().argmin(-1)
    tensors = {
        "_blocks": (q[..., 0::2] | q[..., 1::2] << 4).to(torch.uint8),
        "_scales": (exponent.squeeze(-1) + 127).to(torch.uint8),
    }
    values = (numbers[q] * exponent.exp2()).flatten(2).transpose(1, 2)
    return tensors, values.contiguous()


BLOCK_FP8, MXFP4 = "FP8, a scale for each block", "MXFP4"
_FLOAT_ROWS = {"num_bits": 8, "type": "float", "strategy": "channel", "symmetric": True}
_FP8 = {"quant_method": "fp8", "weight_block_size": [GROUP, GROUP]}
_BYTES = {"quant_method": "bitsandbytes", "load_in_8bit": True}
FORMATS = (
    _gptq(Affine(4), 1),
    _gptq(Affine(4, symmetric=False), 1),
    _gptq(Affine(4, symmetric=False), 2),
    _gptq(Affine(4, sorted_columns=True), 1),
    _gptq(Affine(4, symmetric=False, sorted_columns=True), 2),
    _gptq(Affine(8), 1),
    _gptq(Affine(8, sorted_columns=True), 2),
    Format("AWQ, 4 bit", {"quant_method": "awq", "bits": 4, "group_size": GROUP}, _awq, 0.02),
    _compressed("pack-quantized, 4 bit", PACKED, integer(4, "group", True, GROUP)),
    _compressed(
        "pack-quantized, 4 bit, zero points", PACKED, integer(4, "group", False, GROUP), 0.02
    ),
    _compressed("pack-quantized, 8 bit", PACKED, integer(8, "channel", True)),
    _compressed("int8", INT, integer(8, "channel", True)),
    _compressed("fp8", FLOAT, _FLOAT_ROWS, 0.4),
    Format(BLOCK_FP8, _FP8, _fp8_blocks, 0.4),
    Format("FP8, a scale for each row", {"quant_method": "fbgemm_fp8"}, _fp8_rows, 0.4),
    _table_coded("nf4", NF4),
    _table_coded("nf4", NF4, nested=True),
    _table_coded("fp4", FP4),
    Format("bitsandbytes int8", _BYTES, _rows_of_bytes, 0.1),
    Format(MXFP4, {"quant_method": "mxfp4"}, _mxfp4, stacks=True),
)


def format_named(name: str) -> Format:
    """The format of that name."""
    return next(form for form in FORMATS if form.name == name)
