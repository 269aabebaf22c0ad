"""Every block format against the ``gguf`` package's own dequantizer."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType as Kind

from engine.contract import EngineError
from engine.storage.ggml_types import GGML_TYPES
from engine.storage.open import open_checkpoint
from engine.weights import Grouped4, Grouped8, dense
from tests.storage.gguf_file import GgufFile

ROWS, COLUMNS = 6, 1024
# bytes that are float16 scales, so that random blocks hold sensible numbers
HALVES = {
    "Q4_0": (0,),
    "Q4_1": (0, 2),
    "Q5_0": (0,),
    "Q5_1": (0, 2),
    "Q8_0": (0,),
    "Q4_K": (0, 2),
    "Q5_K": (0, 2),
    "Q6_K": (208,),
    "Q2_K": (80, 82),
    "Q3_K": (108,),
    "IQ4_NL": (0,),
    "IQ4_XS": (0,),
}
CODES = {
    "Q4_0": slice(2, None),
    "Q4_1": slice(4, None),
    "Q5_0": slice(2, None),
    "Q5_1": slice(4, None),
    "Q8_0": slice(2, None),
    "Q4_K": slice(16, None),
    "Q5_K": slice(16, None),
    "Q6_K": slice(0, 192),
    "Q2_K": slice(16, 80),
    "Q3_K": slice(0, 96),
    "IQ4_NL": slice(2, None),
    "IQ4_XS": slice(8, None),
}
EXACT = ("Q4_0", "Q4_1", "Q5_0", "Q8_0", "IQ4_NL")
ROUNDED = ("Q2_K", "Q3_K", "Q4_K", "Q6_K", "IQ4_XS")  # scales that are products
RECODED = ("Q5_1", "Q5_K")


def random_blocks(kind: str, low: float, high: float, seed: int = 0) -> np.ndarray:
    """uint8 [ROWS, bytes]: random codes, scales of random sign and size between low and high."""
    size = GGML_TYPES[Kind[kind]]
    draw = np.random.default_rng(seed)
    blocks = draw.integers(0, 256, (ROWS * COLUMNS // size.values, size.bytes), np.uint8)
    for start in HALVES[kind]:
        scale = np.exp(draw.uniform(np.log(low), np.log(high), len(blocks)))
        scale *= draw.choice((-1, 1), len(blocks))
        blocks[:, start : start + 2] = scale.astype("<f2")[:, None].view(np.uint8)
    return blocks.reshape(ROWS, -1)


def read_back(tmp_path: Path, kind: str, blocks: np.ndarray) -> torch.Tensor | Grouped4 | Grouped8:
    tensors = [("w", (ROWS, COLUMNS), int(Kind[kind]), blocks.tobytes())]
    checkpoint = open_checkpoint(GgufFile(tensors=tensors).write(tmp_path / "w.gguf"))
    assert checkpoint.shape("w") == (ROWS, COLUMNS)
    assert checkpoint.nbytes("w") == blocks.nbytes
    return checkpoint.read("w")


def truth(kind: str, blocks: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(gguf.dequantize(blocks, Kind[kind]))


def code_range(kind: str, blocks: np.ndarray) -> torch.Tensor:
    """The largest magnitude that each value could have with any code."""
    ends = []
    for fill in (0x00, 0xFF):
        filled = blocks.reshape(-1, GGML_TYPES[Kind[kind]].bytes).copy()
        filled[:, CODES[kind]] = fill
        ends.append(truth(kind, filled.reshape(ROWS, -1)).abs())
    return torch.maximum(*ends)


@pytest.mark.parametrize("kind", EXACT)
@pytest.mark.parametrize(("low", "high"), [(1e-7, 1e-5), (1e-3, 0.1), (1e2, 6e4)])
def test_exact_formats_equal_gguf_bit_for_bit(
    tmp_path: Path, kind: str, low: float, high: float
) -> None:
    blocks = random_blocks(kind, low, high)
    weight = read_back(tmp_path, kind, blocks)
    assert isinstance(weight, Grouped4 | Grouped8)
    assert weight.scale.dtype == torch.float16
    # Q4_1 alone adds two terms, and the canonical form adds them in the same order
    assert torch.equal(dense(weight), truth(kind, blocks))


@pytest.mark.parametrize("kind", ROUNDED)
@pytest.mark.parametrize(("low", "high"), [(1e-7, 1e-5), (1e-4, 0.01), (1e3, 6e4)])
def test_product_scales_lose_at_most_half_precision(
    tmp_path: Path, kind: str, low: float, high: float
) -> None:
    blocks = random_blocks(kind, low, high)
    got, want = dense(read_back(tmp_path, kind, blocks)), truth(kind, blocks)
    # each of the two terms is off by 2^-11 of itself, and of 2^-12 of the row's largest scale
    largest = want.abs().amax(dim=1, keepdim=True)
    assert ((got - want).abs() <= largest * 2**-10).all()
    assert (got - want).norm() <= want.norm() * 1e-3


@pytest.mark.parametrize("kind", RECODED)
@pytest.mark.parametrize(("low", "high"), [(1e-6, 1e-5), (1e-3, 0.1), (1e2, 6e3)])
def test_recoded_formats_lose_far_less_than_their_own_step(
    tmp_path: Path, kind: str, low: float, high: float
) -> None:
    blocks = random_blocks(kind, low, high)
    weight = read_back(tmp_path, kind, blocks)
    assert isinstance(weight, Grouped8)
    got, want = dense(weight), truth(kind, blocks)
    # half an 8-bit step of the range that the codes could use, and float16's share of the scale
    assert ((got - want).abs() <= code_range(kind, blocks) * (0.5 / 127 + 2**-10) + 1e-7).all()


@pytest.mark.parametrize("kind", HALVES)
def test_extreme_blocks_stay_finite(tmp_path: Path, kind: str) -> None:
    for fill in (0x00, 0xFF, 0x80, 0x7F):
        blocks = np.full_like(random_blocks(kind, 1, 2), fill)
        for value in (0.0, 65504.0, -65504.0, 6e-8):
            for start in HALVES[kind]:
                half = np.frombuffer(np.float16(value).tobytes(), np.uint8)
                size = GGML_TYPES[Kind[kind]].bytes
                blocks.reshape(-1, size)[:, start : start + 2] = half
            got, want = dense(read_back(tmp_path, kind, blocks)), truth(kind, blocks)
            assert got.isfinite().all()
            assert ((got - want).abs() <= code_range(kind, blocks) * 5e-3 + 1e-6).all()


@pytest.mark.parametrize(("kind", "low", "high"), [("Q6_K", 1e4, 6e4), ("Q5_K", 1e-7, 1e-6)])
def test_scales_that_half_would_lose_stay_in_float32(
    tmp_path: Path, kind: str, low: float, high: float
) -> None:
    weight = read_back(tmp_path, kind, random_blocks(kind, low, high))
    assert isinstance(weight, Grouped8)
    assert weight.scale.dtype == torch.float32


def test_mxfp4_is_exact_over_all_exponents(tmp_path: Path) -> None:
    blocks = np.random.default_rng(0).integers(0, 256, (ROWS * COLUMNS // 32, 17), np.uint8)
    for low, high in ((0, 255), (105, 120)):  # the second is what float16 scales hold
        blocks[:, 0] = np.arange(len(blocks)) % (high - low) + low
        weight = read_back(tmp_path, "MXFP4", blocks.reshape(ROWS, -1))
        assert isinstance(weight, Grouped8)
        want = truth("MXFP4", blocks.reshape(ROWS, -1))
        if low == 0:  # the ends of the range: no float32 is left for some products
            want = torch.where(want.isfinite(), want, dense(weight))
        assert torch.equal(dense(weight), want)
    assert weight.scale.dtype == torch.float16


def test_q8_k_keeps_its_codes_and_its_scale(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    blocks = draw.integers(0, 256, (ROWS * COLUMNS // 256, 292), np.uint8)
    d = draw.uniform(1e-3, 1e-2, (len(blocks), 1)).astype("<f4")
    blocks[:, :4] = d.view(np.uint8)
    got = dense(read_back(tmp_path, "Q8_K", blocks.reshape(ROWS, -1)))
    want = torch.from_numpy(d * blocks[:, 4:260].view(np.int8)).view(ROWS, COLUMNS)
    assert torch.allclose(got, want, rtol=2**-11, atol=0)


@pytest.mark.parametrize("number", sorted(GGML_TYPES))
def test_block_sizes_are_those_of_the_gguf_package(number: int) -> None:
    size = GGML_TYPES[number]
    assert Kind(number).name == size.name
    assert gguf.GGML_QUANT_SIZES[Kind(number)] == (size.values, size.bytes)


@pytest.mark.parametrize("number", sorted(GGML_TYPES))
def test_held_bits_are_what_the_canonical_form_takes(tmp_path: Path, number: int) -> None:
    kind = GGML_TYPES[number]
    fill = b"\x77" if kind.name == "MXFP4" else b"\0"  # zero bytes are a scale of 2^-127 there
    raw = fill * (ROWS * COLUMNS // kind.values * kind.bytes)
    path = GgufFile(tensors=[("w", (ROWS, COLUMNS), number, raw)]).write(tmp_path / "w.gguf")
    if not kind.held_bits:
        with pytest.raises(EngineError):
            open_checkpoint(path).read("w")
        return
    assert open_checkpoint(path).read("w").nbytes * 8 == ROWS * COLUMNS * kind.held_bits
