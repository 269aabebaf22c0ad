"""Quantized checkpoints of whole models: read by our loader, equal to transformers on their values.

What the reader may add is bounded by what the format itself changed (``Format.share``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from tests.families.parity import (
    TOLERANCE,
    assert_parity,
    expected,
    largest_difference,
    some_ids,
)
from tests.families.quantized import FAMILIES, oracle_for, quantize
from tests.families.quantized_formats import BLOCK_FP8, FORMATS, MXFP4, Format, format_named
from tests.families.test_dense import oracle_of
from tests.families.test_mixtures import GPT_OSS

PUBLISHED = {
    "qwen2": ("GPTQ v1, 4 bit", "GPTQ v1, 8 bit", "AWQ, 4 bit", "bitsandbytes nf4"),
    "qwen3": ("GPTQ v2, 4 bit, zero points", "AWQ, 4 bit", BLOCK_FP8),
    "gemma3": ("bitsandbytes nf4, double", "compressed-tensors pack-quantized, 4 bit"),
    "phi3": ("AWQ, 4 bit", "GPTQ v1, 4 bit, act-order"),
    "granite": ("compressed-tensors fp8", "compressed-tensors int8"),
    "mixtral": ("GPTQ v1, 4 bit, act-order", "AWQ, 4 bit", "bitsandbytes fp4"),
    "qwen3_moe": (BLOCK_FP8, "GPTQ v1, 4 bit"),
    "deepseek_v3": (BLOCK_FP8,),
    "gpt_oss": (MXFP4,),
}
"""What people publish these architectures in; Llama is run in everything."""
CASES = [("llama", form.name) for form in FORMATS if not form.stacks]
CASES += [(family, name) for family, names in PUBLISHED.items() for name in names]


@pytest.mark.parametrize(("family", "name"), CASES)
def test_a_quantized_model_equals_transformers_on_its_values(
    tmp_path: Path, family: str, name: str
) -> None:
    form = format_named(name)
    quantized = quantize(oracle_for(family), form, tmp_path)
    assert quantized.change > 0.03, "nothing was rounded"
    difference = largest_difference(quantized.oracle, quantized.model())
    assert difference <= max(TOLERANCE, form.share * quantized.change)


def test_codes_that_are_kept_pass_every_way_of_feeding(tmp_path: Path) -> None:
    quantized = quantize(oracle_for("qwen3"), format_named("GPTQ v1, 4 bit"), tmp_path)
    assert_parity(quantized.oracle, quantized.model())


def theirs(kind: Any, folder: Path, config: Any) -> Any:
    """The quantized file as transformers itself reads it."""
    return kind.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager", quantization_config=config
    ).eval()


@pytest.mark.filterwarnings("ignore:You passed `quantization_config`")
@pytest.mark.parametrize("name", [BLOCK_FP8, MXFP4])
def test_transformers_reads_the_same_values_from_the_file(tmp_path: Path, name: str) -> None:
    """The definition that the oracle was made by is theirs: not one logit differs."""
    import transformers

    if name == MXFP4:
        oracle, config = oracle_of("GptOss", GPT_OSS), transformers.Mxfp4Config(dequantize=True)
    else:
        oracle = oracle_of("Llama", {})
        config = transformers.FineGrainedFP8Config(weight_block_size=(32, 32), dequantize=True)
    quantized = quantize(oracle, format_named(name), tmp_path)
    found = theirs(type(oracle), quantized.folder, config)
    ids = some_ids(97)
    assert torch.equal(expected(found, ids), expected(quantized.oracle, ids))


def test_every_architecture_of_the_table_has_formats() -> None:
    assert set(PUBLISHED) | {"llama"} == set(FAMILIES)
    assert all(isinstance(form, Format) for form in FORMATS)
    assert len({form.name for form in FORMATS}) == len(FORMATS)
