"""Where transformers' layers go: the repeated ones by memory, everything else together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from engine.families.compatible.placing import device_map
from engine.kernels.reference import ReferenceKernels
from tests.families.test_compatible import CASES, PAIRS, saved_folder
from tests.families.test_several_devices import FIRST, SECOND, Spreading


def auto_class(kind: str) -> Any:
    """What ``load_compatible`` loads it by."""
    pair = kind.endswith("ConditionalGeneration")
    return transformers.AutoModelForSeq2SeqLM if pair else transformers.AutoModelForCausalLM


@pytest.mark.parametrize(("config", "kind", "sizes"), [*CASES, *PAIRS[:2]], ids=str)
def test_layers_are_spread_and_the_map_covers_everything(
    tmp_path: Path, config: str, kind: str, sizes: dict[str, Any]
) -> None:
    oracle = saved_folder(tmp_path, config, kind, sizes)
    first, second = (ReferenceKernels(at, torch.float32) for at in (FIRST, SECOND))
    spread = Spreading(first, (first, second))
    found = device_map(auto_class(kind), tmp_path, first, spread)
    assert set(found.values()) == {"cpu:0", "cpu:1"}
    assert sum(spread.sizes) == sum(x.nbytes for x in oracle.parameters())
    names = [name for name, _ in oracle.named_parameters()]
    for name in names:
        owners = [part for part in found if name == part or name.startswith(f"{part}.")]
        assert len(owners) == 1, f"{name} belongs to {owners}"
    # the map is one that transformers loads by; devices of this machine stand for the two
    here = dict.fromkeys(found, "cpu")
    module = auto_class(kind).from_pretrained(tmp_path, device_map=here)
    assert all(x.device.type == "cpu" for x in module.parameters())


def test_what_one_device_holds_is_not_cut(tmp_path: Path) -> None:
    config, kind, sizes = CASES[0]
    saved_folder(tmp_path, config, kind, sizes)
    kernels = ReferenceKernels(FIRST, torch.float32)
    spread = Spreading(kernels, (kernels,))
    assert device_map(auto_class(kind), tmp_path, kernels, spread) == {"": "cpu:0"}
    assert device_map(auto_class(kind), tmp_path, kernels, None) == {"": "cpu:0"}
