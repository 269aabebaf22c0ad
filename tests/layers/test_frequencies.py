"""Rotary frequencies: equal to transformers' in float32, in every spelling of the configuration."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch

from engine.families.config import Config
from engine.families.rope import rotary_of

CPU = torch.device("cpu")
BASE = {"hidden_size": 512, "num_attention_heads": 4, "max_position_embeddings": 8192}
LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 1024,
}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 2048}
LONG = {
    "rope_type": "longrope",
    "short_factor": [1 + 0.01 * i for i in range(64)],
    "long_factor": [1 + 0.3 * i for i in range(64)],
    "original_max_position_embeddings": 2048,
}


def theirs(rope: dict[str, Any], length: int) -> tuple[torch.Tensor, float]:
    from transformers import LlamaConfig
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    config = LlamaConfig(**BASE, rope_parameters={"rope_theta": 500000.0, **rope})
    return ROPE_INIT_FUNCTIONS[rope["rope_type"]](config, CPU, seq_len=length)


@pytest.mark.parametrize(
    ("rope", "length"),
    [
        ({"rope_type": "linear", "factor": 4.0}, 8192),
        ({"rope_type": "dynamic", "factor": 2.0}, 8192),
        ({"rope_type": "dynamic", "factor": 2.0}, 20000),
        (LLAMA3, 8192),
        (YARN, 8192),
        ({**YARN, "beta_fast": 16.0, "beta_slow": 2.0}, 8192),
        ({**YARN, "truncate": False}, 8192),
        ({**YARN, "attention_factor": 0.7}, 8192),
        ({**YARN, "mscale": 1.0, "mscale_all_dim": 0.8}, 8192),
        (LONG, 2048),
        (LONG, 2049),
        ({**LONG, "attention_factor": 1.3}, 8192),
    ],
    ids=lambda value: value["rope_type"] if isinstance(value, dict) else str(value),
)
def test_E3_scaled_frequencies_equal_transformers(rope: dict[str, Any], length: int) -> None:
    want, factor = theirs(dict(rope), length)
    config = Config({**BASE, "rope_theta": 500000.0, "rope_scaling": rope}, Path("m"))
    got = rotary_of(config, 128, length, CPU)
    assert got.frequencies.dtype == torch.float32
    torch.testing.assert_close(got.frequencies, want, rtol=1e-6, atol=0)
    assert got.factor == pytest.approx(factor, rel=1e-6)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"rope_scaling": None},
        {"rope_scaling": {"type": "default"}},
        {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}},
        {"rope_theta": 10000},
    ],
    ids=str,
)
def test_C12_missing_null_and_default_are_the_same(changes: dict[str, Any]) -> None:
    config = Config({**BASE, **changes}, Path("m"))
    want = 1.0 / (10000.0 ** (torch.arange(0, 128, 2).float() / 128))
    assert torch.equal(rotary_of(config, 128, 8192, CPU).frequencies, want)


def test_C12_type_and_rope_type_are_the_same() -> None:
    old = Config({**BASE, "rope_scaling": {"type": "linear", "factor": 2.0}}, Path("m"))
    new = Config({**BASE, "rope_parameters": {"rope_type": "linear", "factor": 2.0}}, Path("m"))
    a, b = (rotary_of(config, 128, 8192, CPU).frequencies for config in (old, new))
    assert torch.equal(a, b)


def test_C12_llama3_with_its_four_fields_is_read_under_either_name() -> None:
    fields = {
        "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    }  # fmt: skip
    plain, *scaled = (
        rotary_of(Config({**BASE, "rope_scaling": each}, Path("m")), 128, 8192, CPU).frequencies
        for each in (None, {"rope_type": "llama3", **fields}, {"type": "llama3", **fields})
    )
    assert torch.equal(*scaled)
    assert torch.equal(scaled[0][0], plain[0])  # fast turns stay, slow ones are 8 times slower
    assert float(scaled[0][-1]) == pytest.approx(float(plain[-1]) / 8)


def test_phi3s_own_field_outweighs_the_sections() -> None:
    """Phi-3 keeps the trained context beside the section; older files say ``su``."""
    rope = {**LONG, "rope_type": "su", "original_max_position_embeddings": 9999}
    config = Config(
        {**BASE, "rope_scaling": rope, "original_max_position_embeddings": 2048}, Path("m")
    )
    got = rotary_of(config, 128, 8192, CPU)
    assert got.factor == pytest.approx((1 + math.log(4) / math.log(2048)) ** 0.5)


def test_partial_rotary_turns_a_share_of_the_head() -> None:
    config = Config({**BASE, "partial_rotary_factor": 0.25}, Path("m"))
    assert rotary_of(config, 128, 8192, CPU).frequencies.shape == (16,)
