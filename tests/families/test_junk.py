"""Damaged configurations: whatever stands in them, the answer is a model or a named fault.

Each example puts junk into one to three keys of a configuration that fits its file. Sizes are
drawn far past what memory holds: a fault must come before anything is allocated for them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.contract.faults import EngineError, FaultKind
from engine.families.registry import build, model_config
from engine.kernels.reference import ReferenceKernels
from tests.families.parity import MemoryCheckpoint, saved
from tests.families.test_deepseek import GROUPS, YARN, deepseek
from tests.families.test_dense import LONG, PHI4_MINI, oracle_of
from tests.families.test_gguf import LLAMA_METADATA
from tests.families.test_mixtures import GPT_OSS, QWEN2

NUMBERS = st.one_of(
    st.integers(-3, 9),
    st.sampled_from([1 << 20, 1 << 31, 1 << 40, 1 << 70]),
    st.sampled_from([0.0, 0.5, -1.0, 1e-30, 1e40, float("nan"), float("inf")]),
)
SCALARS = st.one_of(NUMBERS, st.booleans(), st.none(), st.sampled_from(["", "yarn", "silu"]))
ROPE_KEYS = ["rope_type", "type", "factor", "rope_theta", "partial_rotary_factor", *YARN, *LONG]
JUNK = st.one_of(
    SCALARS,
    st.lists(SCALARS, max_size=4),
    st.dictionaries(st.sampled_from(ROPE_KEYS), st.one_of(SCALARS, st.just([1.0] * 8))),
)
ALLOWED = {
    None,
    FaultKind.CONFIG_INVALID,
    FaultKind.TENSOR_MISSING,
    FaultKind.TENSOR_SHAPE,
    FaultKind.ARCHITECTURE_UNKNOWN,
}
MODELS = {
    "llama": ("Llama", {}),
    "gemma2": ("Gemma2", {"sliding_window": 6}),
    "glm4": ("Glm4", {"head_dim": 16, "pad_token_id": 0}),
    "phi3": ("Phi3", PHI4_MINI),
    "granite": ("Granite", {}),
    "qwen2_moe": ("Qwen2Moe", QWEN2),
    "gpt_oss": ("GptOss", GPT_OSS),
    "deepseek": ("DeepseekV2", {"rope_parameters": YARN, **GROUPS}),
}


def outcome(action: Callable[[], object]) -> FaultKind | None:
    """The named fault that an action ends in, or None."""
    try:
        action()
    except EngineError as error:
        return error.fault.kind
    return None


@pytest.fixture(scope="module", params=MODELS)
def checkpoint(request: pytest.FixtureRequest, tmp_path_factory: Any) -> MemoryCheckpoint:
    name, changes = MODELS[request.param]
    make = deepseek if name.startswith("Deepseek") else oracle_of
    return saved(make(name, changes), tmp_path_factory.mktemp("model"))


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_junk_in_a_configuration_is_a_named_fault(
    checkpoint: MemoryCheckpoint, data: st.DataObject
) -> None:
    keys = sorted({*checkpoint.metadata, "head_dim", "rope_scaling", "rope_theta", "layer_types"})
    keys = [key for key in keys if key not in {"model_type", "quantization_config"}]
    config = dict(checkpoint.metadata)
    for key in data.draw(st.lists(st.sampled_from(keys), min_size=1, max_size=3)):
        config[key] = data.draw(JUNK)
    broken = MemoryCheckpoint(checkpoint.tensors, config)
    assert outcome(lambda: build(broken, ReferenceKernels(), lambda done, total: None)) in ALLOWED


class Metadata(MemoryCheckpoint):
    """A GGUF file that is nothing but metadata."""

    def __init__(self, metadata: dict[str, Any]) -> None:
        super().__init__({}, metadata)
        self.path, self.format = Path("/memory/model.gguf"), "gguf"


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_junk_in_gguf_metadata_is_a_named_fault(data: st.DataObject) -> None:
    names = ["llama", "gemma2", "gemma3", "phi3", "deepseek2", "gpt-oss", "stablelm", "glm4"]
    arch = data.draw(st.sampled_from(names))
    known = [
        *LLAMA_METADATA,
        "rope.scaling.type",
        "rope.scaling.factor",
        "attention.key_length",
        "expert_count",
        "rope.scaling.yarn_log_multiplier",
        "attention.value_length",
    ]
    metadata = {"general.architecture": arch}
    metadata |= {f"{arch}.{key}": value for key, value in LLAMA_METADATA.items()}
    for key in data.draw(st.lists(st.sampled_from(known), max_size=4)):
        metadata[f"{arch}.{key}"] = data.draw(JUNK)
    file = Metadata(metadata)
    assert outcome(lambda: model_config(file)) in ALLOWED
    assert outcome(lambda: build(file, ReferenceKernels(), lambda done, total: None)) in ALLOWED
