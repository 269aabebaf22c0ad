"""The library's tables of architectures against what runs them."""

from __future__ import annotations

import subprocess
import sys

from engine.families.registry import FAMILIES
from engine.library.architectures import GGUF_ARCHITECTURES, MODEL_TYPES
from engine.library.compatible import compatible_types


def test_the_tables_name_what_the_families_build() -> None:
    assert set(MODEL_TYPES) == {name for family in FAMILIES for name in family.model_types}
    assert set(GGUF_ARCHITECTURES) == {name for family in FAMILIES for name in family.gguf}


def test_compatible_types_are_those_of_transformers_own_tables() -> None:
    from transformers.models.auto import modeling_auto as auto

    tables = (
        auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
    )
    assert compatible_types() == {name for table in tables for name in table}


def test_compatible_types_are_read_without_importing_transformers() -> None:
    program = (
        "import sys\nfrom engine.library.compatible import compatible_types\n"
        "assert {'gpt2', 'bloom', 'falcon', 'mamba', 't5', 'bart'} <= compatible_types()\n"
        "assert 'transformers' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
