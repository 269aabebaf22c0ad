"""The library's table of architectures against the families themselves."""

from __future__ import annotations

from engine.families.registry import FAMILIES
from engine.library.architectures import GGUF_ARCHITECTURES, MODEL_TYPES


def test_the_table_names_what_the_families_build() -> None:
    assert set(MODEL_TYPES) == {name for family in FAMILIES for name in family.model_types}
    assert set(GGUF_ARCHITECTURES) == {name for family in FAMILIES for name in family.gguf}


def test_both_names_of_an_architecture_lead_to_one_family() -> None:
    for family in FAMILIES:
        names = {MODEL_TYPES[name] for name in family.model_types}
        names |= {GGUF_ARCHITECTURES[name] for name in family.gguf}
        assert len(names) == 1
