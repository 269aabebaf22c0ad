"""Layers with a sliding window give pages back, and the logits stay transformers'.

Contexts are ten windows long. Everything goes the way of the engine: the scheduler hands out pages
of each group of layers, and takes them back while the sequence moves on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from torch import Tensor

from engine.families.model import Model
from engine.families.registry import build
from engine.generation.pages import Group
from engine.generation.scheduler import Scheduler
from engine.generation.scheduler import Sequence as Running
from engine.kernels.cpu.kernels import CpuKernels
from engine.kernels.groups import group_windows
from engine.kernels.interface import Kernels
from engine.kernels.reference import ReferenceKernels
from engine.library.windows import sliding_window
from engine.runner import ModelRunner
from tests.families.parity import TOLERANCE, expected, saved, some_ids, tiny
from tests.families.test_llama import SIZES

PAGE, WINDOW, LENGTH = 4, 6, 61
WIDE_PAGES, WINDOW_PAGES = 60, 16
SLIDES: dict[str, Any] = {"sliding_window": WINDOW}
MIXED = {**SLIDES, "layer_types": ["sliding_attention", "full_attention"]}
HEADS: dict[str, Any] = {"head_dim": 16, "query_pre_attn_scalar": 20}
SWITCHED = {**SLIDES, "use_sliding_window": True, "max_window_layers": 1}
EXPERTS: dict[str, Any] = {"num_local_experts": 4, "num_experts_per_tok": 2}
CASES: list[tuple[str, dict[str, Any]]] = [
    ("Mistral", SLIDES),
    ("Mixtral", {**SLIDES, **EXPERTS}),
    ("Gemma2", {**MIXED, **HEADS}),
    ("Gemma3", {**MIXED, **HEADS}),
    ("Phi3", {**SLIDES, "pad_token_id": 0}),
    ("Qwen2", SWITCHED),
    ("Qwen3", {**SWITCHED, "head_dim": 24}),
    ("GptOss", {**MIXED, **EXPERTS, "head_dim": 16}),
]
CONFIGS = {"Gemma3": "Gemma3TextConfig"}


def oracle_of(name: str, changes: dict[str, Any]) -> Any:
    config = getattr(transformers, CONFIGS.get(name, f"{name}Config"))
    kind = getattr(transformers, f"{name}ForCausalLM")
    return tiny(kind, config(**{**SIZES, **changes}, attn_implementation="eager"))


class Forced:
    """The engine's loop with the next tokens given instead of drawn."""

    def __init__(self, model: Model, kernels: Kernels) -> None:
        windows = group_windows(model.cache_layers)
        pages = [WIDE_PAGES if window is None else WINDOW_PAGES for window in windows]
        cache = kernels.make_cache(model.cache_layers, pages, PAGE, 16)
        groups = [Group(*pair) for pair in zip(pages, windows, strict=True)]
        self.scheduler = Scheduler(groups, PAGE)
        self.runner = ModelRunner(model, cache, kernels.device)

    def read(
        self, ids: Sequence[int], prompt: int, budget: int
    ) -> tuple[Running, dict[int, Tensor]]:
        """Run ``ids``, the first ``prompt`` of them as slices; the logits of each later place."""
        sequence = Running(list(ids[:prompt]), prompt)
        self.scheduler.add(sequence)
        logits: dict[int, Tensor] = {}
        while len(logits) < len(ids) - prompt:
            step = self.scheduler.schedule(budget)
            rows = self.runner.run(step)
            (share,) = step.shares
            self.scheduler.computed(share, len(share.ids))
            if share.wanted:
                logits[len(sequence.ids) - 1] = torch.from_numpy(rows[0])
                sequence.ids.append(ids[len(sequence.ids)])
        held = [len(table.pages) - table.first for table in sequence.tables]
        assert held[-1] <= WINDOW // PAGE + 4, "a window holds more than it sees"
        self.scheduler.finish(sequence)
        return sequence, logits


def assert_equal(oracle: Any, model: Model, kernels: Kernels, tolerance: float) -> None:
    """Sliced prefill, decode, regenerate, and an edit behind the end of a reply."""
    ids = some_ids(model.vocabulary, LENGTH)
    edited = [*ids[:45], *some_ids(model.vocabulary, 12, seed=8)]
    want = {"ids": expected(oracle, ids), "edited": expected(oracle, edited)}
    forced = Forced(model, kernels)
    runs = [  # name, ids, prompt, budget, tokens that must be reused
        ("ids", ids[:45], 30, 7, 0),
        ("ids", ids[:45], 30, 64, 29),  # the same again, in one slice
        ("ids", ids, 50, 3, 44),  # the next turn; the last sampled token was never computed
        ("edited", edited, 50, 64, 45),
    ]
    for name, fed, prompt, budget, reused in runs:
        sequence, logits = forced.read(fed, prompt, budget)
        assert sequence.reused == reused
        for place, row in logits.items():
            error = (row - want[name][place]).abs().max().item()
            assert error <= tolerance, f"{name}, prompt {prompt}, place {place}: {error:.2e}"


@pytest.mark.parametrize(("name", "changes"), CASES, ids=[name for name, _ in CASES])
def test_E23_logits_stay_transformers_when_pages_are_given_back(
    tmp_path: Path, name: str, changes: dict[str, Any]
) -> None:
    oracle, kernels = oracle_of(name, changes), ReferenceKernels()
    model = build(saved(oracle, tmp_path), kernels, lambda done, total: None)
    assert WINDOW in group_windows(model.cache_layers)
    assert_equal(oracle, model, kernels, TOLERANCE)


@pytest.fixture
def cpu() -> Iterator[CpuKernels]:
    made = CpuKernels(2, precise=True)
    yield made
    made.close()


@pytest.mark.parametrize(("name", "changes"), [CASES[0], CASES[3], CASES[7]], ids=str)
def test_E23_the_compiled_kernels_read_the_same_pages(
    tmp_path: Path, cpu: CpuKernels, name: str, changes: dict[str, Any]
) -> None:
    """Their cache is float16: 11 bits, against logits of a few units."""
    oracle = oracle_of(name, changes)
    model = build(saved(oracle, tmp_path), cpu, lambda done, total: None)
    assert_equal(oracle, model, cpu, 2e-2)


@pytest.mark.parametrize("listed", [True, False], ids=["listed", "by rule"])
@pytest.mark.parametrize(("name", "changes"), CASES, ids=[name for name, _ in CASES])
def test_the_estimate_knows_which_layers_slide(
    tmp_path: Path, name: str, changes: dict[str, Any], listed: bool
) -> None:
    """What the list of models tells before torch is there is what the family builds."""
    checkpoint = saved(oracle_of(name, changes), tmp_path)
    if not listed:
        checkpoint.metadata.pop("layer_types", None)
    model = build(checkpoint, ReferenceKernels(), lambda done, total: None)
    sliding = [shape.window for shape in model.cache_layers if shape.window is not None]
    found = sliding_window(checkpoint.metadata["model_type"], 2, checkpoint.metadata)
    assert found == (WINDOW, len(sliding))
