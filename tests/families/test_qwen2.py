"""Qwen 2: equal to transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.families.parity import assert_parity, loaded, saved, tiny
from tests.families.test_llama import SIZES


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"tie_word_embeddings": True},
        {"use_sliding_window": True, "sliding_window": 6, "max_window_layers": 1},
    ],
    ids=str,
)
def test_qwen2_equals_transformers(tmp_path: Path, changes: dict[str, Any]) -> None:
    from transformers import Qwen2Config, Qwen2ForCausalLM

    config = Qwen2Config(**SIZES, **changes, attn_implementation="eager")
    oracle = tiny(Qwen2ForCausalLM, config)
    assert_parity(oracle, loaded(saved(oracle, tmp_path)))
