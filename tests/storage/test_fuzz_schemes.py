"""Quantized folders with wrong parts: a weight, or a named fault, and nothing else."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from engine.contract import EngineError
from engine.storage.open import open_checkpoint
from engine.weights import dense
from tests.storage.quantized_folder import save

STATE = torch.tensor(list(b'{"shape": [8, 32], "blocksize": 64}'), dtype=torch.uint8)


def words(*shape: int) -> Tensor:
    return torch.full(shape, 0x12345678, dtype=torch.int32)


def floats(*shape: int) -> Tensor:
    return torch.full(shape, 0.5, dtype=torch.float16)


# a sound weight of 8 x 32 in every layout
SOUND: dict[str, dict[str, Tensor]] = {
    "gptq": {
        "qweight": words(4, 8),
        "qzeros": words(2, 1),
        "scales": floats(2, 8),
        "g_idx": (torch.arange(32) // 16).int(),
    },
    "awq": {"qweight": words(32, 1), "qzeros": words(2, 1), "scales": floats(2, 8)},
    "compressed-tensors": {
        "weight_packed": words(8, 4),
        "weight_scale": floats(8, 2),
        "weight_shape": torch.tensor([8, 32]),
        "weight_zero_point": words(1, 2),
        "weight_g_idx": (torch.arange(32) // 16).int(),
    },
    "compressed-tensors int8": {
        "weight": torch.ones(8, 32, dtype=torch.int8),
        "weight_scale": floats(8, 1),
        "weight_zero_point": torch.ones(8, 1, dtype=torch.int8),
    },
    "fp8": {"weight": torch.ones(8, 32).to(torch.float8_e4m3fn), "weight_scale_inv": floats(2, 8)},
    "fp8 experts": {
        "weight": torch.ones(2, 8, 32).to(torch.float8_e4m3fn),
        "weight_scale_inv": floats(2, 2, 8),
    },
    "bitsandbytes": {
        "weight": torch.ones(128, 1, dtype=torch.uint8),
        "weight.absmax": torch.ones(4, dtype=torch.uint8),
        "weight.quant_map": torch.linspace(-1, 1, 16),
        "weight.nested_absmax": torch.ones(1),
        "weight.nested_quant_map": torch.linspace(-1, 1, 256),
        "weight.quant_state.bitsandbytes__nf4": STATE,
    },
    "bitsandbytes int8": {"weight": torch.ones(8, 32, dtype=torch.int8), "SCB": torch.ones(8)},
    "mxfp4": {
        "x_blocks": torch.ones(8, 1, 16, dtype=torch.uint8),
        "x_scales": torch.full((8, 1), 120, dtype=torch.uint8),
    },
}
DTYPES = [torch.int32, torch.int64, torch.uint8, torch.int8, torch.float16, torch.float32,
          torch.float8_e4m3fn]  # fmt: skip
SHAPES = [(), (0,), (1,), (2,), (8,), (16,), (32,), (256,), (1, 8), (4, 8), (8, 1), (8, 4), (32, 1),
          (8, 32), (128, 1), (8, 0), (8, 1, 16), (2, 8, 1), (2, 8, 32)]  # fmt: skip
FILLS = [-1, 0, 1, 3, 100]


def scheme_of(layout: str) -> dict[str, Any]:
    scheme = {"quant_method": layout.split(maxsplit=1)[0], "bits": 4, "weight_block_size": [4, 4]}
    return {**scheme, "load_in_4bit": layout == "bitsandbytes"}


@pytest.mark.parametrize("layout", SOUND)
def test_the_sound_weights_are_sound(tmp_path_factory: pytest.TempPathFactory, layout: str) -> None:
    tensors = {f"l.{kind}": tensor for kind, tensor in SOUND[layout].items()}
    folder = save(tmp_path_factory.mktemp("sound"), tensors, scheme_of(layout))
    checkpoint = open_checkpoint(folder)
    (name,) = set(checkpoint.names()) - {"norm.weight"}
    weight = dense(checkpoint.read(name))
    assert weight.isfinite().all()
    assert weight.shape[-1] == 32


@st.composite
def folders(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Tensor]]:
    layout = draw(st.sampled_from(sorted(SOUND)))
    scheme, tensors = scheme_of(layout), dict(SOUND[layout])
    scheme["bits"] = draw(st.sampled_from([4, 4, 2, 8]))
    scheme["weight_block_size"] = draw(st.sampled_from([[4, 4], [8, 32], [0, 1], None, "x"]))
    for kind in draw(st.lists(st.sampled_from(sorted(tensors)), max_size=2, unique=True)):
        old = tensors.pop(kind)
        if draw(st.booleans()) and draw(st.booleans()):
            continue  # missing
        shape = draw(st.sampled_from([tuple(old.shape), *SHAPES]))
        dtype = draw(st.sampled_from([old.dtype, *DTYPES]))
        tensors[kind] = torch.full(shape, draw(st.sampled_from(FILLS))).to(dtype)
    return scheme, {f"l.{kind}": tensor for kind, tensor in tensors.items()}


@settings(max_examples=250, deadline=None)
@given(folders())
def test_fuzz_wrong_parts_give_weights_or_named_faults(
    tmp_path_factory: pytest.TempPathFactory, folder: tuple[dict[str, Any], dict[str, Tensor]]
) -> None:
    scheme, tensors = folder
    path = save(tmp_path_factory.getbasetemp() / "fuzzed", tensors, scheme)
    with suppress(EngineError):
        checkpoint = open_checkpoint(path)
        for name in checkpoint.names():
            with suppress(EngineError):
                checkpoint.read(name)
        checkpoint.close()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 300) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(["shape", "blocksize", "nested_blocksize", "nested_offset"]),
                       JSON))  # fmt: skip
def test_fuzz_any_bitsandbytes_state_gives_a_weight_or_a_named_fault(
    tmp_path_factory: pytest.TempPathFactory, changes: dict[str, Any]
) -> None:
    told = {"shape": [8, 32], "blocksize": 64, **changes}
    state = torch.tensor(list(json.dumps(told).encode()), dtype=torch.uint8)
    tensors = {f"l.{kind}": tensor for kind, tensor in SOUND["bitsandbytes"].items()}
    tensors["l.weight.quant_state.bitsandbytes__nf4"] = state
    folder = save(tmp_path_factory.getbasetemp() / "state", tensors, scheme_of("bitsandbytes"))
    with suppress(EngineError):
        open_checkpoint(folder).read("l.weight")
